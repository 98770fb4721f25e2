//! What is wrong with a command line, in one line, in the words of the kubelet's flag
//! library where it has some.

use crate::{Flag, Takes, nearest};

/// No flag of that name, which is without dashes; there are those of single commands too.
pub(super) fn unknown_flag(name: &str, of_commands: &[(&str, Takes)]) -> String {
    let own = of_commands.iter().map(|(name, _)| *name);
    let names = Flag::all().map(|flag| flag.name).chain(own);
    let meant = did_you_mean("--", name, names.chain(["help", "version"]));
    let name = one_line(name);
    format!("unknown flag: --{name}; {meant}evictd --help lists all flags")
}

/// No such letter behind a single dash.
pub(super) fn unknown_shorthand(argument: &str) -> String {
    let letter = argument.chars().nth(1).unwrap_or('-').escape_debug();
    let name = argument.trim_start_matches('-').split('=').next();
    let names = Flag::all().map(|flag| flag.name);
    let meant = did_you_mean("--", name.unwrap_or_default(), names);
    let argument = one_line(argument);
    format!(
        "unknown shorthand flag: '{letter}' in {argument}; {meant}the short flags are -h and -v"
    )
}

/// A word where a command should stand.
#[must_use]
pub fn unknown_command(word: &str, names: &[String]) -> String {
    if names.is_empty() {
        let word = one_line(word);
        return format!("unknown command: {word}; this evictd was built without commands");
    }
    let meant = did_you_mean("", word, names.iter().map(String::as_str));
    let (word, boolean, names) = (one_line(word), bare_boolean(word), names.join(", "));
    format!("unknown command: {word}; {boolean}{meant}commands are {names}, help")
}

fn did_you_mean<'a>(dashes: &str, word: &str, names: impl Iterator<Item = &'a str>) -> String {
    let meant = nearest(word, names);
    meant.map_or_else(String::new, |meant| {
        format!("did you mean {dashes}{meant}? ")
    })
}

/// `--dry-run false` is a flag and a word, as in the kubelet.
#[must_use]
pub fn bare_boolean(word: &str) -> String {
    match word {
        "true" | "false" => format!("a boolean flag takes its value with =: --flag={word}; "),
        _ => String::new(),
    }
}

/// The text without line ends and other control characters.
#[must_use]
pub fn one_line(text: &str) -> String {
    let escaped = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}
