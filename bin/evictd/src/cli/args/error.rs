//! What is wrong with a command line, in one line, in the words of the kubelet's flag
//! library where it has some.

use evictd_config::{Flag, nearest};

use super::command::Known;

/// No flag of that name, which is without dashes.
pub(super) fn unknown_flag(name: &str) -> String {
    let commands = Known::all();
    let own = commands.iter().flat_map(Known::flags).map(|(name, _)| name);
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

/// A flag of other commands than this one, or than the daemon: `""`.
pub(super) fn flag_of_another(flag: &str, command: &str) -> String {
    if command.is_empty() {
        let takers = Known::all().into_iter().filter(|known| known.has(flag));
        let takers: Vec<String> = takers.map(|known| known.name).collect();
        return format!("--{flag} goes with a command: {}", takers.join(", "));
    }
    format!(
        "unknown flag: --{flag} is no flag of evictd {command}; evictd {command} --help lists them"
    )
}

/// A word that stands before commands: `gc`.
pub(super) fn incomplete(word: &str) -> Option<String> {
    let behind = format!("{word} ");
    let mut names = Known::all().into_iter().map(|known| known.name);
    let first = names.find(|name| name.starts_with(&behind))?;
    let names: Vec<String> = names.filter(|name| name.starts_with(&behind)).collect();
    let last = names.join(", evictd ");
    Some(format!(
        "{word} takes one word more: evictd {first}, evictd {last}; evictd help {word} explains them"
    ))
}

/// A word where a command should stand.
pub(super) fn unknown_command(word: &str) -> String {
    let names: Vec<String> = Known::all().into_iter().map(|known| known.name).collect();
    let meant = did_you_mean("", word, names.iter().map(String::as_str));
    let (word, boolean, names) = (one_line(word), bare_boolean(word), names.join(", "));
    format!("unknown command: {word}; {boolean}{meant}commands are {names}, help")
}

/// A word after the command.
pub(super) fn unexpected(word: &str, command: &str) -> String {
    let is_command = Known::all().iter().any(|known| known.name == word);
    let of_pods = ["explain", "status"].contains(&command);
    let meant = if of_pods && !is_command {
        "of one pod evictd history POD tells why it went; "
    } else {
        ""
    };
    let (word, boolean) = (one_line(word), bare_boolean(word));
    format!("unexpected argument: {word}; {boolean}{meant}evictd takes one command, and flags")
}

fn did_you_mean<'a>(dashes: &str, word: &str, names: impl Iterator<Item = &'a str>) -> String {
    let meant = nearest(word, names);
    meant.map_or_else(String::new, |meant| {
        format!("did you mean {dashes}{meant}? ")
    })
}

/// `--dry-run false` is a flag and a word, as in the kubelet.
fn bare_boolean(word: &str) -> String {
    match word {
        "true" | "false" => format!("a boolean flag takes its value with =: --flag={word}; "),
        _ => String::new(),
    }
}

/// The text without line ends and other control characters.
pub(super) fn one_line(text: &str) -> String {
    let escaped = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}
