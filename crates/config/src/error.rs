use core::fmt;

/// One thing that is wrong with the settings. It prints as one line: the flag, or
/// file, line and field, what is wrong (in the kubelet's words where it has
/// some), the offending text with its position in a flag, and what would be
/// right. It is boxed wherever it is returned, as every result has room for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigError {
    /// The flag, without dashes; for a text of a file the flag that would say the
    /// same, or `config`.
    pub flag: &'static str,
    /// The part of the flag's text that is wrong.
    pub offending: String,
    /// The byte of the flag's text from which on it is wrong. The texts of a
    /// repeated list flag count as one, joined by commas.
    pub position: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub hint: String,
    /// Where it stands, if in a file.
    pub place: Option<Place>,
    /// What is wrong in the kubelet's words, where these are about its own code.
    pub(crate) kubelet: Option<String>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// What the file is called.
    pub file: String,
    /// The line, from 1, if it is known.
    pub line: Option<usize>,
    /// The field; empty for the file as a whole.
    pub field: String,
}

impl ConfigError {
    pub(crate) fn new(
        flag: &'static str,
        (offending, position): (&str, usize),
        message: String,
        hint: impl Into<String>,
    ) -> Box<Self> {
        Box::new(Self {
            flag,
            offending: offending.to_owned(),
            position,
            message,
            hint: hint.into(),
            place: None,
            kubelet: None,
        })
    }

    /// With the kubelet's words for it, where nobody but a programmer understands them.
    pub(crate) fn kubelet_says(mut self: Box<Self>, words: String) -> Box<Self> {
        self.kubelet = Some(words);
        self
    }

    /// With the kubelet's words if that is whose behaviour is asked for.
    pub(crate) fn worded_for(mut self: Box<Self>, kubelet: bool) -> Box<Self> {
        if let Some(words) = self.kubelet.take().filter(|_| kubelet) {
            self.message = words;
        }
        self
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (flag, offending, position) = (self.flag, &self.offending, self.position);
        let message = one_line(&self.message);
        match &self.place {
            None => write!(
                f,
                "--{flag}: {message}, in {} at byte {position}",
                quoted(offending)
            )?,
            Some(place) if offending.is_empty() => write!(f, "{place}{message}")?,
            Some(place) => write!(f, "{place}{message}, in {}", quoted(offending))?,
        }
        write!(f, "; {}", one_line(&self.hint))
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

/// The longest part of a message, in letters.
const LONGEST: usize = 500;

/// A text that was typed may hold line ends, and be of any length; a message is one line.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut letters = text.chars();
    for c in letters.by_ref().take(LONGEST) {
        match c {
            ' '..='~' => line.push(c),
            c => line.extend(c.escape_debug()),
        }
    }
    if letters.next().is_some() {
        line.push('…');
    }
    line
}

/// The beginning of a text, in quotes.
fn quoted(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

impl core::error::Error for ConfigError {}
