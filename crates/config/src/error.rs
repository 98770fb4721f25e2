use core::fmt;

/// One thing that is wrong with the settings. It prints as one line: the flag, or
/// file, line and field, what is wrong (in the kubelet's words where it has
/// some), the offending text with its position in a flag, and what would be
/// right.
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
    place: Option<Place>,
}

/// Where it stands, if in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    file: String,
    line: Option<usize>,
    field: String,
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
            place: None,
        }))
    }

    /// The same, as one of a file. Without a line where it is not known.
    pub(crate) fn within(mut self, file: String, line: Option<usize>, field: String) -> Self {
        self.0.place = Some(Place { file, line, field });
        self
    }

    /// The flag, without dashes; for a text of a file the flag that would say the
    /// same, or `config`.
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

    /// The file, and its line from 1 if that is known.
    #[must_use]
    pub fn file(&self) -> Option<(&str, Option<usize>)> {
        let place = self.0.place.as_ref();
        place.map(|place| (place.file.as_str(), place.line))
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
        let offending = self.offending();
        match &self.0.place {
            None => {
                let (flag, position) = (self.flag(), self.position());
                let message = one_line(self.message());
                write!(
                    f,
                    "--{flag}: {message}, in {offending:?} at byte {position}; "
                )?;
            }
            Some(place) => {
                write!(f, "{place}{}", one_line(self.message()))?;
                if !offending.is_empty() {
                    write!(f, ", in {offending:?}")?;
                }
                f.write_str("; ")?;
            }
        }
        f.write_str(&one_line(self.hint()))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", one_line(&self.file))?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", one_line(&self.field))?;
        }
        Ok(())
    }
}

/// A text that was typed may hold line ends; a message is one line.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

impl core::error::Error for ConfigError {}
