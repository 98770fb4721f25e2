use core::fmt::Write;

use crate::{ConfigError, Place};

/// A configuration file, as far as errors tell of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// What it is called.
    pub(crate) name: String,
    pub(crate) text: String,
    /// Within which key the settings stand, empty for none.
    pub(crate) within: &'static str,
}

impl Source {
    pub(crate) fn new(name: &str, bytes: &[u8]) -> Self {
        Self {
            name: name.to_owned(),
            text: String::from_utf8_lossy(bytes).into_owned(),
            within: "",
        }
    }

    /// An error about a value of the file.
    pub(crate) fn error(
        &self,
        path: &[&str],
        offending: &str,
        message: String,
        hint: impl Into<String>,
    ) -> Box<ConfigError> {
        let error = ConfigError::new("config", (offending, 0), message, hint);
        self.place(path, error)
    }

    /// The error about a flag's text, as one about the field that stands for the
    /// flag, in the last of the files that has it. The texts of a mapping's
    /// entries have key and value in one.
    pub(crate) fn locate(
        sources: &[Self],
        field: &'static str,
        error: Box<ConfigError>,
    ) -> Box<ConfigError> {
        let mut path: Vec<&str> = field.split('.').collect();
        let offending = error.offending.clone();
        let is_okd = sources.iter().any(|source| !source.within.is_empty());
        if let Some((key, _)) = offending.split_once(['<', '=']).filter(|_| !is_okd) {
            path.push(key);
        }
        let has = |source: &&Self| source.line(&path).is_some();
        match sources.iter().rfind(has).or(sources.first()) {
            Some(source) => source.place(&path, error),
            None => error,
        }
    }

    fn line(&self, path: &[&str]) -> Option<usize> {
        let within = [self.within].into_iter().filter(|key| !key.is_empty());
        let whole: Vec<&str> = within.chain(path.iter().copied()).collect();
        line_of(&self.text, &whole)
    }

    fn place(&self, path: &[&str], mut error: Box<ConfigError>) -> Box<ConfigError> {
        let line = self.line(path);
        let mut shown = self.within.to_owned();
        for key in path {
            if shown.is_empty() {
                shown.push_str(key);
            } else {
                let _ = write!(shown, "[{key}]");
            }
        }
        error.place = Some(Place {
            file: self.name.clone(),
            line,
            field: shown,
        });
        error
    }
}

/// The line, from 1, in which the entry of a mapping stands that the keys lead
/// to; `None` where that is not sure.
///
/// Neither the YAML nor the JSON reader keeps places. Files are written one key
/// on a line, though, and the first key at its very beginning.
fn line_of(text: &str, path: &[&str]) -> Option<usize> {
    let (first, rest) = path.split_first()?;
    let mut lines = text.lines().enumerate();
    let outermost = |line: &str| line.trim_start_matches(['"', '\'']).starts_with(first);
    let has_first = |line: &&(usize, &str)| has_key(line.1, first);
    let found: Vec<(usize, &str)> = lines
        .clone()
        .filter(|line| has_first(&line) && outermost(line.1))
        .collect();
    let found = match found.as_slice() {
        [] => lines.clone().filter(|line| has_first(&line)).collect(),
        _ => found,
    };
    let [(mut at, _)] = *found.as_slice() else {
        return None;
    };
    for key in rest {
        at = lines
            .find(|(line, text)| *line >= at && has_key(text, key))?
            .0;
        lines = text.lines().enumerate();
    }
    at.checked_add(1)
}

/// Whether the line has that key of a mapping, quoted or not.
fn has_key(line: &str, key: &str) -> bool {
    if line.trim_start().starts_with('#') {
        return false;
    }
    line.match_indices(key).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let begins = before.is_none_or(|c| matches!(c, ' ' | '\t' | '"' | '\'' | '{' | ','));
        let after = line.get(at.saturating_add(key.len())..).unwrap_or_default();
        let after = after.trim_start_matches(['"', '\'']).trim_start();
        begins && after.starts_with(':')
    })
}
