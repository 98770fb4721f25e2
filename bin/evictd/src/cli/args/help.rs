//! The help about the daemon's flags, made from their table; argh makes the rest.

use core::fmt::Write;

use evictd_config::{Flag, Group, Takes};
use evictd_node::Signal;

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

/// What holds without the flag, and how it may be given; nothing of a deprecated one.
pub(super) fn default_and_example(flag: &Flag) -> Option<[String; 2]> {
    let (name, example) = (flag.name, flag.example);
    let default = match flag.default {
        "" => String::from("none"),
        default => default.replace(',', ", "),
    };
    let quote = if example.contains('<') { "'" } else { "" };
    let example = match (flag.takes, example) {
        (Takes::Bool, "true") => form(name, flag.takes),
        _ => format!("--{name}={quote}{example}{quote}"),
    };
    (!flag.is_deprecated())
        .then_some([format!("Default: {default}"), format!("Example: {example}")])
}

fn add_flag(text: &mut String, flag: &Flag) {
    let _ = writeln!(text, "  {}", form(flag.name, flag.takes));
    wrap(text, (INDENT, INDENT), flag.help);
    for line in default_and_example(flag).into_iter().flatten() {
        wrap(text, (INDENT, INDENT), &line);
    }
}
