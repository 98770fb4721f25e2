//! `evictd rank`: the order of eviction for a signal, and why.

use core::fmt::Write;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::{Resolved, parse_signal};
use evictd_engine::full_name;
use evictd_node::Signal;
use serde::Serialize;

use super::output::{NO_PODS, complain, print_as, shown, wrong_value};
use super::sampled::{RankedPod, Sampled};
use super::screen::{Paint, cut, for_terminal};

/// the order of eviction for one signal, and why
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "rank",
    note = "Measures once and prints the pods in the order in which they would be evicted\n\
            if a threshold of the signal were met, each with what put it in its place.\n\
            Changes nothing.",
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

fn signal(text: &str) -> Result<Signal, String> {
    parse_signal("signal", text).map_err(|error| wrong_value(&error))
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Document {
    #[serde(serialize_with = "shown")]
    pub(super) signal: Signal,
    pub(super) pods: Vec<RankedPod>,
}

impl Rank {
    /// Prints the order; fails when the node cannot be read.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let sampled = Sampled::take(settings)?;
        for problem in sampled.engine.pods().problems() {
            complain("rank", problem);
        }
        let document = Document {
            signal: self.signal,
            pods: sampled.order(self.signal),
        };
        let in_text = || for_terminal(&in_text(&document, Paint::for_stdout()));
        Ok(print_as(self.json, &document, in_text))
    }
}

pub(super) fn in_text(document: &Document, paint: Paint) -> String {
    if document.pods.is_empty() {
        return NO_PODS.to_owned();
    }
    let title = format!("Pods in the order of eviction for {}:", document.signal);
    let mut text = paint.head(&title);
    text.push('\n');
    for (number, pod) in (1..).zip(&document.pods) {
        let _ = writeln!(
            text,
            "{number:>3}  {}",
            cut(&full_name(&pod.namespace, &pod.name), 74)
        );
        let protected = if pod.protected {
            "; never evicted: critical"
        } else {
            ""
        };
        let _ = writeln!(text, "     {}{protected}", pod.reason);
    }
    text
}
