//! Splits a command line as the kubelet's flag library (pflag) does: the daemon's flags,
//! those of single commands, and words.

mod commands;
mod error;

use std::ffi::OsString;

use crate::{Flag, Takes, Typed, foreign_flag, parse_boolean, removed_flag};

pub use commands::Commands;
pub use error::{bare_boolean, one_line, unknown_command};
use error::{unknown_flag, unknown_shorthand};

/// A command line, taken apart.
#[derive(Default)]
pub struct CommandLine {
    /// The flags that every command takes.
    pub typed: Typed,
    /// What is no flag: the command.
    pub words: Vec<String>,
    /// The flags of single commands, each once: the last one given counts.
    own: Vec<(&'static str, Option<String>)>,
    /// Help is asked for.
    pub help: bool,
    /// The version is asked for.
    pub version: bool,
    /// By something else than `-h`.
    is_long: bool,
}

/// What is left of the command line.
type Rest<'a> = alloc::vec::IntoIter<&'a str>;

/// Takes a command line apart, without the program's name.
///
/// # Errors
/// Whatever is wrong with its form. The values of the daemon's flags are not looked at. The
/// error is one line.
pub fn split(argv: &[OsString], commands: &Commands) -> Result<CommandLine, String> {
    let mut words = Vec::new();
    for (place, argument) in (1..).zip(argv) {
        let word = argument.to_str();
        words.push(word.ok_or_else(|| format!("argument {place} is not UTF-8"))?);
    }
    let mut line = CommandLine::default();
    let mut words = words.into_iter();
    let mut only_words = false;
    while let Some(word) = words.next() {
        if !only_words && word == "--" {
            only_words = true;
        } else if only_words || word == "-" || !word.starts_with('-') {
            line.word(word, commands)?;
        } else if let Some(flag) = word.strip_prefix("--") {
            line.long(flag, &mut words, commands)?;
        } else {
            line.short(word, &mut words)?;
        }
    }
    Ok(line)
}

impl CommandLine {
    /// Help is asked for by `-h` alone.
    #[must_use]
    pub const fn is_brief(&self) -> bool {
        !self.is_long
    }

    /// The flags of single commands, and their values; a switch that is on has none.
    pub fn own(&self) -> impl Iterator<Item = (&'static str, Option<&str>)> {
        let own = self.own.iter();
        own.map(|(name, value)| (*name, value.as_deref()))
    }

    /// A word that is no flag: the command, or what `help` is wanted for.
    fn word(&mut self, word: &str, commands: &Commands) -> Result<(), String> {
        if self.words.is_empty()
            && let Some(now) = (commands.removed)(word)
        {
            return Err(now);
        }
        match word {
            "help" => (self.help, self.is_long) = (true, true),
            "version" if self.words.is_empty() => self.version = true,
            // A parser behind this one would take it for a flag.
            _ if word.starts_with('-') => {
                return Err(unknown_command(word, &commands.names));
            }
            _ => self.words.push(word.to_owned()),
        }
        Ok(())
    }

    /// `--name`, `--name=value`, or `--name` with the value in the next word.
    fn long(&mut self, text: &str, rest: &mut Rest<'_>, commands: &Commands) -> Result<(), String> {
        let (typed, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let name = typed.replace('_', "-");
        if name == "help" {
            let is_on = is_on(value);
            self.help |= is_on;
            self.is_long |= is_on;
        } else if name == "version" {
            self.version |= is_on(value);
        } else if let Some(flag) = Flag::find(&name) {
            let value = value_of((flag.name, flag.takes), flag.example, value, rest)?;
            let is_known = self.typed.add(flag.name, value);
            debug_assert!(is_known, "{}", flag.name);
        } else if let Some((flag, takes)) = foreign_flag(&name) {
            let value = value_of((flag, takes), "..", value, rest)?;
            self.typed.add_foreign(flag, &value);
        } else if let Some(instead) = removed_flag(&name) {
            return Err(format!("--{name} was removed; {instead}"));
        } else {
            let found = commands.flags.iter().find(|(own, _)| *own == name);
            let flag = found.ok_or_else(|| unknown_flag(typed, &commands.flags))?;
            self.give_own(*flag, value, rest)?;
        }
        Ok(())
    }

    /// A flag of single commands, of which switches have no value.
    fn give_own(
        &mut self,
        (name, takes): (&'static str, Takes),
        value: Option<&str>,
        rest: &mut Rest<'_>,
    ) -> Result<(), String> {
        let example = match takes {
            Takes::Bool => "true",
            Takes::Value(what) | Takes::List(what) => what,
        };
        let value = value_of((name, takes), example, value, rest)?;
        self.own.retain(|(own, _)| *own != name);
        if takes != Takes::Bool {
            self.own.push((name, Some(value)));
        } else if parse_boolean(name, &value).map_err(|error| error.to_string())? {
            self.own.push((name, None));
        }
        Ok(())
    }

    /// `-h`, `-v4`, `-v=4` or `-v 4`.
    fn short(&mut self, word: &str, rest: &mut Rest<'_>) -> Result<(), String> {
        if word == "-h" {
            self.help = true;
            return Ok(());
        }
        let level = word.strip_prefix("-v");
        // What is no level is a long flag with one dash, which Go's own library takes,
        // but not the kubelet's.
        let level = level.filter(|text| !text.starts_with(|c: char| c.is_ascii_alphabetic()));
        let level = level.ok_or_else(|| unknown_shorthand(word))?;
        let level = level.strip_prefix('=').unwrap_or(level);
        let given = if word == "-v" { None } else { Some(level) };
        let value = value_of(("v", Takes::Value("LEVEL")), "2", given, rest)?;
        let is_known = self.typed.add("v", value);
        debug_assert!(is_known, "-v");
        Ok(())
    }
}

fn value_of(
    (flag, takes): (&str, Takes),
    example: &str,
    given: Option<&str>,
    rest: &mut Rest<'_>,
) -> Result<String, String> {
    let value = match (given, takes) {
        (Some(value), _) => Some(value),
        (None, Takes::Bool) => Some("true"),
        (None, Takes::Value(_) | Takes::List(_)) => rest.next(),
    };
    let missing = || format!("flag needs an argument: --{flag}; as in --{flag}={example}");
    value.map(str::to_owned).ok_or_else(missing)
}

/// `--help=false` does not ask for help; everything else does.
fn is_on(value: Option<&str>) -> bool {
    value.is_none_or(|text| parse_boolean("help", text).unwrap_or(true))
}
