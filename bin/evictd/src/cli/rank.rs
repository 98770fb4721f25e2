//! `evictd rank`: the order of eviction for a signal, and why.

use core::fmt::Write;
use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::{Resolved, Typed, parse_signal};
use evictd_engine::full_name;
use evictd_node::Signal;
use evictd_stats::now;
use serde::Serialize;

use super::explain::{Whose, settings_of};
use super::output::{NO_PODS, complain, print_as, shown, wrong_value};
use super::sampled::{RankedPod, Sampled};
use super::screen::{Paint, cut, for_terminal};

/// With one of these the flags are meant, and not the daemon's settings: they say where pods
/// are, who describes them, and what orders them.
const OF_ITS_OWN: [&str; 7] = [
    "pods-of",
    "pod-cgroup-root",
    "pod-manifest-path",
    "container-runtime-endpoint",
    "compose-projects-are-pods",
    "never-evict",
    "compat",
];

/// the order of eviction for one signal, and why
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "rank",
    note = "Measures once and prints the pods in the order in which they would be evicted\n\
            if a threshold of the signal were met, each with what put it in its place.\n\
            Changes nothing. Where a daemon runs, and no flag says where pods are or what\n\
            orders them, it goes by that one's settings, and says so.",
    example = "{command_name} --signal=memory.available\n\
               {command_name} --signal nodefs.available --json"
)]
pub struct Rank {
    /// the signal to rank for, as in --eviction-hard; default: memory.available
    #[argh(
        option,
        arg_name = "SIGNAL",
        default = "Signal::MemoryAvailable",
        from_str_fn(signal)
    )]
    signal: Signal,

    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

/// What each pod takes from the others is seen from one look to the next.
const STALLING: Duration = Duration::from_secs(1);

fn signal(text: &str) -> Result<Signal, String> {
    parse_signal("signal", text).map_err(|error| wrong_value(&error))
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Document {
    #[serde(serialize_with = "shown")]
    pub(super) signal: Signal,
    pub(super) pods: Vec<RankedPod>,
    /// Text for people says so.
    #[serde(skip)]
    pub(super) by_daemon: bool,
}

impl Rank {
    /// Prints the order; fails when the node cannot be read.
    pub(super) fn run(
        &self,
        command_line: &Typed,
        settings: &Resolved,
    ) -> Result<ExitCode, String> {
        let is_given = |flag: &&str| !command_line.get(flag).is_empty();
        let of_daemon = if OF_ITS_OWN.iter().any(is_given) {
            None
        } else {
            let (whose, of_daemon, _) = settings_of(command_line, settings);
            (whose == Whose::Daemon).then_some(of_daemon)
        };
        let mut sampled = Sampled::take(of_daemon.as_ref().unwrap_or(settings))?;
        if self.signal.grows_with_trouble() {
            std::thread::sleep(STALLING);
            sampled.look_again(now());
        }
        for problem in sampled.engine.pods().problems() {
            complain("rank", problem);
        }
        let document = Document {
            signal: self.signal,
            pods: sampled.order(self.signal),
            by_daemon: of_daemon.is_some(),
        };
        let in_text = || for_terminal(&in_text(&document, Paint::for_stdout()));
        Ok(print_as(self.json, &document, in_text))
    }
}

pub(super) fn in_text(document: &Document, paint: Paint) -> String {
    let whose = if document.by_daemon {
        ", by the settings of the running daemon"
    } else {
        ""
    };
    if document.pods.is_empty() {
        return format!("{}{whose}\n", NO_PODS.trim_end());
    }
    let title = format!(
        "Pods in the order of eviction for {}{whose}:",
        document.signal
    );
    let mut text = paint.head(&title);
    text.push('\n');
    for (number, pod) in (1..).zip(&document.pods) {
        let name = cut(&full_name(&pod.namespace, &pod.name), 74);
        let _ = match pod.protection {
            Some(by) => writeln!(text, "  -  {name}\n     never: {by}"),
            None => writeln!(text, "{number:>3}  {name}\n     {}", pod.reason),
        };
    }
    text
}
