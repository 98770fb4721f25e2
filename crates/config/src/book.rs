use core::fmt;
use std::path::PathBuf;

use crate::values::{self, Parsed};
use crate::{ConfigError, Flag, Origin, Setting, Typed, Warning};

/// Reads the values of flags, and keeps what each came to, and from where.
pub(crate) struct Book<'a> {
    pub(crate) typed: &'a Typed,
    pub(crate) settings: Vec<Setting>,
    pub(crate) warnings: Vec<Warning>,
}

/// The text that counts for a flag, and where it came from.
pub(crate) type Given<'a> = (&'a str, Origin);

impl<'a> Book<'a> {
    pub(crate) fn new(typed: &'a Typed) -> Self {
        let unknown = typed.unknown_arguments.iter().map(|name| {
            let problem = "is passed over: evictd has no such flag";
            Warning(format!("kubeletArguments: {name:?} {problem}"))
        });
        let passed_over = Warning::passed_over(&typed.passed_over);
        let reservation = Warning::tiered_reservation(typed);
        let fields = Warning::unknown_fields(&typed.unknown_fields);
        let all = passed_over
            .into_iter()
            .chain(reservation)
            .chain(fields)
            .chain(unknown);
        let all = all.chain(Warning::accepted(typed));
        Self {
            typed,
            settings: Vec::new(),
            warnings: all.collect(),
        }
    }

    pub(crate) fn texts(&self, flag: &str) -> &'a [String] {
        self.typed.get(flag)
    }

    /// The last text of the flag: the one that counts.
    pub(crate) fn last(&self, flag: &str) -> Option<&'a str> {
        self.texts(flag).last().map(String::as_str)
    }

    /// The text that counts: the last one given, or else what the help says holds without
    /// the flag.
    pub(crate) fn text(&self, flag: &'static str) -> Given<'a> {
        match self.last(flag) {
            Some(text) => (text, self.typed.origin(flag)),
            None => {
                let default = Flag::find(flag).map_or("", |flag| flag.default);
                (default, Origin::Default)
            }
        }
    }

    pub(crate) fn note(&mut self, name: &'static str, value: &dyn fmt::Display, origin: Origin) {
        self.settings.push(Setting {
            name,
            value: value.to_string(),
            origin,
        });
    }

    /// An error about the text of a flag that has one value.
    pub(crate) fn error(
        &self,
        flag: &'static str,
        message: String,
        hint: impl Into<String>,
    ) -> Box<ConfigError> {
        let text = self.last(flag).unwrap_or_default();
        ConfigError::new(flag, (text, 0), message, hint)
    }

    fn read<T: fmt::Display>(
        &mut self,
        flag: &'static str,
        (text, origin): Given<'_>,
        parse: impl Fn(&'static str, &str) -> Parsed<T>,
    ) -> Parsed<T> {
        let value = parse(flag, text)?;
        self.note(flag, &value, origin);
        Ok(value)
    }

    /// The value of a flag that has one.
    pub(crate) fn value<T: fmt::Display>(
        &mut self,
        flag: &'static str,
        parse: impl Fn(&'static str, &str) -> Parsed<T>,
    ) -> Parsed<T> {
        self.read(flag, self.text(flag), parse)
    }

    /// Reads a flag that has another value than its default where it is not given.
    pub(crate) fn value_or<T: fmt::Display>(
        &mut self,
        flag: &'static str,
        otherwise: Given<'_>,
        parse: impl Fn(&'static str, &str) -> Parsed<T>,
    ) -> Parsed<T> {
        match self.last(flag) {
            Some(_) => self.value(flag, parse),
            None => self.read(flag, otherwise, parse),
        }
    }

    /// The value of a flag that has an old name too, which its new one beats.
    pub(crate) fn renamed<T: fmt::Display>(
        &mut self,
        new: &'static str,
        old: &'static str,
        parse: impl Fn(&'static str, &str) -> Parsed<T>,
    ) -> Parsed<T> {
        let Some(text) = self.last(old) else {
            return self.value(new, parse);
        };
        parse(old, text)?;
        self.value_or(new, (text, self.typed.origin(old)), parse)
    }

    pub(crate) fn boolean(&mut self, flag: &'static str) -> Parsed<bool> {
        self.value(flag, values::parse_boolean)
    }

    pub(crate) fn integer(&mut self, flag: &'static str, range: (i64, i64)) -> Parsed<i64> {
        self.value(flag, |flag, text| values::integer(flag, text, range))
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy>(
        &mut self,
        flag: &'static str,
        words: &[(&'static str, T)],
    ) -> Parsed<T> {
        let (text, origin) = self.text(flag);
        let value = values::choice(flag, text, words)?;
        self.note(flag, &text, origin);
        Ok(value)
    }

    /// A path; an empty text means none, as for the kubelet's path flags.
    pub(crate) fn path(&mut self, flag: &'static str) -> Option<PathBuf> {
        let (text, origin) = self.text(flag);
        self.note(flag, &text, origin);
        (!text.is_empty()).then(|| PathBuf::from(text))
    }
}
