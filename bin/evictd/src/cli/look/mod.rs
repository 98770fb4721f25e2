//! `evictd look`: what this machine is, and what evictd would do on it.

mod advice;
mod machine;

use core::cmp::Reverse;
use core::fmt::Write;
use core::time::Duration;
use std::io::{IsTerminal, stderr};
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_engine::full_name;
use evictd_engine::ports::Listing as _;
use evictd_node::Signal;
use evictd_rank::Place;
use evictd_stats::now;
use serde::Serialize;

use super::columns::wrap;
use super::explain::distance::Distance;
use super::gc::disk::{Done, would_give};
use super::output::{complain, print_as, shown};
use super::record::duration;
use super::sampled::Sampled;
use super::screen::Paint;
use advice::{Advice, advise};
use machine::Facts;

/// How long a look waits for filesystems, which may hang.
const FS_WAIT: Duration = Duration::from_millis(500);

/// So many pods are named for each signal.
const FEW: usize = 3;

/// what this machine is, what fills first, who would be evicted, what to set
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "look",
    note = "The first command on a machine: looks twice and says what this machine is,\n\
            which threshold would be met first at the rate between the two looks, which\n\
            pods would be evicted, what could be given back before that, and up to three\n\
            settings that it would gain most by. Changes nothing, needs no daemon, no\n\
            flags and no root; who is not root sees less, and is told so.",
    example = "{command_name}\n{command_name} --over=1m --json"
)]
pub struct Look {
    /// the time between the two looks, at most 1m; default: 10s
    #[argh(
        option,
        arg_name = "DURATION",
        default = "Duration::from_secs(10)",
        from_str_fn(a_minute_at_most)
    )]
    over: Duration,

    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

fn a_minute_at_most(text: &str) -> Result<Duration, String> {
    let over = duration(text)?;
    let is_short = over <= Duration::from_secs(60);
    is_short.then_some(over).ok_or_else(|| "at most 1m".into())
}

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    machine: Facts,
    /// What would be met first comes first.
    thresholds: Vec<Distance>,
    first_to_be_evicted: Vec<First>,
    would_give: Vec<Done>,
    recommended: Vec<Advice>,
}

/// Who would be evicted first for a signal.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct First {
    #[serde(serialize_with = "shown")]
    signal: Signal,
    pods: Vec<String>,
    /// Why none would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    nobody: Option<String>,
}

impl Look {
    /// Looks; fails where the node cannot be read.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let mut sampled = Sampled::take(settings)?;
        let (machine, mut problems) = Facts::read(settings, &sampled);
        let (begun, before) = (now(), sampled.readings);
        if stderr().is_terminal() {
            complain(
                "look",
                format_args!("looks again in {} s", self.over.as_secs()),
            );
        }
        let (would_give, of_disks) = would_give(settings)?;
        problems.extend(of_disks);
        std::thread::sleep(self.over.saturating_sub(now().since(begun)));
        let ended = now();
        sampled.engine.observe(ended, FS_WAIT, false);
        let after = *sampled.engine.readings();
        let between = ended.since(begun);
        let of = |threshold| Distance::new(threshold, &before, &after, between);
        let mut thresholds: Vec<Distance> = settings.evict.thresholds.iter().map(of).collect();
        thresholds.retain(|of| of.available.is_some());
        thresholds.sort_by_key(|of| (Reverse(of.met), of.met_in_seconds.unwrap_or(i64::MAX)));
        let document = Document {
            recommended: advise(&machine),
            first_to_be_evicted: First::of_each(&thresholds, &sampled),
            machine,
            thresholds,
            would_give,
        };
        problems.extend(sampled.engine.pods().problems().iter().cloned());
        problems.sort();
        problems.dedup();
        for problem in problems {
            complain("look", problem);
        }
        let in_text = || document.in_text(Paint::for_stdout());
        Ok(print_as(self.json, &document, in_text))
    }
}

impl First {
    /// For each signal with a threshold, in their order; two that are one filesystem are one.
    fn of_each(thresholds: &[Distance], sampled: &Sampled) -> Vec<Self> {
        let mut seen = Vec::new();
        let signals = thresholds.iter().map(|of| of.signal);
        let is_new = |signal: &Signal| {
            let reading = sampled.readings.get(*signal);
            let reading = reading.map(|of| (of.available, of.capacity));
            let of = (signal.resource(), reading);
            let is_new = !seen.contains(&of);
            seen.push(of);
            is_new
        };
        let signals = signals.filter(is_new);
        signals.map(|signal| Self::of(signal, sampled)).collect()
    }

    fn of(signal: Signal, sampled: &Sampled) -> Self {
        let candidates = sampled.engine.pods().candidates();
        let evict = sampled.engine.evict();
        let (places, nobody) = match evict.who_would_go(now(), signal, candidates) {
            Ok(places) => (places, None),
            Err(_) if candidates.is_empty() => {
                let none = "there is no pod; pressure is reported, and nothing is killed";
                (Vec::new(), Some(none.to_owned()))
            }
            Err(why) => (Vec::new(), Some(why.to_string())),
        };
        let in_words = |place: &Place| {
            let metadata = &candidates.get(place.candidate)?.pod.metadata;
            let name = full_name(&metadata.namespace, &metadata.name);
            Some(format!("{name}: {place}"))
        };
        Self {
            signal,
            pods: places.iter().filter_map(in_words).take(FEW).collect(),
            nobody,
        }
    }
}

impl Document {
    fn in_text(&self, paint: Paint) -> String {
        let mut text = String::new();
        let head = |text: &mut String, title: &str| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}", paint.head(title));
        };
        let line = |text: &mut String, line: &str| wrap(text, ("  ", "    "), line);
        head(&mut text, "This machine");
        for fact in self.machine.in_words() {
            line(&mut text, &fact);
        }
        if self.machine.is_user {
            line(
                &mut text,
                "not root: container runtimes and others' files are not seen",
            );
        }
        head(&mut text, "What is met first, at the present rate");
        for of in &self.thresholds {
            line(&mut text, &format!("{}: {}", of.threshold, of.in_words()));
        }
        head(
            &mut text,
            "What could be given back for a disk before a pod is evicted",
        );
        if self.would_give.is_empty() {
            line(&mut text, "nothing");
        }
        for done in &self.would_give {
            line(&mut text, &done.in_words());
        }
        head(&mut text, "Who would be evicted then, the first first");
        for first in &self.first_to_be_evicted {
            let pods = match &first.nobody {
                Some(why) => format!("nobody: {why}"),
                None => first.pods.join("; then "),
            };
            line(&mut text, &format!("{}: {pods}", first.signal));
        }
        if !self.recommended.is_empty() {
            head(&mut text, "Recommended here");
        }
        for advice in &self.recommended {
            let _ = writeln!(text, "  {}", advice.flags);
            wrap(&mut text, ("      ", "      "), &advice.why);
        }
        text
    }
}
