use core::fmt::{self, Write};

/// One thing that is wrong with the settings. It prints as one line: flag,
/// what is wrong (in the kubelet's words where it has some), the offending text
/// with its position, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(Box<Parts>);

/// On the heap: every flag's result has room for an error, and few have one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    flag: &'static str,
    offending: String,
    position: usize,
    message: String,
    hint: String,
}

impl ConfigError {
    pub(crate) fn new(
        flag: &'static str,
        (offending, position): (&str, usize),
        message: String,
        hint: impl Into<String>,
    ) -> Self {
        Self(Box::new(Parts {
            flag,
            offending: offending.to_owned(),
            position,
            message,
            hint: hint.into(),
        }))
    }

    /// The flag, without dashes.
    #[must_use]
    pub fn flag(&self) -> &'static str {
        self.0.flag
    }

    /// The part of the flag's text that is wrong.
    #[must_use]
    pub fn offending(&self) -> &str {
        &self.0.offending
    }

    /// The byte of the flag's text from which on it is wrong. The texts of a
    /// repeated list flag count as one, joined by commas.
    #[must_use]
    pub fn position(&self) -> usize {
        self.0.position
    }

    /// What is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What would be right.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.0.hint
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (flag, position) = (self.flag(), self.position());
        write!(f, "--{flag}: ")?;
        write_one_line(f, self.message())?;
        write!(f, ", in {:?} at byte {position}; ", self.offending())?;
        write_one_line(f, self.hint())
    }
}

/// Whoever typed the text may have put line ends into it; a message is one line.
fn write_one_line(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for c in text.chars() {
        if c.is_control() {
            write!(f, "{}", c.escape_default())?;
        } else {
            f.write_char(c)?;
        }
    }
    Ok(())
}

impl core::error::Error for ConfigError {}
