//! Values that no reader may be blinded by.

/// What a broken or hostile source may put in the place of a value.
#[derive(Clone, Debug)]
pub struct Poison {
    /// What is odd about it.
    pub name: &'static str,
    bytes: Vec<u8>,
    is_text: bool,
}

impl Poison {
    fn text(name: &'static str, bytes: &[u8]) -> Self {
        let bytes = bytes.to_vec();
        let is_text = true;
        Self {
            name,
            bytes,
            is_text,
        }
    }

    fn value(name: &'static str, bytes: &[u8]) -> Self {
        let is_text = false;
        Self {
            is_text,
            ..Self::text(name, bytes)
        }
    }

    /// As it stands in a file of lines or words: without quotes.
    #[must_use]
    pub fn plain(&self) -> &[u8] {
        &self.bytes
    }

    /// As a value of JSON or YAML.
    #[must_use]
    pub fn json(&self) -> Vec<u8> {
        let quote: &[u8] = if self.is_text { b"\"" } else { b"" };
        [quote, &self.bytes, quote].concat()
    }
}

/// One of each kind: too long, too many, of the wrong type, missing, negative, above 2^63, not
/// UTF-8, deep.
///
/// ```
/// let poisons = evictd_testkit::poisons();
/// let negative = poisons.iter().find(|one| one.name == "negative").unwrap();
/// assert_eq!(negative.plain(), b"-1");
/// ```
#[must_use]
pub fn poisons() -> Vec<Poison> {
    let long = "x".repeat(5000);
    let digits = "9".repeat(400);
    let array = format!("[{}7]", "\"x\",".repeat(1100));
    let pairs: String = (0..1100).map(|at| format!("\"x{at}\":\"y\",")).collect();
    let object = format!("{{{pairs}\"x\":\"y\"}}");
    let deep = "[".repeat(1000) + &"]".repeat(1000);
    vec![
        Poison::text("empty", b""),
        Poison::text("a word", b"odd"),
        Poison::text("a digit in quotes", b"7"),
        Poison::text("too long", long.as_bytes()),
        Poison::text("control characters", b"\x1b[2J\x07"),
        Poison::text("a NUL", b"a\0b"),
        Poison::text("not UTF-8", b"a\xff\xfe"),
        Poison::text("half a character", b"\\ud83d"),
        Poison::value("null", b"null"),
        Poison::value("a truth", b"true"),
        Poison::value("a number", b"7"),
        Poison::value("negative", b"-1"),
        Poison::value("a fraction", b"1.5"),
        Poison::value("above 2^63", b"9223372036854775808"),
        Poison::value("above 2^64", b"18446744073709551616"),
        Poison::value("very large", digits.as_bytes()),
        Poison::value("beyond a float", b"1e999"),
        Poison::value("a list", b"[]"),
        Poison::value("an object", b"{}"),
        Poison::value("a long list", array.as_bytes()),
        Poison::value("a large object", object.as_bytes()),
        Poison::value("deep", deep.as_bytes()),
    ]
}
