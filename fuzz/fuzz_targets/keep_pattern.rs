//! `--keep-image`: a pattern holds what it was written as, and matching agrees
//! with a plain search by definition, on the name as it stands.
#![no_main]
// parses: crates/gc/src/keep.rs

use evictd_gc::KeepPattern;
use libfuzzer_sys::fuzz_target;

/// Whether a pattern matches, by definition: a table of all prefixes.
fn by_definition(pattern: &[u8], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let mut row = vec![false; name.len() + 1];
    row[0] = true;
    for byte in pattern {
        let mut next = vec![false; name.len() + 1];
        for place in 0..=name.len() {
            next[place] = match byte {
                b'*' => row[place] || (place > 0 && next[place - 1]),
                b'?' => place > 0 && row[place - 1],
                _ => place > 0 && row[place - 1] && name[place - 1] == char::from(*byte),
            };
        }
        row = next;
    }
    row[name.len()]
}

/// What `docker image ls` leaves out of a name.
const LEFT_OUT: [&str; 3] = ["docker.io/", "index.docker.io/", "library/"];

fuzz_target!(|input: (&[u8], &str)| {
    let (text, name) = input;
    let pattern = match KeepPattern::parse(text) {
        Ok(pattern) => pattern,
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control));
            assert!(text.is_empty() || text.len() > 512 || !text.iter().all(u8::is_ascii_graphic));
            return;
        }
    };
    assert_eq!(pattern.to_string().as_bytes(), text);
    let matches = pattern.matches(name);
    if name.len() > 2000 {
        return;
    }
    let is_as_printed = !LEFT_OUT.iter().any(|front| name.starts_with(front));
    if is_as_printed && by_definition(text, name) {
        assert!(matches, "{pattern} is {name:?}");
    }
    // Of another registry, a name has one form, with tag or without.
    let foreign = format!("quay.io/{name}");
    if !name.contains(['@', ':', '/']) {
        let tagged = format!("{foreign}:1");
        let bare = !text
            .rsplit(|byte| *byte == b'/')
            .next()
            .unwrap_or_default()
            .contains(&b':');
        let bare = bare
            && !text
                .rsplit(|byte| *byte == b'/')
                .next()
                .unwrap_or_default()
                .contains(&b'@');
        let expected = by_definition(text, &tagged) || (bare && by_definition(text, &foreign));
        assert_eq!(
            pattern.matches(&tagged),
            expected,
            "{pattern} and {tagged:?}"
        );
    }
    // All of Docker Hub's names are one.
    if !name.is_empty() && !name.contains('/') {
        for front in ["", "docker.io/library/", "docker.io/"] {
            let full = format!("{front}{name}");
            if KeepPattern::parse(full.as_bytes()).is_ok_and(|it| it.matches(&full)) {
                let all = ["", "docker.io/library/"].map(|front| format!("{front}{name}"));
                let one = KeepPattern::parse(full.as_bytes()).expect("it was");
                assert!(all.iter().all(|name| one.matches(name)), "{full:?}");
            }
        }
    }
});
