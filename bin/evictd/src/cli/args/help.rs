//! The help texts, made from the tables of flags and commands.

use core::fmt::Write;

use evictd_config::{Flag, Group, Takes};

use crate::cli::columns::wrap;

use super::command::{COMMANDS, Description, OwnFlag};

const INDENT: &str = "      ";

const INTRODUCTION: &str = "\
evictd - node-pressure eviction for machines that have no kubelet

Usage:
  evictd [FLAGS]            watch and evict, in the foreground, until SIGTERM
  evictd COMMAND [FLAGS]    do one thing and end
  evictd help COMMAND       tell about a command

Commands:
";

const FORMS: &str = "
Values:
  SIGNAL    memory.available, nodefs.available, nodefs.inodesFree,
            imagefs.available, imagefs.inodesFree, pid.available
  AMOUNT    a number, alone or with Ki Mi Gi Ti (powers of 1024) or k M G T
            (powers of 1000); or a percentage of all there is: 10%
  DURATION  numbers with units h m s ms us ns: 1m30s, 500ms

Flags are the kubelet's, written as there: --flag=value or --flag value;
--flag alone for --flag=true; _ may stand for -. Of a repeated flag the last
value counts; lists are joined. The commands take all of these flags too.
Quote values with < for the shell.
";

const EXIT_CODES: &str = "
Exit codes:
  0  all went well
  1  it ran and failed
  2  the command line or a setting is wrong; one line says which, where, and
     what would be right
";

/// How `admit` is put before a workload.
const ADMIT_IN_SCRIPTS: &str = "
Before a workload starts:
  a busybox init script, in start()
      evictd admit --pod=/etc/kubernetes/manifests/web.yaml || exit 1
  OpenRC, in the service's script
      start_pre() {
          evictd admit --pod=/etc/kubernetes/manifests/web.yaml
      }
  systemd, in [Service]; a unit that is rejected is skipped and has not failed,
  and Restart= leaves it alone
      ExecCondition=/usr/sbin/evictd admit --qos=Burstable
";

const EXAMPLE: &str = "
Example:
  evictd --eviction-hard='memory.available<10%,nodefs.available<1Gi' \\
    --eviction-soft='memory.available<15%' \\
    --eviction-soft-grace-period=memory.available=1m30s \\
    --pod-manifest-path=/etc/kubernetes/manifests
";

/// The help about a command, or about everything.
pub(crate) fn help(command: Option<&Description>) -> String {
    match command {
        Some(command) => of_command(command),
        None => of_all(),
    }
}

/// What `--version` prints.
pub(crate) fn version() -> String {
    format!("evictd {}\n", env!("CARGO_PKG_VERSION"))
}

fn of_all() -> String {
    let mut text = String::from(INTRODUCTION);
    for command in COMMANDS {
        let _ = writeln!(text, "  {:<15}{}", command.name, command.summary);
    }
    text.push_str(FORMS);
    for group in Group::ALL {
        let _ = write!(text, "\n{}:\n", group.title());
        for flag in group.flags() {
            of_flag(&mut text, flag);
        }
    }
    text.push_str("\nHelp:\n  -h, --help\n      Print this.\n");
    text.push_str("  --version\n      Print the version.\n");
    text.push_str(EXIT_CODES);
    text.push_str(EXAMPLE);
    text
}

fn of_command(command: &Description) -> String {
    let name = command.name;
    let mut text = format!("evictd {name} - {}\n\n", command.summary);
    let _ = write!(text, "Usage:\n  evictd {name} [FLAGS]\n\n");
    wrap(&mut text, ("", ""), command.help);
    text.push_str("\nFlags:\n");
    for OwnFlag { name, takes, help } in command.flags {
        let _ = writeln!(text, "  {}", form(name, *takes));
        wrap(&mut text, (INDENT, INDENT), help);
    }
    text.push_str("  -h, --help\n      Print this.\n\n");
    wrap(
        &mut text,
        ("", ""),
        "All flags of the daemon are taken too and change what is computed; evictd --help lists \
         them.",
    );
    text.push_str("\nExamples:\n");
    for example in command.examples {
        let _ = writeln!(text, "  {example}");
    }
    if name == "admit" {
        text.push_str(ADMIT_IN_SCRIPTS);
    }
    text.push_str(EXIT_CODES);
    text
}

fn form(name: &str, takes: Takes) -> String {
    match takes {
        Takes::Bool => format!("--{name}"),
        Takes::Value(what) | Takes::List(what) => format!("--{name}={what}"),
    }
}

fn of_flag(text: &mut String, flag: &Flag) {
    let _ = writeln!(text, "  {}", form(flag.name, flag.takes));
    wrap(text, (INDENT, INDENT), flag.help);
    if Group::Deprecated.flags().contains(flag) {
        return;
    }
    let default = if flag.default.is_empty() {
        "none"
    } else {
        flag.default
    };
    let quote = if flag.example.contains('<') { "'" } else { "" };
    let example = match flag.takes {
        Takes::Bool if flag.example == "true" => format!("--{}", flag.name),
        Takes::Bool | Takes::Value(_) | Takes::List(_) => {
            format!("--{}={quote}{}{quote}", flag.name, flag.example)
        }
    };
    let default = default.replace(',', ", ");
    wrap(text, (INDENT, INDENT), &format!("Default: {default}"));
    wrap(text, (INDENT, INDENT), &format!("Example: {example}"));
}
