//! The commands, as argh derives them from their structs.

use argh::{ArgsInfo, CommandInfoWithArgs, FlagInfo, FlagInfoKind, FromArgs};
use evictd_config::{Flag, Takes};

use crate::admit::Admit;
use crate::check::Check;
use crate::completions::Completions;
use crate::config::Config;
use crate::explain::Explain;
use crate::gc::Gc;
use crate::history::History;
use crate::look::Look;
use crate::man::Man;
use crate::metrics::Metrics;
use crate::oom_score::OomScore;
use crate::record::Record;
use crate::reload::Reload;
use crate::replay::Replay;
use crate::selftest::Selftest;
use crate::status::Status;

/// node-pressure eviction for machines that have no kubelet
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    usage = "[FLAGS]          watch and evict in the foreground, until SIGTERM\n\
             \x20      evictd COMMAND [FLAGS]  do one thing and end\n\
             \x20      evictd help COMMAND     explain a command",
    error_code(0, "all went well"),
    error_code(1, "it ran and failed"),
    error_code(
        2,
        "the command line or a setting is wrong; one line says which, where, and\n    \
         what would be right"
    )
)]
pub(super) struct Evictd {
    /// print the version
    #[argh(switch)]
    pub(super) version: bool,

    #[argh(subcommand)]
    pub(super) command: Option<Command>,
}

/// A command, with the flags that are its own.
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(subcommand)]
pub enum Command {
    /// `evictd look`
    Look(Look),
    /// `evictd status`
    Status(Status),
    /// `evictd explain`
    Explain(Explain),
    /// `evictd history`
    History(History),
    /// `evictd check`
    Check(Check),
    /// `evictd admit`
    Admit(Admit),
    /// `evictd config`
    Config(Config),
    /// `evictd metrics`
    Metrics(Metrics),
    /// `evictd gc`
    Gc(Gc),
    /// `evictd oom-score`
    OomScore(OomScore),
    /// `evictd record`
    Record(Record),
    /// `evictd replay`
    Replay(Replay),
    /// `evictd selftest`
    Selftest(Selftest),
    /// `evictd reload`
    Reload(Reload),
    /// `evictd man`
    Man(Man),
    /// `evictd completions`
    Completions(Completions),
}

/// What argh knows of a command that has no commands below it.
pub(super) struct Known {
    /// `status`, `gc images`
    pub(super) name: String,
    pub(super) info: CommandInfoWithArgs,
}

/// A flag of a command, or one that all of them take.
pub(super) struct Shown {
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    pub(super) help: &'static str,
}

impl Known {
    /// All of them, in the order of the help.
    pub(super) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        add(&mut all, "", Evictd::get_args_info());
        all
    }

    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags().any(|(name, _)| name == flag)
    }

    /// The names of its flags, and what they take.
    pub(super) fn flags(&self) -> impl Iterator<Item = (&'static str, Takes)> {
        self.shown().map(|flag| (flag.name, flag.takes))
    }

    /// Its own flags.
    pub(super) fn shown(&self) -> impl Iterator<Item = Shown> {
        shown(self.info.flags)
    }

    /// Whether a word behind it is its own.
    pub(super) fn takes_word(&self) -> bool {
        !self.info.positionals.is_empty()
    }
}

/// argh's flags without `--help`, which every command has.
fn shown(flags: &'static [FlagInfo<'static>]) -> impl Iterator<Item = Shown> {
    let own = flags.iter().filter(|flag| flag.long != "--help");
    own.map(|flag| Shown {
        name: flag.long.trim_start_matches('-'),
        takes: match flag.kind {
            FlagInfoKind::Switch => Takes::Bool,
            FlagInfoKind::Option { arg_name } => Takes::Value(arg_name),
        },
        help: flag.description,
    })
}

/// The flags that every command takes: the daemon's, `--version` and `--help`.
pub(super) fn flags_of_all() -> impl Iterator<Item = Shown> {
    let daemons = Flag::all().map(|flag| Shown {
        name: flag.name,
        takes: flag.takes,
        help: flag.help,
    });
    let help = Shown {
        name: "help",
        takes: Takes::Bool,
        help: "explain the flags, or those of a command",
    };
    daemons
        .chain(shown(Evictd::get_args_info().flags))
        .chain([help])
}

fn add(all: &mut Vec<Known>, before: &str, info: CommandInfoWithArgs) {
    for below in info.commands {
        let name = format!("{before}{}", below.name);
        if below.command.commands.is_empty() {
            let info = below.command;
            all.push(Known { name, info });
        } else {
            add(all, &format!("{name} "), below.command);
        }
    }
}
