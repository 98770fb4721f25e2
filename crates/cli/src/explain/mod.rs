//! `evictd explain`: what would happen now, and what is missing for it; of a signal, the order
//! of eviction.

pub(super) mod distance;
pub(super) mod order;
mod whose;

use core::fmt::Write;
use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_client::View;
use evictd_config::{MemoryRelief, Resolved, Typed};
use evictd_evict::memory_relief::Need;
use evictd_machine::memory_relief::need_now;
use evictd_node::{Readings, Signal};
use evictd_plain::Plain;
use evictd_recording::Decided;
use evictd_stats::now;
use serde::Serialize;

use super::moments::Moments;
use super::next::{Next, most_pressing};
use super::output::{complain, print_as};
use super::record::duration;
use super::sampled::Sampled;
use super::screen::{Paint, for_terminal};
use distance::Distance;
use order::{Order, signal};
pub(crate) use whose::{Whose, settings_of};

/// what would happen now and why, and the order of eviction
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "explain",
    note = "Looks at the node twice and says of each threshold how far it is from being\n\
            met, or met no more, and when it would be met at the rate between the two;\n\
            then what would be decided now, and why, as a dry run. Evicts nothing, needs\n\
            no daemon and leaves one alone. Without a threshold or a file among its flags\n\
            it goes by the settings of the running daemon, and says so.\n\
            With a SIGNAL it prints all pods in the order in which they would be evicted\n\
            if a threshold of that signal were met, each with what put it in its place.\n\
            There the flags count too if one says where pods are or what orders them.",
    example = "{command_name} --flags-file=/etc/evictd.conf --over=1m\n\
               {command_name} memory.available\n\
               {command_name} nodefs.available --json"
)]
pub struct Explain {
    /// show the order of eviction for this signal, as in --eviction-hard
    #[argh(positional, arg_name = "SIGNAL", from_str_fn(signal))]
    signal: Option<Signal>,

