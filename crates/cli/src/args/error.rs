//! What argh refuses, and evictd's words for it.

use evictd_config::command_line::{bare_boolean, one_line};

use super::command::Known;

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
