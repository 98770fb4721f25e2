//! `evictd explain`: what would happen now, and what is missing for it.

use core::fmt::Write;
use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::{Resolved, Typed};
use evictd_engine::amount::{Amount, level};
use evictd_node::{Readings, Signal};
use evictd_quantity::GoDuration;
use evictd_recording::Decided;
use evictd_stats::now;
use evictd_threshold::Threshold;
use serde::Serialize;

use super::moments::Moments;
use super::output::{complain, fail, print_as, shown, usage_error};
use super::record::duration;
use super::run::Run;
use super::snapshot::Snapshot;
use crate::config_file;
use crate::plain::Plain;
use crate::tools::become_it;

/// What takes longer than that at the present rate is not foreseen.
const LONGEST: i64 = 365 * 24 * 3600;

/// what would happen now, and what is missing for it
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "explain",
    note = "Looks at the node twice and says of each threshold how far it is from being\n\
            met, or met no more, and when it would be met at the rate between the two;\n\
            then what would be decided now, and why, as a dry run. Evicts nothing, needs\n\
            no daemon and leaves one alone.",
    example = "{command_name} --flags-file=/etc/evictd.conf --over=1m"
)]
pub struct Explain {
    /// the time between the two looks; default: 5s
    #[argh(
        option,
        arg_name = "DURATION",
        default = "Duration::from_secs(5)",
        from_str_fn(duration)
    )]
    over: Duration,

    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

impl Run for Explain {
    fn run(&self, _settings: &Resolved) -> Result<ExitCode, String> {
        become_it()
    }
}

impl Explain {
    /// Explains, with these flags.
    pub(super) fn begin(&self, typed: Typed) -> ExitCode {
        match config_file::settings(typed) {
            Ok(settings) => {
                let ended = self.explain(&settings.resolved);
                ended.unwrap_or_else(|error| fail("explain", error))
            }
            Err(error) => usage_error(&error),
        }
    }

    fn explain(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let mut snapshot = Snapshot::take(settings)?;
        let mut moments = Moments::new(settings)?;
        let begun = now();
        let mut decided = moments.look(&mut snapshot, begun)?;
        let before = snapshot.readings;
        std::thread::sleep(self.over);
        let ended = now();
        decided.extend(moments.look(&mut snapshot, ended)?);
        for problem in &snapshot.engine.pods.problems {
            complain("explain", problem);
        }
        let between = ended.since(begun);
        let of = |threshold| Distance::new(threshold, &before, &snapshot.readings, between);
        let thresholds = settings.evict.thresholds.iter().map(of);
        // That one follows from the one of the node, where there is a cgroup of all pods.
        let counts = |of: &Distance| {
            of.available.is_some() || of.signal != Signal::AllocatableMemoryAvailable
        };
        let document = Document {
            thresholds: thresholds.filter(counts).collect(),
            decided: decided
                .into_iter()
                .flat_map(|(_, decided)| decided)
                .map(Decision::from)
                .collect(),
        };
        Ok(print_as(self.json, &document, || document.in_text()))
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Document {
    thresholds: Vec<Distance>,
    decided: Vec<Decision>,
}

#[derive(Serialize)]
struct Decision {
    text: String,
    why: String,
}

impl From<Decided> for Decision {
    fn from(of: Decided) -> Self {
        Self {
            text: of.text,
            why: of.why,
        }
    }
}

/// How far a threshold is from being met. What was not measured is `None`.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Distance {
    threshold: String,
    #[serde(serialize_with = "shown")]
    signal: Signal,
    grace_seconds: i64,
    available: Option<i64>,
    capacity: Option<i64>,
    /// Where the threshold lies on this machine.
    level: Option<i64>,
    met: Option<bool>,
    /// How much is left above it; below zero where it is met and so much is missing.
    above: Option<i64>,
    /// How much more is left each second; below zero where it gets less.
    change_per_second: Option<i64>,
    /// In how many seconds it is met at that rate; `None` where it is not within a year.
    met_in_seconds: Option<i64>,
}

impl Distance {
    fn new(of: &Threshold, before: &Readings, after: &Readings, between: Duration) -> Self {
        let reading = after.get(of.signal);
        let at = reading.map(|reading| level(of, reading.capacity));
        let above = reading.and_then(|reading| Some(reading.available.saturating_sub(at?)));
        let met = reading.map(|reading| of.is_met(&reading));
        let change = before.get(of.signal).zip(reading).map(|(before, after)| {
            let change = i128::from(after.available) - i128::from(before.available);
            let millis = i128::try_from(between.as_millis())
                .unwrap_or(i128::MAX)
                .max(1);
            i64::try_from(change * 1000 / millis).unwrap_or(0)
        });
        let seconds = |(above, change): (i64, i64)| {
            let falls = change.checked_neg().filter(|falls| *falls > 0)?;
            Some(above.max(0) / falls)
        };
        let waits = met == Some(false);
        let met_in = above.zip(change).filter(|_| waits).and_then(seconds);
        Self {
            threshold: of.to_string(),
            signal: of.signal,
            grace_seconds: of.grace.nanos() / 1_000_000_000,
            available: reading.map(|reading| reading.available),
            capacity: reading.map(|reading| reading.capacity),
            level: at,
            met,
            above,
            change_per_second: change,
            met_in_seconds: met_in.filter(|seconds| *seconds <= LONGEST),
        }
    }

