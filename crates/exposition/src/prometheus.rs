//! The text format of Prometheus, as far as it is written here.

use core::fmt::{self, Display, Write};

/// Nanoseconds as seconds, exactly.
pub(crate) struct Seconds(pub(crate) u64);

impl Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, nanos) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        write!(f, "{seconds}.{nanos:09}")
    }
}

/// What stands before the samples of a metric.
pub(crate) fn write_head(page: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(page, "# HELP {name} {help}\n# TYPE {name} {kind}")
}

/// A text as the value of a label.
pub(crate) fn label(text: &str) -> String {
    let mut label = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | '"' => label.extend(['\\', letter]),
            letter if letter.is_control() => {
                label.extend(letter.escape_unicode().filter(|c| *c != '\\'))
            }
            letter => label.push(letter),
        }
    }
    label
}
