use crate::{ConfigError, Place};

/// Where the flags of the file stand in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    file: String,
    /// Each flag that counts, and its line.
    flags: Vec<(&'static str, usize)>,
}

impl Lines {
    /// Of the file with that name, in which none has been found yet.
    pub(crate) fn of(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            flags: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, flag: &'static str, line: usize) {
        self.flags.push((flag, line));
    }

    /// The error, as one about that line of the file, or about the file as a whole.
    pub(crate) fn place(
        &self,
        line: Option<usize>,
        field: &str,
        mut error: Box<ConfigError>,
    ) -> Box<ConfigError> {
        error.place = Some(Place {
            file: self.file.clone(),
            line,
            field: field.to_owned(),
        });
        error
    }

    /// An error about the texts of a flag of the file, as one about the line with the text
    /// that is wrong.
    pub(crate) fn locate(&self, texts: &[String], error: Box<ConfigError>) -> Box<ConfigError> {
        let of_flag = self.flags.iter().filter(|(flag, _)| *flag == error.flag);
        let lines: Vec<(&String, usize)> = texts.iter().zip(of_flag.map(|(_, at)| *at)).collect();
        let is_wrong = |(text, _): &&(&String, usize)| text.contains(&error.offending);
        let found = lines.iter().rfind(is_wrong).or(lines.last());
        let field = format!("--{}", error.flag);
        match found {
            Some((_, line)) => self.place(Some(*line), &field, error),
            None => error,
        }
    }
}