    /// `22.1Gi of 23.5Gi left, 22Gi above it; falls by 3Mi a second: met in 2h0m0s`
    fn in_words(&self) -> String {
        let amount = |value| Amount::of(self.signal, value);
        let (Some(available), Some(capacity), Some(above)) =
            (self.available, self.capacity, self.above)
        else {
            return "not measured here".to_owned();
        };
        let left = format!("{} of {} left", amount(available), amount(capacity));
        let change = self.change_per_second.unwrap_or(0);
        let rate = amount(change.saturating_abs());
        if self.met == Some(true) {
            let missing = amount(above.saturating_neg());
            let grace = match self.grace_seconds {
                0 => String::new(),
                seconds => format!("; it acts after {}", in_units(seconds)),
            };
            return format!("met: {left}, {missing} are missing{grace}");
        }
        let foreseen = match (change, self.met_in_seconds) {
            (..0, Some(seconds)) => {
                format!("falls by {rate} a second: met in {}", in_units(seconds))
            }
            (..0, None) => format!("falls by {rate} a second: not met within a year"),
            (0, _) => "does not change".to_owned(),
            (1.., _) => format!("rises by {rate} a second"),
        };
        format!("{left}, {} above it; {foreseen}", amount(above))
    }
}

fn in_units(seconds: i64) -> GoDuration {
    GoDuration::from_nanos(seconds.saturating_mul(1_000_000_000))
}

impl Document {
    fn in_text(&self) -> String {
        let mut text = String::new();
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
        if self.decided.is_empty() {
            text += "nothing would be done now\n";
        }
        for of in &self.decided {
            let _ = writeln!(text, "{}", Plain(&of.text));
            for line in of.why.lines() {
                let _ = writeln!(text, "    {}", Plain(line));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use evictd_node::Reading;
    use evictd_threshold::{Lists, parse};

    use super::*;

    /// Of a GiB, before and after ten seconds.
    fn distance(hard: &str, before: i64, after: i64) -> Distance {
        let readings = |available: i64| {
            let mut readings = Readings::default();
            let reading = Reading::new(available << 20, 1 << 30);
            readings.set(Signal::MemoryAvailable, Some(reading));
            readings
        };
        let thresholds = parse(&Lists::of_hard(hard)).unwrap();
        let threshold = thresholds.first().unwrap();
        let between = Duration::from_secs(10);
        Distance::new(threshold, &readings(before), &readings(after), between)
    }

    #[test]
    fn what_is_left_and_how_long_it_lasts_is_told() {
        let told = |before, after| distance("memory.available<100Mi", before, after).in_words();
        assert_eq!(
            told(520, 500),
            "500Mi of 1Gi left, 400Mi above it; falls by 2Mi a second: met in 3m20s"
        );
        assert_eq!(
            told(500, 500),
            "500Mi of 1Gi left, 400Mi above it; does not change"
        );
        assert_eq!(
            told(500, 530),
            "530Mi of 1Gi left, 430Mi above it; rises by 3Mi a second"
        );
        assert_eq!(told(90, 80), "met: 80Mi of 1Gi left, 20Mi are missing");
    }

    #[test]
    fn what_was_not_measured_is_unknown() {
        let unknown = distance("nodefs.available<10%", 1, 1);
        assert_eq!(unknown.in_words(), "not measured here");
        assert_eq!(unknown.met, None);
        assert_eq!(unknown.met_in_seconds, None);
    }

    #[test]
    fn what_lasts_for_years_is_not_foreseen() {
        let mut slow = distance("memory.available<100Mi", 500, 500);
        slow.change_per_second = Some(-1);
        assert!(slow.in_words().ends_with("not met within a year"));
    }
}
