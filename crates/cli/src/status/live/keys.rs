//! What the keyboard sends, as what is wanted.

/// What a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Quit,
    Up,
    Down,
    Sort,
    Why,
    Rehearse,
    Back,
}

const ESCAPE: u8 = 0x1b;
/// A terminal that raises no signals sends it as a letter.
const CONTROL_C: u8 = 3;

/// The keys that these bytes stand for; others mean nothing.
pub(super) fn keys(mut bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let [first, rest @ ..] = bytes {
        let (key, left) = match (*first, rest) {
            (ESCAPE, [b'[' | b'O', rest @ ..]) => after_escape(rest),
            (letter, rest) => (of_letter(letter), rest),
        };
        keys.extend(key);
        bytes = left;
    }
    keys
}

const fn of_letter(letter: u8) -> Option<Key> {
    match letter {
        b'q' | CONTROL_C => Some(Key::Quit),
        b'k' => Some(Key::Up),
        b'j' => Some(Key::Down),
        b's' => Some(Key::Sort),
        b'w' | b'\r' | b'\n' => Some(Key::Why),
        b'r' => Some(Key::Rehearse),
        ESCAPE => Some(Key::Back),
        _ => None,
    }
}

/// What follows `ESC [`: numbers, and a letter that ends it.
fn after_escape(bytes: &[u8]) -> (Option<Key>, &[u8]) {
    let ends = |byte: &u8| (b'@'..=b'~').contains(byte);
    let Some(end) = bytes.iter().position(ends) else {
        return (None, &[]);
    };
    let key = match bytes.get(end) {
        Some(b'A') => Some(Key::Up),
        Some(b'B') => Some(Key::Down),
        _ => None,
    };
    (key, bytes.get(end + 1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_arrows_are_keys_and_nothing_else_is() {
        let arrows = [Key::Up, Key::Down, Key::Up];
        assert_eq!(keys(b"\x1b[A\x1b[1;5B\x1bOA"), arrows);
        let letters = [Key::Why, Key::Why, Key::Sort, Key::Rehearse, Key::Quit];
        assert_eq!(keys(b"w\rsr\x03"), letters);
        assert_eq!(keys(b"\x1b"), [Key::Back]);
        assert_eq!(keys(b"\x1b[3~jxk"), [Key::Down, Key::Up]);
        for nothing in [&b""[..], b"\x1b[", b"\x1b[9;9", b"x\xff\0", b"\x1b[200~"] {
            assert_eq!(keys(nothing), [], "{nothing:?}");
        }
    }
}
