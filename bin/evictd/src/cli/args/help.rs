//! The help about the daemon's flags, made from their table; argh makes the rest.

use core::fmt::Write;

use argh::ArgsInfo;
use evictd_config::{Flag, Group, Takes};
use evictd_node::Signal;

use super::command::Evictd;
use crate::cli::columns::wrap;

const INDENT: &str = "      ";

/// What values look like, behind [`signals`].
pub(super) const VALUES: &str = "\
\x20 AMOUNT    a number, alone or with Ki Mi Gi Ti (powers of 1024) or k M G T
            (powers of 1000); or a percentage of all there is: 10%
  DURATION  numbers with units h m s ms us ns: 1m30s, 500ms

Flags are the kubelet's, written as there: --flag=value or --flag value;
--flag alone for --flag=true; _ may stand for -. Of a repeated flag the last
value counts; lists are joined. The commands take all of these flags too.
Quote values with < for the shell.
";

/// An example of the daemon.
pub(super) const EXAMPLE: &str = "
Example:
  evictd --eviction-hard='memory.available<10%,nodefs.available<1Gi' \\
    --eviction-soft='memory.available<15%' \\
    --eviction-soft-grace-period=memory.available=1m30s \\
    --pod-manifest-path=/etc/kubernetes/manifests
";

/// What `--version` prints.
pub(super) fn version() -> String {
    format!("evictd {}\n", env!("CARGO_PKG_VERSION"))
}

/// argh's help about a command, with what holds for each of them.
pub(super) fn of_command(text: String) -> String {
    text + "\nEvery flag of the daemon is taken too; evictd --help lists them.\n"
}

/// argh's help about everything, and after it the flags that it does not know.
pub(super) fn with_flags(mut text: String) -> String {
    text.push_str("\nValues:\n");
    wrap(&mut text, ("  SIGNAL    ", "            "), &signals());
    text.push_str(VALUES);
    for group in Group::ALL {
        let _ = write!(text, "\n{}:\n", group.title);
        for flag in group.flags {
            add_flag(&mut text, flag);
        }
    }
    text.push_str(EXAMPLE);
    text
}

/// The signals that thresholds may name.
pub(super) fn signals() -> String {
    let signals = Signal::ALL.into_iter();
    let signals = signals.filter(|signal| signal.is_configured());
    let signals: Vec<&str> = signals.map(Signal::name).collect();
    signals.join(", ")
}

/// A flag with what it takes.
pub(super) fn form(name: &str, takes: Takes) -> String {
    match takes {
        Takes::Bool => format!("--{name}"),
        Takes::Value(what) | Takes::List(what) => format!("--{name}={what}"),
    }
}

/// What holds without the flag, and an example of what it takes. A switch is off.
pub(super) fn default_and_example(flag: &Flag) -> String {
    let default = match flag.default {
        "" | "false" => String::new(),
        default => format!("Default: {}.", default.replace(',', ", ")),
    };
    let quote = if flag.example.contains('<') { "'" } else { "" };
    let example = match (flag.takes, flag.example) {
        (Takes::Bool, _) => String::new(),
        (_, example) => format!("Example: {quote}{example}{quote}"),
    };
    let both = format!("{default} {example}");
    both.trim().to_owned()
}

fn add_flag(text: &mut String, flag: &Flag) {
    let _ = writeln!(text, "  {}", form(flag.name, flag.takes));
    let what = format!("{} {}", flag.help, default_and_example(flag));
    wrap(text, (INDENT, INDENT), what.trim_end());
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
