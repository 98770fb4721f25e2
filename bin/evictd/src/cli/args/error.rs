use core::fmt::{self, Write};

use evictd_config::{ConfigError, Flag, nearest};

use super::command::Known;

/// What is wrong with a command line, in one line, in the words of the kubelet's
/// flag library where it has some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgsError {
    /// No flag of that name; the text is without dashes.
    UnknownFlag(String),
    /// No such letter behind a single dash; the text is the whole argument.
    UnknownShorthand(String),
    /// A flag of other commands than this one, or than the daemon.
    ForeignFlag {
        /// The flag, without dashes.
        flag: &'static str,
        /// The command; empty for the daemon.
        command: String,
    },
    /// The command line ends where the value of this flag should stand.
    NeedsValue {
        /// The flag, without dashes.
        flag: &'static str,
        /// A value that would do.
        example: &'static str,
    },
    /// A word where a command should stand.
    UnknownCommand(String),
    /// A word after the command.
    Unexpected(String),
    /// The argument at this place, counted from 1, is not UTF-8.
    NotUnicode(usize),
    /// A switch has a wrong value.
    Value(ConfigError),
    /// In argh's words: a command's own flag has a wrong value.
    Inner(String),
}

impl fmt::Display for ArgsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFlag(name) => unknown_flag(f, name),
            Self::UnknownShorthand(argument) => {
                let letter = argument.chars().nth(1).unwrap_or('-');
                let (letter, shown) = (letter.escape_debug(), OneLine(argument));
                write!(f, "unknown shorthand flag: '{letter}' in {shown}")?;
                let name = argument.trim_start_matches('-').split('=').next();
                let names = Flag::all().map(|flag| flag.name);
                did_you_mean(f, "--", nearest(name.unwrap_or_default(), names))?;
                f.write_str("the short flags are -h and -v")
            }
            Self::ForeignFlag { flag, command } if command.is_empty() => {
                let takers = Known::all().into_iter().filter(|command| command.has(flag));
                let takers: Vec<String> = takers.map(|command| command.name).collect();
                write!(f, "--{flag} goes with a command: {}", takers.join(", "))
            }
            Self::ForeignFlag { flag, command } => {
                write!(f, "unknown flag: --{flag} is no flag of evictd {command}")?;
                write!(f, "; evictd {command} --help lists them")
            }
            Self::NeedsValue { flag, example } => {
                write!(
                    f,
                    "flag needs an argument: --{flag}; as in --{flag}={example}"
                )
            }
            Self::UnknownCommand(word) => {
                write!(f, "unknown command: {}", OneLine(word))?;
                bare_boolean(f, word)?;
                let names: Vec<String> = Known::all().into_iter().map(|known| known.name).collect();
                did_you_mean(f, "", nearest(word, names.iter().map(String::as_str)))?;
                write!(f, "commands are {}, help", names.join(", "))
            }
            Self::Unexpected(word) => {
                write!(f, "unexpected argument: {}", OneLine(word))?;
                bare_boolean(f, word)?;
                f.write_str("; evictd takes one command, and flags")
            }
            Self::NotUnicode(place) => write!(f, "argument {place} is not UTF-8"),
            Self::Value(error) => error.fmt(f),
            Self::Inner(message) => OneLine(message).fmt(f),
        }
    }
}

fn unknown_flag(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "unknown flag: --{}", OneLine(name))?;
    let commands = Known::all();
    let own = commands.iter().flat_map(Known::flags).map(|(name, _)| name);
    let names = Flag::all().map(|flag| flag.name).chain(own);
    let names = names.chain(["help", "version"]);
    did_you_mean(f, "--", nearest(name, names))?;
    f.write_str("evictd --help lists all flags")
}

fn did_you_mean(f: &mut fmt::Formatter<'_>, dashes: &str, word: Option<&str>) -> fmt::Result {
    match word {
        Some(word) => write!(f, "; did you mean {dashes}{word}? "),
        None => f.write_str("; "),
    }
}

/// `--dry-run false` is a flag and a word, as in the kubelet.
fn bare_boolean(f: &mut fmt::Formatter<'_>, word: &str) -> fmt::Result {
    match word {
        "true" | "false" => write!(f, "; a boolean flag takes its value with =: --flag={word}"),
        _ => Ok(()),
    }
}

/// The text without line ends and other control characters.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            if c.is_control() {
                write!(f, "{}", c.escape_default())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}

impl core::error::Error for ArgsError {}

impl From<ConfigError> for ArgsError {
    fn from(error: ConfigError) -> Self {
        Self::Value(error)
    }
}
