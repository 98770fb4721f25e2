use core::fmt;
use std::path::PathBuf;

use evictd_quantity::GoDuration;

use crate::file::Facts;
use crate::values::{self, Parsed};
use crate::{ConfigError, Origin, Setting, Typed, Warning};

/// Takes values off their texts and keeps what was settled, and from where.
///
/// What is wrong is kept too, the first of it, and what holds without the flag
/// stands in: so that one place returns the error, not each that takes a value.
pub(crate) struct Book<'a> {
    typed: &'a Typed,
    pub(crate) settings: Vec<Setting>,
    pub(crate) warnings: Vec<Warning>,
    error: Option<ConfigError>,
}

/// What holds without the flag, and why.
pub(crate) type Otherwise<T> = (T, Origin);

impl<'a> Book<'a> {
    pub(crate) fn new(typed: &'a Typed) -> Self {
        let unknown = typed.unknown_arguments.iter().cloned();
        Self {
            typed,
            settings: Vec::new(),
            warnings: unknown
                .map(|name| {
                    let problem = "is passed over: evictd has no such flag";
                    Warning(format!("kubeletArguments: {name:?} {problem}"))
                })
                .collect(),
            error: None,
        }
    }

    /// Everything that was kept, unless something was wrong.
    pub(crate) fn close(self) -> Parsed<(Vec<Setting>, Vec<Warning>)> {
        match self.error {
            Some(error) => Err(error),
            None => Ok((self.settings, self.warnings)),
        }
    }

    pub(crate) fn texts(&self, flag: &str) -> &'a [String] {
        self.typed.get(flag)
    }

    /// The last text of the flag: the one that counts.
    pub(crate) fn last(&self, flag: &str) -> Option<&'a str> {
        self.texts(flag).last().map(String::as_str)
    }

    /// The last text of the flag, where an empty one is as good as none.
    pub(crate) fn last_named(&self, flag: &str) -> Option<&'a str> {
        self.last(flag).filter(|text| !text.is_empty())
    }

    pub(crate) fn note(&mut self, name: &'static str, value: &dyn fmt::Display, origin: Origin) {
        self.settings.push(Setting {
            name,
            value: value.to_string(),
            origin,
        });
    }

    /// What was read, or else the stand-in; the first error is kept.
    pub(crate) fn settle<T>(&mut self, parsed: Parsed<T>, stand_in: T) -> T {
        match parsed {
            Ok(value) => value,
            Err(error) => {
                self.error.get_or_insert(error);
                stand_in
            }
        }
    }

    /// The value of a scalar flag: of the last text given.
    fn take<T: fmt::Display + Copy>(
        &mut self,
        flag: &'static str,
        otherwise: Otherwise<T>,
        parse: impl Fn(&str) -> Parsed<T>,
    ) -> T {
        let (value, origin) = match self.last(flag) {
            Some(text) => (self.settle(parse(text), otherwise.0), self.origin(flag)),
            None => otherwise,
        };
        self.note(flag, &value, origin);
        value
    }

    pub(crate) fn boolean(&mut self, flag: &'static str, otherwise: Otherwise<bool>) -> bool {
        self.take(flag, otherwise, |text| values::parse_boolean(flag, text))
    }

    /// A boolean that is off unless its flag turns it on.
    pub(crate) fn switch(&mut self, flag: &'static str) -> bool {
        self.boolean(flag, (false, Origin::Default))
    }

    pub(crate) fn integer(
        &mut self,
        flag: &'static str,
        otherwise: Otherwise<i64>,
        (least, most): (i64, i64),
    ) -> i64 {
        self.take(flag, otherwise, |text| {
            values::integer(flag, text, least..=most)
        })
    }

    pub(crate) fn duration(
        &mut self,
        flag: &'static str,
        otherwise: Otherwise<GoDuration>,
        least: GoDuration,
    ) -> GoDuration {
        self.take(flag, otherwise, |text| values::duration(flag, text, least))
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy + PartialEq>(
        &mut self,
        flag: &'static str,
        (otherwise, mut origin): Otherwise<T>,
        words: &[(&'static str, T)],
    ) -> T {
        let mut value = otherwise;
        if let Some(text) = self.last(flag) {
            value = self.settle(values::choice(flag, text, words), otherwise);
            origin = self.origin(flag);
        }
        let word = words.iter().find(|(_, of)| *of == value);
        self.note(flag, &word.map_or("", |(word, _)| word), origin);
        value
    }

    /// A path; an empty text means none, as for the kubelet's path flags.
    pub(crate) fn path(&mut self, flag: &'static str) -> Option<PathBuf> {
        let text = self.last_named(flag);
        let origin = self.origin(flag);
        self.note(flag, &text.unwrap_or_default(), origin);
        text.map(PathBuf::from)
    }

    /// The flag or the field, if one was given.
    pub(crate) fn origin(&self, flag: &str) -> Origin {
        self.typed.origin(flag)
    }

    /// What the file says for which there is no flag.
    pub(crate) const fn facts(&self) -> Facts {
        self.typed.facts
    }
}
