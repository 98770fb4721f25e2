//! Header fields as HTTP/2 carries them (HPACK, RFC 7541), without the table that
//! both sides could keep: ours is announced to hold nothing.

/// The header fields that a gRPC answer is understood by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) status: Option<Vec<u8>>,
    pub(super) content_type: Option<Vec<u8>>,
    pub(super) grpc_status: Option<Vec<u8>>,
    pub(super) grpc_message: Option<Vec<u8>>,
}

impl Fields {
    fn set(&mut self, name: &[u8], value: Vec<u8>) {
        let place = match name {
            b":status" => &mut self.status,
            b"content-type" => &mut self.content_type,
            b"grpc-status" => &mut self.grpc_status,
            b"grpc-message" => &mut self.grpc_message,
            _ => return,
        };
        *place = Some(value);
    }
}

/// How many fields the specification itself numbers.
const STATIC_FIELDS: usize = 61;
/// Of these, what an answer may need: the status with its commonest values, and
/// `content-type`.
const FIRST_STATUS: usize = 8;
const STATUSES: [&[u8]; 7] = [b"200", b"204", b"206", b"304", b"400", b"404", b"500"];
const CONTENT_TYPE: usize = 31;

/// The name of a numbered field; empty for those that no answer needs.
fn static_name(index: usize) -> Option<&'static [u8]> {
    match index {
        CONTENT_TYPE => Some(b"content-type"),
        index if status_of(index).is_some() => Some(b":status"),
        1..=STATIC_FIELDS => Some(b""),
        _ => None,
    }
}

fn status_of(index: usize) -> Option<&'static [u8]> {
    STATUSES.get(index.checked_sub(FIRST_STATUS)?).copied()
}

/// Writes a field as it is, so that it needs no table.
pub(super) fn write_field(name: &str, value: &str, block: &mut Vec<u8>) {
    block.push(0);
    for text in [name, value] {
        let mut length = text.len();
        if length >= 0x7f {
            block.push(0x7f);
            length = length.saturating_sub(0x7f);
            while length >= 0x80 {
                block.push(length.to_le_bytes()[0] | 0x80);
                length >>= 7;
            }
        }
        block.push(length.to_le_bytes()[0]);
        block.extend_from_slice(text.as_bytes());
    }
}

