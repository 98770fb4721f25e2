//! `evictd look`: what this machine is, and what evictd would do on it.

mod advice;
mod machine;
mod thresholds;

use core::cmp::Reverse;
use core::fmt::Write;
use core::time::Duration;
use std::io::{IsTerminal, stderr};
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_client::View;
use evictd_config::{Resolved, Typed};
use evictd_node::Signal;
use evictd_stats::now;
use serde::Serialize;

use super::columns::wrap;
use super::explain::distance::Distance;
use super::explain::{Whose, settings_of};
use super::gc::disk::{Done, would_give};
use super::next::Next;
use super::output::{complain, print_as};
use super::record::duration;
use super::sampled::Sampled;
use super::screen::Paint;
use advice::{Advice, advise};
use machine::Facts;
use thresholds::{Verdict, recommend};

/// How long a look waits for filesystems, which may hang.
const FS_WAIT: Duration = Duration::from_millis(500);

/// So often after the first one: what is only noise falls at each of them one time in thirty.
const LOOKS: u32 = 5;

/// what this machine is, what fills first, which pod is next, what to set
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "look",
    note = "The first command on a machine: looks twice and says what this machine is,\n\
            which threshold would be met first at the rate between the two looks, which\n\
            pods would be evicted, what could be given back before that, and up to three\n\
            settings that it would gain most by. No time is told for what goes up and\n\
            down. Changes nothing, needs no daemon, no flags and no root; who is not root\n\
            sees less, and is told so. Where a daemon runs and no threshold or file is\n\
            among its flags it goes by that one's settings, and says so.",
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
    settings: Whose,
    /// What would be met first comes first.
    thresholds: Vec<Distance>,
    first_to_be_evicted: Vec<Next>,
    would_give: Vec<Done>,
    recommended: Vec<Advice>,
    /// The defaults are in force, and right for this machine.
    default_thresholds_are_right: bool,
}

impl Look {
    /// Looks; fails where the node cannot be read.
    pub(super) fn run(
        &self,
        command_line: &Typed,
        settings: &Resolved,
    ) -> Result<ExitCode, String> {
        if stderr().is_terminal() {
            complain("look", format_args!("measures for {:?}", self.over));
        }
        let (whose, settings, daemon) = &settings_of(command_line, settings);
        let mut sampled = Sampled::take(settings)?;
        let (machine, mut problems) = Facts::read(&settings.runtimes, &sampled);
        let (begun, before) = (now(), sampled.readings);
        let (would_give, of_disks) = would_give(settings)?;
        problems.extend(of_disks);
        let mut looks = vec![before];
        for number in 1..=LOOKS {
            let next = begun + self.over * number / LOOKS;
            std::thread::sleep(next.since(now()));
            sampled.engine.observe(now(), FS_WAIT, false);
            looks.push(*sampled.engine.readings());
        }
        let between = now().since(begun);
        let after = *sampled.engine.readings();
        let of =
            |threshold| Distance::new(threshold, &before, &after, between).unless_it_wavers(&looks);
        let mut thresholds: Vec<Distance> = settings.evict.thresholds.iter().map(of).collect();
        thresholds.retain(|of| of.available.is_some());
        thresholds.sort_by_key(|of| (Reverse(of.met), of.met_in_seconds.unwrap_or(i64::MAX)));
        let verdict = recommend(settings, &thresholds, &machine.swaps);
        let document = Document {
            settings: *whose,
            recommended: advise(&machine, settings, verdict.advice()),
            default_thresholds_are_right: verdict == Verdict::DefaultsAreRight,
            first_to_be_evicted: next_of_each(&thresholds, &sampled, daemon),
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

/// Which pod is next for each signal with a threshold, in their order; two that are one
/// filesystem are one.
fn next_of_each(thresholds: &[Distance], sampled: &Sampled, daemon: &View) -> Vec<Next> {
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
    let next = |signal| Next::of(signal, sampled, Some(daemon));
    signals.map(next).collect()
}

/// Which pods are next, by signal: signals of which the same is to be said share a line.
pub(super) fn in_words(next: &[Next]) -> Vec<(String, String)> {
    let mut told: Vec<(String, String)> = Vec::new();
    for first in next {
        let who = match &first.why_none {
            Some(why) => format!("none: {why}"),
            None => first.pods.join("; then "),
        };
        let waits = first.waits.iter().map(|why| format!(" ({why})"));
        let who = who + &waits.collect::<String>();
        match told.iter_mut().find(|(_, other)| *other == who) {
            Some((signals, _)) => *signals += &format!(", {}", first.signal),
            None => told.push((first.signal.to_string(), who)),
        }
    }
    told
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
        if self.settings == Whose::Daemon {
            line(&mut text, self.settings.in_words().trim_end());
        }
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
        for (signals, who) in in_words(&self.first_to_be_evicted) {
            line(&mut text, &format!("{signals}: {who}"));
        }
        head(&mut text, "Recommended here");
        for advice in &self.recommended {
            let _ = writeln!(text, "  {}", advice.flags);
            wrap(&mut text, ("      ", "      "), &advice.why);
        }
        if self.default_thresholds_are_right {
            line(
                &mut text,
                "no other thresholds: the defaults are right here",
            );
        } else if self.recommended.is_empty() {
            line(&mut text, "nothing");
        }
        text
    }
}
