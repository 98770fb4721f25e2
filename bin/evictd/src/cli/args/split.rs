//! Splits a command line as the kubelet's flag library (pflag) does: the daemon's flags,
//! and the rest in the form that argh takes.

use std::ffi::OsString;

use evictd_config::{Flag, Takes, Typed, foreign_flag, parse_boolean, removed_flag};

use super::command::Known;
use super::error::{
    flag_of_another, incomplete, one_line, unexpected, unknown_command, unknown_flag,
    unknown_shorthand,
};
use super::removed::removed_command;

/// A command line, taken apart.
pub(super) struct Line {
    /// The flags that every command takes.
    pub(super) typed: Typed,
    /// What is no flag: the command.
    pub(super) words: Vec<String>,
    /// The flags of single commands, each once: the last one given counts.
    own: Vec<(&'static str, Option<String>)>,
    help: bool,
    /// Help was asked for by `-h` alone.
    pub(super) is_brief: bool,
    version: bool,
    known: Vec<Known>,
}

/// What is left of the command line.
type Rest<'a> = alloc::vec::IntoIter<&'a str>;

pub(super) fn split(argv: &[OsString]) -> Result<Line, String> {
    let mut words = Vec::new();
    for (place, argument) in (1..).zip(argv) {
        let word = argument.to_str();
        words.push(word.ok_or_else(|| format!("argument {place} is not UTF-8"))?);
    }
    let mut line = Line {
        typed: Typed::default(),
        words: Vec::new(),
        own: Vec::new(),
        help: false,
        is_brief: true,
        version: false,
        known: Known::all(),
    };
    let mut words = words.into_iter();
    let mut only_words = false;
    while let Some(word) = words.next() {
        if !only_words && word == "--" {
            only_words = true;
        } else if only_words || word == "-" || !word.starts_with('-') {
            line.word(word)?;
        } else if let Some(flag) = word.strip_prefix("--") {
            line.long(flag, &mut words)?;
        } else {
            line.short(word, &mut words)?;
        }
    }
    Ok(line)
}

impl Line {
    /// The words before the flags: argh looks for a command's flags behind it.
    pub(super) fn for_argh(&self) -> Vec<String> {
        let mut words = self.words.clone();
        if self.help {
            words.push(String::from("--help"));
        } else if self.version {
            words = vec![String::from("--version")];
        } else {
            for (name, value) in &self.own {
                words.push(format!("--{name}"));
                words.extend(value.clone());
            }
        }
        words
    }

    /// Why argh refused it, where argh itself can say nothing but that it did.
    pub(super) fn explain(&self, output: &str) -> String {
        let words: Vec<&str> = output.split_whitespace().collect();
        let output = one_line(&words.join(" "));
        let name = self.words.join(" ");
        let command = self.known.iter().find(|command| command.name == name);
        if command.is_none() && !name.is_empty() {
            let begins = |command: &&Known| name.starts_with(&format!("{} ", command.name));
            return match (self.known.iter().find(begins), self.words.last()) {
                (Some(command), _) if command.takes_word() => output,
                (Some(command), Some(last)) => unexpected(last, &command.name),
                _ => incomplete(&name).unwrap_or_else(|| unknown_command(&name)),
            };
        }
        let has = |flag| command.is_some_and(|command| command.has(flag));
        match self.own.iter().find(|(flag, _)| !has(flag)) {
            Some((flag, _)) => flag_of_another(flag, &name),
            None => output,
        }
    }

    /// A word that is no flag: the command, or what `help` is wanted for.
    fn word(&mut self, word: &str) -> Result<(), String> {
        if self.words.is_empty()
            && let Some(now) = removed_command(word)
        {
            return Err(now);
        }
        match word {
            "help" => (self.help, self.is_brief) = (true, false),
            "version" if self.words.is_empty() => self.version = true,
            // argh would take it for a flag.
            _ if word.starts_with('-') => return Err(unknown_command(word)),
            _ => self.words.push(word.to_owned()),
        }
        Ok(())
    }

    /// `--name`, `--name=value`, or `--name` with the value in the next word.
    fn long(&mut self, text: &str, rest: &mut Rest<'_>) -> Result<(), String> {
        let (typed, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let name = typed.replace('_', "-");
        if name == "help" {
            let is_on = is_on(value);
            self.help |= is_on;
            self.is_brief &= !is_on;
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
            let flags = self.known.iter().flat_map(Known::flags);
            let found = { flags }.find(|(own, _)| *own == name);
            let flag = found.ok_or_else(|| unknown_flag(typed))?;
            self.give_own(flag, value, rest)?;
        }
        Ok(())
    }

    /// A flag of single commands; argh knows switches without a value.
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
