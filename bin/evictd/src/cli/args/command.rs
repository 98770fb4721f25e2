//! The commands, as argh derives them from their structs.

use argh::{ArgsInfo, CommandInfoWithArgs, FlagInfo, FlagInfoKind, FromArgs};
use evictd_config::Takes;

use crate::cli::admit::Admit;
use crate::cli::config::Config;
use crate::cli::gc::Gc;
use crate::cli::history::History;
use crate::cli::oom_score::OomScore;
use crate::cli::rank::Rank;
use crate::cli::selftest::Selftest;
use crate::cli::status::Status;

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
    /// `evictd status`
    Status(Status),
    /// `evictd rank`
    Rank(Rank),
    /// `evictd admit`
    Admit(Admit),
    /// `evictd history`
    History(History),
    /// `evictd config`
    Config(Config),
    /// `evictd oom-score`
    OomScore(OomScore),
    /// `evictd gc`
    Gc(Gc),
    /// `evictd selftest`
    Selftest(Selftest),
}

/// What argh knows of a command that has no commands below it.
pub(super) struct Known {
    /// `status`, `gc images`
    pub(super) name: String,
    flags: &'static [FlagInfo<'static>],
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
        let own = self.flags.iter().filter(|flag| flag.long != "--help");
        own.map(|flag| {
            let takes = match flag.kind {
                FlagInfoKind::Switch => Takes::Bool,
                FlagInfoKind::Option { arg_name } => Takes::Value(arg_name),
            };
            (flag.long.trim_start_matches('-'), takes)
        })
    }
}

fn add(all: &mut Vec<Known>, before: &str, info: CommandInfoWithArgs) {
    for below in info.commands {
        let name = format!("{before}{}", below.name);
        if below.command.commands.is_empty() {
            let flags = below.command.flags;
            all.push(Known { name, flags });
        } else {
            add(all, &format!("{name} "), below.command);
        }
    }
}
