//! A command line, and the form of it that argh takes.

use std::ffi::OsString;

use evictd_config::command_line::{CommandLine, Commands, one_line, split, unknown_command};

use super::command::Known;
use super::error::{flag_of_another, incomplete, unexpected};
use super::removed::removed_command;

/// A command line, and the commands that there are.
pub(super) struct Line {
    pub(super) line: CommandLine,
    known: Vec<Known>,
    names: Vec<String>,
}

impl Line {
    pub(super) fn of(argv: &[OsString]) -> Result<Self, String> {
        let known = Known::all();
        let commands = Commands {
            names: known.iter().map(|known| known.name.clone()).collect(),
            flags: known.iter().flat_map(Known::flags).collect(),
            removed: removed_command,
        };
        Ok(Self {
            line: split(argv, &commands)?,
            known,
            names: commands.names,
        })
    }

    /// Whether it names no command.
    pub(super) fn is_alone(&self) -> bool {
        self.line.words.is_empty()
    }

    /// The words before the flags: argh looks for a command's flags behind it.
    pub(super) fn for_argh(&self) -> Vec<String> {
        let mut words = self.line.words.clone();
        if self.line.help {
            words.push(String::from("--help"));
        } else if self.line.version {
            words = vec![String::from("--version")];
        } else {
            for (name, value) in self.line.own() {
                words.push(format!("--{name}"));
                words.extend(value.map(str::to_owned));
            }
        }
        words
    }

    /// Why argh refused it, where argh itself can say nothing but that it did.
    pub(super) fn explain(&self, output: &str) -> String {
        let words: Vec<&str> = output.split_whitespace().collect();
        let output = one_line(&words.join(" "));
        let name = self.line.words.join(" ");
        let command = self.known.iter().find(|command| command.name == name);
        if command.is_none() && !name.is_empty() {
            let begins = |command: &&Known| name.starts_with(&format!("{} ", command.name));
            return match (self.known.iter().find(begins), self.line.words.last()) {
                (Some(command), _) if command.takes_word() => output,
                (Some(command), Some(last)) => unexpected(last, &command.name),
                _ => incomplete(&name).unwrap_or_else(|| unknown_command(&name, &self.names)),
            };
        }
        let has = |flag| command.is_some_and(|command| command.has(flag));
        match self.line.own().find(|(flag, _)| !has(flag)) {
            Some((flag, _)) => flag_of_another(flag, &name),
            None => output,
        }
    }
}