    /// the time between the two looks; default: 5s, for the order by memory.stall 1s
    #[argh(option, arg_name = "DURATION", from_str_fn(duration))]
    over: Option<Duration>,

    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

/// Between the two looks.
const BETWEEN: Duration = Duration::from_secs(5);

impl Explain {
    pub(super) fn run(
        &self,
        command_line: &Typed,
        settings: &Resolved,
    ) -> Result<ExitCode, String> {
        if let Some(signal) = self.signal {
            let order = Order::measure(signal, self.over, command_line, settings)?;
            return Ok(print_as(self.json, &order, || {
                for_terminal(&order.in_text(Paint::for_stdout()))
            }));
        }
        let (whose, settings, view) = &settings_of(command_line, settings);
        let mut sampled = Sampled::take(settings)?;
        let mut moments = Moments::new(&settings.evict);
        let begun = now();
        let mut decided = moments.look(&mut sampled, begun)?;
        let before = sampled.readings;
        std::thread::sleep(self.over.unwrap_or(BETWEEN));
        let ended = now();
        decided.extend(moments.look(&mut sampled, ended)?);
        for problem in sampled.engine.pods().problems() {
            complain("explain", problem);
        }
        let decided = decided.into_iter().flat_map(|(_, decided)| decided);
        let signal = most_pressing(&settings.evict.thresholds, &sampled.readings);
        let document = Explanation {
            settings: *whose,
            ..Explanation::of_daemon(
                settings,
                (&before, &sampled.readings, ended.since(begun)),
                one_answer(decided.collect(), view),
                Next::of(signal, &sampled, Some(view)),
            )
        };
        Ok(print_as(self.json, &document, || {
            for_terminal(&document.in_text())
        }))
    }
}

/// What is decided, with what the daemon says of a signal in the place of what a look from outside
/// decided on it. Where a pod would be evicted, it does not matter that none would be after it.
pub(super) fn one_answer(decided: Vec<Decided>, daemon: &View) -> Vec<Decision> {
    let mut told = Vec::new();
    let mut answer = Vec::new();
    for of in decided {
        let signal = of.verdict.as_ref().map(|verdict| verdict.signal);
        let said = signal.and_then(|signal| Next::said_by(daemon, signal));
        let Some(said) = said else {
            answer.push(Decision::from(of));
            continue;
        };
        if !told.contains(&said.signal) {
            told.push(said.signal);
            answer.push(Decision::from(said));
        }
    }
    if answer.iter().any(|of| of.evicts == Some(true)) {
        answer.retain(|of| of.evicts != Some(false));
    }
    answer
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Explanation {
    settings: Whose,
    pub(super) thresholds: Vec<Distance>,
    pub(super) decided: Vec<Decision>,
    /// What comes before a kill for memory.
    relief: Option<Relief>,
    /// Which pod is next, or why none is, for the signal whose order counts now.
    next: Next,
}

/// What `--memory-relief` does before a pod is evicted for memory.
#[derive(Serialize)]
struct Relief {
    /// `no`, `now`, or `over` where a hard threshold is met.
    begins: &'static str,
}

impl Relief {
    /// `None` where it is off.
    fn new(settings: &Resolved, readings: &Readings) -> Option<Self> {
        (settings.memory.relief == MemoryRelief::On).then(|| Self {
            begins: match need_now(&settings.evict.thresholds, readings) {
                Need::None | Need::Tight => "no",
                Need::Near => "now",
                Need::Hard => "over",
            },
        })
    }

    fn in_words(&self) -> &'static str {
        match self.begins {
            "no" => "memory relief (--memory-relief) is on: memory is not short enough for it\n",
            "now" => "memory relief (--memory-relief) would begin now\n",
            _ => "memory relief (--memory-relief) is over: a hard threshold is met\n",
        }
    }
}

#[derive(Serialize)]
pub(super) struct Decision {
    pub(super) text: String,
    why: String,
    /// Whether a pod would be evicted; `None` where it is about something else.
    #[serde(skip)]
    evicts: Option<bool>,
}

impl From<Decided> for Decision {
    fn from(of: Decided) -> Self {
        let is_of_eviction = of.pod.is_some() || of.verdict.is_some();
        Self {
            text: of.text,
            why: of.why,
            evicts: is_of_eviction.then_some(of.pod.is_some()),
        }
    }
}

impl From<Next> for Decision {
    fn from(of: Next) -> Self {
        let signal = of.signal;
        let text = match (&of.why_none, of.first()) {
            (None, Some(first)) => format!(
                "pod {} would be evicted for {signal}: {}",
                first.name, first.reason
            ),
            (why, _) => {
                let why = why.as_deref().unwrap_or_default();
                format!("no pod would be evicted for {signal}: {why}")
            }
        };
        Self {
            text,
            why: format!("so says the daemon\n{}", of.order_in_words()),
            evicts: Some(of.why_none.is_none()),
        }
    }
}

impl Explanation {
    /// By the settings of the daemon: of readings before and after so much time, and what was
    /// decided.
    pub(super) fn of_daemon(
        settings: &Resolved,
        (before, after, between): (&Readings, &Readings, Duration),
        decided: Vec<Decision>,
        next: Next,
    ) -> Self {
        let of = |threshold| Distance::new(threshold, before, after, between);
        let thresholds = settings.evict.thresholds.iter().map(of);
        // That one follows from the one of the node, where there is a cgroup of all pods.
        let counts = |of: &Distance| {
            of.available.is_some() || of.signal != Signal::AllocatableMemoryAvailable
        };
        Self {
            settings: Whose::Daemon,
            thresholds: thresholds.filter(counts).collect(),
            decided,
            relief: Relief::new(settings, after),
            next,
        }
    }

    pub(super) fn in_text(&self) -> String {
        let mut text = self.settings.in_words().to_owned();
        for distance in &self.thresholds {
            let kind = if distance.grace_seconds == 0 {
                "hard"
            } else {
                "soft"
            };
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{}, {kind}\n    {}",
                distance.threshold,
                distance.in_words()
            );
        }
        if let Some(relief) = &self.relief {
            text += relief.in_words();
        }
        if self.decided.is_empty() {
            text += "nothing would be done now\n";
        }
        for of in &self.decided {
            let _ = writeln!(text, "{}", Plain(&of.text));
            for line in of.why.lines() {
                let _ = writeln!(text, "    {}", Plain(line));
            }
        }
        for line in self.next.lines() {
            let _ = writeln!(text, "{}", Plain(line));
        }
        text
    }
}

#[cfg(test)]
mod tests;
