//! Splits a command line as the kubelet's flag library (pflag) does, into flags
//! with one value each, which argh takes.

use std::ffi::OsString;

use evictd_config::{Flag, Takes};

use super::ArgsError;
use super::command::Description;

/// A flag and its value.
pub(crate) type Given = (&'static str, String);

/// A command line, taken apart.
#[derive(Default)]
pub(crate) struct Line {
    /// The flags that every command takes.
    pub(crate) flags: Vec<Given>,
    /// The command, with the flags that are its own.
    pub(crate) command: Option<&'static Description>,
    pub(crate) own: Vec<Given>,
    /// The first words of a command that has several.
    begun: Option<String>,
    pub(crate) help: bool,
    pub(crate) version: bool,
}

pub(crate) fn split(argv: &[OsString]) -> Result<Line, ArgsError> {
    let mut words = Vec::new();
    for (place, argument) in argv.iter().enumerate() {
        let text = argument.to_str();
        words.push(text.ok_or(ArgsError::NotUnicode(place.saturating_add(1)))?);
    }
    let mut line = Line::default();
    let mut words = words.into_iter();
    let mut only_words = false;
    while let Some(word) = words.next() {
        if only_words {
            line.word(word)?;
        } else if word == "--" {
            only_words = true;
        } else if let Some(flag) = word.strip_prefix("--") {
            line.long(flag, &mut words)?;
        } else if word.len() > 1 && word.starts_with('-') {
            line.short(word, &mut words)?;
        } else {
            line.word(word)?;
        }
    }
    if let Some(begun) = line.begun.take() {
        return Err(ArgsError::UnknownCommand(begun));
    }
    line.check_own()?;
    Ok(line)
}

impl Line {
    /// A word that is no flag: the command, or what `help` is asked about.
    fn word(&mut self, word: &str) -> Result<(), ArgsError> {
        if self.command.is_some() {
            return Err(ArgsError::Unexpected(word.to_owned()));
        }
        match word {
            "help" if !self.help => self.help = true,
            "version" if !self.version => self.version = true,
            _ => {
                let words = match self.begun.take() {
                    Some(begun) => format!("{begun} {word}"),
                    None => word.to_owned(),
                };
                self.command = Description::find(&words);
                if self.command.is_none() && Description::is_begun_by(&words) {
                    self.begun = Some(words);
                } else if self.command.is_none() {
                    return Err(ArgsError::UnknownCommand(words));
                }
            }
        }
        Ok(())
    }

    /// `--name`, `--name=value`, or `--name` with the value in the next word.
    fn long<'a>(
        &mut self,
        text: &str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<(), ArgsError> {
        let (typed, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let name = typed.replace('_', "-");
        match name.as_str() {
            "help" => self.help |= is_on(value),
            "version" => self.version |= is_on(value),
            name => {
                if let Some(flag) = Flag::find(name) {
                    let value = value_of(flag.name, flag.takes, flag.example, value, rest)?;
                    self.flags.push((flag.name, value));
                } else if let Some(flag) = Description::any_flag(name) {
                    let example = flag.example();
                    let value = value_of(flag.name, flag.takes, example, value, rest)?;
                    self.own.push((flag.name, value));
                } else {
                    return Err(ArgsError::UnknownFlag(typed.to_owned()));
                }
            }
        }
        Ok(())
    }

    /// `-h`, `-v4`, `-v=4` or `-v 4`.
    fn short<'a>(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<(), ArgsError> {
        if word == "-h" {
            self.help = true;
            return Ok(());
        }
        let level = word.strip_prefix("-v");
        // What is no level is a long flag with one dash, as Go's own library
        // takes it but not the kubelet's.
        let level = level.filter(|text| !text.starts_with(|c: char| c.is_ascii_alphabetic()));
        let unknown = || ArgsError::UnknownShorthand(word.to_owned());
        let level = level.ok_or_else(unknown)?;
        let level = level.strip_prefix('=').unwrap_or(level);
        let given = if word == "-v" { None } else { Some(level) };
        let value = value_of("v", Takes::Value("LEVEL"), "2", given, rest)?;
        self.flags.push(("v", value));
        Ok(())
    }

    /// Whether the command has each of the flags that not every command has.
    fn check_own(&self) -> Result<(), ArgsError> {
        if self.help || self.version {
            return Ok(());
        }
        for (flag, _) in &self.own {
            match self.command {
                None => return Err(ArgsError::ForeignFlag { flag, command: "" }),
                Some(command) if command.flag(flag).is_none() => return Err(command.foreign(flag)),
                Some(_) => {}
            }
        }
        Ok(())
    }
}

fn value_of<'a>(
    flag: &'static str,
    takes: Takes,
    example: &'static str,
    given: Option<&str>,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<String, ArgsError> {
    let value = match (given, takes) {
        (Some(value), _) => Some(value),
        (None, Takes::Bool) => Some("true"),
        (None, Takes::Value(_) | Takes::List(_)) => rest.next(),
    };
    let missing = ArgsError::NeedsValue { flag, example };
    value.map(str::to_owned).ok_or(missing)
}

/// `--help=false` is no call for help; everything else is.
fn is_on(value: Option<&str>) -> bool {
    value.is_none_or(|text| evictd_config::parse_boolean("help", text).unwrap_or(true))
}
