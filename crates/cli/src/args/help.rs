//! The help about commands; argh makes most of it.

use core::fmt::Write;

use argh::ArgsInfo;

use super::command::Evictd;
use crate::columns::wrap;

/// argh's help about a command, with what holds for each of them.
pub(super) fn of_command(text: String) -> String {
    text + "\nEvery flag of the daemon is taken too; evictd --help lists them.\n"
}

/// The flags that most people set, and what each does in a few words.
const MOST_SET: [(&str, &str); 12] = [
    (
        "eviction-hard",
        "evict at once below: 'memory.available<500Mi'",
    ),
    ("eviction-soft", "evict once that was so for a grace period"),
    (
        "eviction-soft-grace-period",
        "how long: memory.available=1m30s",
    ),
    ("dry-run", "log what would be evicted, evict nothing"),
    (
        "pods-of",
        "services are pods too: openrc, systemd, sessions",
    ),
    (
        "pod-manifest-path",
        "a directory of pod manifests, YAML or JSON",
    ),
    ("never-evict", "never evict pods of that name: 'postgres*'"),
    (
        "system-reserved",
        "kept from pods for the system: memory=1Gi",
    ),
    ("compat", "behave as the kubelet: kubelet, kubelet-1.34"),
    ("flags-file", "read flags from a file, one a line"),
    ("metrics-listen", "serve metrics over HTTP: 127.0.0.1:10255"),
    ("log-target", "stderr, syslog, journald or kmsg"),
];

/// The commands that have a line in [`brief`]; it names the others together.
const MOST_USED: [&str; 6] = ["look", "status", "explain", "history", "check", "config"];

/// One screen: what `-h` prints.
pub(super) fn brief() -> String {
    let mut text = String::from(
        "Usage: evictd [FLAGS]          watch and evict in the foreground, until SIGTERM
       evictd COMMAND [FLAGS]  do one thing and end

Commands:\n",
    );
    let commands = Evictd::get_args_info().commands;
    let is_most_used = |name: &str| MOST_USED.contains(&name);
    for command in commands.iter().filter(|of| is_most_used(of.name)) {
        let words: Vec<&str> = command.command.description.split_whitespace().collect();
        let words = words.join(" ");
        let what = shorten(&words, BRIEF_COLUMNS);
        let _ = writeln!(text, "  {:<BRIEF_NAME$}{what}", command.name);
    }
    let others = commands.iter().filter(|of| !is_most_used(of.name));
    let others: Vec<&str> = others.map(|of| of.name).collect();
    wrap(&mut text, ("  Others: ", "  "), &others.join(", "));
    text.push_str("\nFlags:\n");
    for (name, what) in MOST_SET {
        let name = format!("--{name}");
        let _ = writeln!(text, "  {name:<BRIEF_FLAG$}{what}");
    }
    text.push_str("\nevictd --help shows all flags, evictd help COMMAND those of a command.\n");
    text
}

const BRIEF_NAME: usize = 9;
const BRIEF_FLAG: usize = 29;
const BRIEF_COLUMNS: usize = 79 - 2 - BRIEF_NAME;

/// The text, or what stands before the last colon or comma (else blank) of its first characters.
fn shorten(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text;
    };
    let first = text.get(..end).unwrap_or_default();
    let sign = first.rfind([':', ',']).or_else(|| first.rfind(' '));
    let part = sign.and_then(|at| first.get(..at));
    part.unwrap_or(first)
}