/// Reads a whole block of header fields into those that are known; `None` where it is not
/// in form, or counts on a table.
pub(super) fn read_block(block: &[u8], fields: &mut Fields) -> Option<()> {
    let mut reader = Reader { rest: block };
    while let Some(first) = reader.rest.first().copied() {
        if first & 0x80 != 0 {
            let index = reader.number(7)?;
            let name = static_name(index)?;
            fields.set(name, status_of(index).unwrap_or_default().to_vec());
            continue;
        }
        if first & 0xe0 == 0x20 {
            // The size of the table: it holds nothing whatever is said of it.
            reader.number(5)?;
            continue;
        }
        let index = reader.number(if first & 0x40 == 0 { 4 } else { 6 })?;
        if index == 0 {
            let name = reader.text()?;
            fields.set(&name, reader.text()?);
        } else {
            fields.set(static_name(index)?, reader.text()?);
        }
    }
    Some(())
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// A number that begins in the low `bits` of a byte; none is larger than 2^28
    /// here.
    fn number(&mut self, bits: u32) -> Option<usize> {
        let most = (1_usize << bits).saturating_sub(1);
        let mut number = usize::from(self.byte()?) & most;
        if number < most {
            return Some(number);
        }
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            number = number.saturating_add(usize::from(byte & 0x7f) << shift);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<Vec<u8>> {
        let is_coded = self.rest.first()? & 0x80 != 0;
        let length = self.number(7)?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        if is_coded {
            decode(text)
        } else {
            Some(text.to_vec())
        }
    }
}

/// The letters by the length of their codes, from 5 bits on: RFC 7541, appendix B,
/// as far as printable ASCII goes. Within a length the codes count up in this order,
/// and each length goes on where the last one stopped.
const LETTERS: [&[u8]; 11] = [
    b"012aceiost",
    b" %-./3456789=A_bdfghlmnpru",
    b":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz",
    b"&*,;XZ",
    b"",
    b"!\"()?",
    b"'+|",
    b"#>",
    b"\0$@[]~",
    b"^}",
    b"<`{",
];

/// Decodes a text. One with letters beyond printable ASCII, which gRPC has no use
/// for, reads as `?` as a whole.
fn decode(coded: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut bits = coded
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    'letters: loop {
        // A code so far, the first code of its length, and whether it is all ones.
        let (mut code, mut first, mut ones, mut count) = (0_usize, 0_usize, true, 0_u32);
        for length in 1..16_usize {
            let Some(bit) = bits.next() else {
                // What fills up the last byte begins like no letter.
                return (ones && count < 8).then_some(text);
            };
            ones &= bit == 1;
            count = count.saturating_add(1);
            code = code << 1 | usize::from(bit);
            first <<= 1;
            let Some(letters) = length.checked_sub(5).and_then(|index| LETTERS.get(index)) else {
                continue;
            };
            if let Some(letter) = code.checked_sub(first).and_then(|place| letters.get(place)) {
                text.push(*letter);
                continue 'letters;
            }
            first = first.saturating_add(letters.len());
        }
        return Some(b"?".to_vec());
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, decode, read_block, write_field};

    fn parse_block(block: &[u8]) -> Option<Fields> {
        let mut fields = Fields::default();
        read_block(block, &mut fields).map(|()| fields)
    }

    /// RFC 7541, appendix C.4 and C.6.
    #[test]
    fn coded_texts() {
        for (coded, text) in [
            ("f1e3c2e5f23a6ba0ab90f4ff", "www.example.com"),
            ("a8eb10649cbf", "no-cache"),
            ("25a849e95ba97d7f", "custom-key"),
            ("25a849e95bb8e8b4bf", "custom-value"),
            ("6402", "302"),
            ("aec3771a4b", "private"),
            (
                "d07abe941054d444a8200595040b8166e082a62d1bff",
                "Mon, 21 Oct 2013 20:13:21 GMT",
            ),
            (
                "9d29ad171863c78f0b97c8e9ae82ae43d3",
                "https://www.example.com",
            ),
            ("", ""),
            ("fffffe", "?"),
        ] {
            let bytes: Vec<u8> = (0..coded.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(coded.get(at..at + 2).unwrap(), 16).unwrap())
                .collect();
            assert_eq!(decode(&bytes).as_deref(), Some(text.as_bytes()), "{text}");
        }
        assert_eq!(decode(&[0xff]), None, "eight bits that fill up nothing");
        assert_eq!(decode(&[0x1e]), None, "not filled up with ones");
    }

    #[test]
    fn blocks() {
        let status = Fields {
            status: Some(b"200".to_vec()),
            ..Fields::default()
        };
        assert_eq!(parse_block(&[0x88]), Some(status.clone()));
        assert_eq!(
            parse_block(&[0x20, 0x3f, 0xe1, 0x1f, 0x88, 0x90]),
            Some(status.clone())
        );
        let mut block = vec![0x48, 3];
        block.extend(b"200");
        assert_eq!(parse_block(&block), Some(status));
        let mut block = vec![0x5f, 1, b'x'];
        let long = "m".repeat(300);
        write_field("grpc-message", &long, &mut block);
        write_field("grpc-status", "5", &mut block);
        write_field("other", "5", &mut block);
        let fields = parse_block(&block).unwrap();
        assert_eq!(fields.grpc_message, Some(long.into_bytes()));
        assert_eq!(
            (fields.content_type, fields.grpc_status),
            (Some(b"x".to_vec()), Some(b"5".to_vec()))
        );
        for odd in [
            &[0x80][..],
            &[0xbe],
            &[0x7e],
            &[0x40],
            &[0, 5, b'x'],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 1],
        ] {
            assert_eq!(parse_block(odd), None, "{odd:?}");
        }
    }
}
