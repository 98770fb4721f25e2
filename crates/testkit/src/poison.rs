//! Absurd things in the place of right ones. A reader keeps its promise where one item of a
//! hundred is replaced by any of these and the others are what they were.

/// What stands in an item's place.
#[derive(Clone, Debug)]
pub struct Poison {
    /// What it is, for a failed assertion.
    pub name: &'static str,
    /// Its bytes, which need not be a text.
    pub text: Vec<u8>,
}

/// More than any reader takes for one item.
const LONG: usize = 600 << 10;
const MANY: usize = 5000;
const DEEP: usize = 2000;

/// Ends a line early, erases a screen and turns the direction of writing, if it is shown as
/// it is: JSON's spelling of it.
const UGLY: &str = r"\u0000\n\r\u001b[2J\u202e\u0085\ufffd\\";

fn all(texts: Vec<(&'static str, String)>) -> Vec<Poison> {
    let poison = |(name, text): (_, String)| Poison {
        name,
        text: text.into_bytes(),
    };
    texts.into_iter().map(poison).collect()
}

/// In the place of a JSON value: where it ends can be told.
#[must_use]
pub fn json_values() -> Vec<Poison> {
    let mut poisons = all(vec![
        ("null", "null".into()),
        ("a flag", "true".into()),
        ("a negative number", "-1".into()),
        ("2^63", "9223372036854775808".into()),
        ("above 2^64", "18446744073709551616".into()),
        ("a fraction", "0.5".into()),
        ("beyond any number", "1e400".into()),
        ("an empty text", "\"\"".into()),
        ("a long text", format!("\"{}\"", "x".repeat(LONG))),
        ("control characters", format!("\"{UGLY}\"")),
        ("half of a character", "\"\\ud800\"".into()),
        ("an empty list", "[]".into()),
        ("a list of many", format!("[{}0]", "0,".repeat(MANY))),
        ("an empty object", "{}".into()),
        ("a key twice", "{\"name\":\"a\",\"name\":7}".into()),
        (
            "deep nesting",
            format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP)),
        ),
        (
            "deep objects",
            format!("{}0{}", "{\"a\":".repeat(DEEP), "}".repeat(DEEP)),
        ),
    ]);
    poisons.push(Poison {
        name: "no UTF-8",
        text: b"\"a\xff\xfe\xc0\"".to_vec(),
    });
    poisons
}

/// In the place of the value in a line `key value`, or of one of a line's words.
#[must_use]
pub fn words() -> Vec<Poison> {
    let mut poisons = all(vec![
        ("nothing", String::new()),
        ("a blank", " ".into()),
        ("a word", "max".into()),
        ("another word", "nonsense".into()),
        ("a negative number", "-1".into()),
        ("2^63", "9223372036854775808".into()),
        ("2^64 less one", "18446744073709551615".into()),
        ("above 2^64", "18446744073709551616".into()),
        ("a fraction", "0.5".into()),
        ("digits", "9".repeat(LONG)),
        ("many words", "7 ".repeat(MANY)),
        ("control characters", "\u{0}\r\u{1b}[2J\u{202e}\\".into()),
    ]);
    poisons.push(Poison {
        name: "no UTF-8",
        text: b"\xff\xfe\xc0".to_vec(),
    });
    poisons
}

/// In the place of a whole line, its end not included. Each JSON value and each word is one.
#[must_use]
pub fn lines() -> Vec<Poison> {
    let mut poisons = words();
    poisons.extend(json_values());
    poisons.extend(all(vec![
        ("many lines", "\n".repeat(MANY)),
        ("an open object", "{\"name\":".into()),
        ("an open text", "{\"name\":\"a".into()),
        ("closing brackets", "}]}".into()),
    ]));
    poisons
}

/// In the place of a YAML value in one line. Those that end the document are not among them.
#[must_use]
pub fn yaml_values() -> Vec<Poison> {
    let of_json = json_values().into_iter();
    // A parser of YAML goes no further behind bytes that are no text.
    let mut poisons: Vec<Poison> = of_json.filter(|poison| poison.name != "no UTF-8").collect();
    poisons.extend(all(vec![
        ("an octal number", "0o777".into()),
        ("infinity", ".inf".into()),
        ("a date", "2001-01-01".into()),
        ("yes", "yes".into()),
        ("a foreign tag", "!ruby/object:Gem {}".into()),
    ]));
    poisons
}

/// Items with something between them: a hundred elements, members or lines.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    /// What stands before them.
    pub before: &'a str,
    /// They themselves.
    pub items: &'a [String],
    /// What stands between them.
    pub between: &'a str,
    /// What stands behind them.
    pub after: &'a str,
}

impl Items<'_> {
    /// The text with its items as they are.
    #[must_use]
    pub fn whole(&self) -> Vec<u8> {
        self.with(usize::MAX, b"")
    }

    /// The text with something else in the place of the item `at`.
    #[must_use]
    pub fn with(&self, at: usize, text: &[u8]) -> Vec<u8> {
        let item = |(index, item): (usize, &String)| match index == at {
            true => text.to_vec(),
            false => item.clone().into_bytes(),
        };
        let items: Vec<Vec<u8>> = self.items.iter().enumerate().map(item).collect();
        let items = items.join(self.between.as_bytes());
        [self.before.as_bytes(), &items, self.after.as_bytes()].concat()
    }

    /// Hands each text to `check` in which the first, the middle or the last item is one of
    /// the poisons or is there twice, with the item's index and a name for what was done.
    pub fn each_poisoned(&self, poisons: &[Poison], mut check: impl FnMut(&[u8], usize, &str)) {
        let last = self.items.len().saturating_sub(1);
        for at in [0, last / 2, last] {
            for Poison { name, text } in poisons {
                check(&self.with(at, text), at, &format!("{name} as item {at}"));
            }
            let item = self.items.get(at).map_or("", String::as_str);
            let twice = [item, item].join(self.between);
            check(
                &self.with(at, twice.as_bytes()),
                at,
                &format!("item {at} twice"),
            );
        }
    }
}
