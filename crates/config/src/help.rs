//! The help about the daemon's flags, made from their table.

use core::fmt::Write;

use evictd_node::Signal;

use crate::{Flag, Group, Takes};

/// Within what everything fits an old terminal.
pub const WIDTH: usize = 79;

const INDENT: &str = "      ";

/// What values look like, behind [`signals`].
pub const VALUES: &str = "\
\x20 AMOUNT    a number, alone or with Ki Mi Gi Ti (powers of 1024) or k M G T
            (powers of 1000); or a percentage of all there is: 10%
  DURATION  numbers with units h m s ms us ns: 1m30s, 500ms

Flags are the kubelet's, written as there: --flag=value or --flag value;
--flag alone for --flag=true; _ may stand for -. Of a repeated flag the last
value counts; lists are joined. The commands take all of these flags too.
Quote values with < for the shell.
";

/// An example of the daemon.
pub const EXAMPLE: &str = "
Example:
  evictd --eviction-hard='memory.available<10%,nodefs.available<1Gi' \\
    --eviction-soft='memory.available<15%' \\
    --eviction-soft-grace-period=memory.available=1m30s \\
    --pod-manifest-path=/etc/kubernetes/manifests
";

/// What `--version` prints.
#[must_use]
pub fn version() -> String {
    format!("evictd {}\n", env!("CARGO_PKG_VERSION"))
}

/// The help of a program that has no commands.
#[must_use]
pub fn without_commands() -> String {
    let usage = "Usage: evictd [FLAGS]  watch and evict in the foreground, until SIGTERM\n";
    let flags = flags().replace(" The commands take all of these flags too.", "");
    format!("{usage}{flags}")
}

/// All flags, what their values look like, and an example.
#[must_use]
pub fn flags() -> String {
    let mut text = String::from("\nValues:\n");
    wrap(
        &mut text,
        WIDTH,
        ("  SIGNAL    ", "            "),
        &signals(),
    );
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
#[must_use]
pub fn signals() -> String {
    let signals = Signal::ALL.into_iter();
    let signals = signals.filter(|signal| signal.is_configured());
    let signals: Vec<&str> = signals.map(Signal::name).collect();
    signals.join(", ")
}

/// A flag with what it takes.
#[must_use]
pub fn form(name: &str, takes: Takes) -> String {
    match takes {
        Takes::Bool => format!("--{name}"),
        Takes::Value(what) | Takes::List(what) => format!("--{name}={what}"),
    }
}

/// What holds without the flag, and an example of what it takes. A switch is off.
#[must_use]
pub fn default_and_example(flag: &Flag) -> String {
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
    wrap(text, WIDTH, (INDENT, INDENT), what.trim_end());
}

/// Adds a paragraph, broken at blanks to fit that width; the first line begins with the first
/// of the indents, the others with the second.
pub fn wrap(text: &mut String, width: usize, (first, others): (&str, &str), paragraph: &str) {
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in paragraph.split(' ') {
        let length = line.chars().count() + 1 + word.chars().count();
        if !is_empty && length > width {
            text.push_str(&line);
            text.push('\n');
            line = others.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    text.push_str(&line);
    text.push('\n');
}
