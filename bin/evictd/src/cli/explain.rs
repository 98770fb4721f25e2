//! `evictd explain`: what would happen now, and what is missing for it.

use core::fmt::Write;
use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_engine::amount::{Amount, level};
use evictd_node::{Readings, Signal, Unit};
use evictd_quantity::GoDuration;
use evictd_recording::Decided;
use evictd_stats::now;
use evictd_threshold::Threshold;
use serde::Serialize;

use super::moments::Moments;
use super::output::{complain, print_as, shown};
use super::record::duration;
use super::snapshot::{Snapshot, ask_daemon};
use crate::config_file::Settings;
use crate::plain::Plain;

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
            no daemon and leaves one alone. Without a threshold or a file among its flags\n\
            it goes by the settings of the running daemon, and says so.",
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

impl Explain {
    pub(super) fn run(&self, settings: &Settings) -> Result<ExitCode, String> {
        let (whose, settings) = &settings_of(settings);
        let mut snapshot = Snapshot::take(settings)?;
        let mut moments = Moments::new(settings)?;
        let begun = now();
        let mut decided = moments.look(&mut snapshot, begun)?;
        let before = snapshot.readings;
        std::thread::sleep(self.over);
        let ended = now();
        decided.extend(moments.look(&mut snapshot, ended)?);
        for problem in &snapshot.engine.pods().problems {
            complain("explain", problem);
        }
        let between = ended.since(begun);
        let of = |threshold| Distance::new(threshold, &before, &snapshot.readings, between);
        let thresholds = settings.evict.thresholds.iter().map(of);
        // That one follows from the one of the node, where there is a cgroup of all pods.
        let counts = |of: &Distance| {
            of.available.is_some() || of.signal != Signal::AllocatableMemoryAvailable
        };
        let decided = decided.into_iter().flat_map(|(_, decided)| decided);
        let document = Document {
            settings: *whose,
            thresholds: thresholds.filter(counts).collect(),
            decided: one_answer(decided.collect()),
        };
        Ok(print_as(self.json, &document, || document.in_text()))
    }
}

/// Whose settings are explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Whose {
    /// Those of the running daemon.
    Daemon,
    /// Those of the flags, for what they do not say the defaults.
    Flags,
    /// The same, as no daemon answers.
    NoDaemon,
}

impl Whose {
    const fn in_words(self) -> &'static str {
        match self {
            Self::Daemon => "by the settings of the running daemon\n",
            Self::Flags => "",
            Self::NoDaemon => "by these flags and the defaults: no daemon answers at --state-dir\n",
        }
    }
}

/// Where the flags say nothing of what is decided, the daemon's settings are meant.
fn settings_of(settings: &Settings) -> (Whose, Resolved) {
    const OF_ITS_OWN: [&str; 5] = [
        "flags-file",
        "config",
        "config-dir",
        "eviction-hard",
        "eviction-soft",
    ];
    let is_given = |name: &&str| !settings.command_line.get(name).is_empty();
    let resolved = &settings.resolved;
    if OF_ITS_OWN.iter().any(is_given) {
        return (Whose::Flags, resolved.clone());
    }
    match ask_daemon(resolved) {
        Ok((_, of_daemon)) => (Whose::Daemon, of_daemon),
        Err(_) => (Whose::NoDaemon, resolved.clone()),
    }
}

/// Where a pod would be evicted, it does not matter that none would be after it.
fn one_answer(decided: Vec<Decided>) -> Vec<Decision> {
    let evicts = decided.iter().any(|of| of.pod.is_some());
    let counts = |of: &Decided| !(evicts && of.spares_all);
    decided
        .into_iter()
        .filter(counts)
        .map(Decision::from)
        .collect()
}

/// What `--json` prints.
#[derive(Serialize)]
struct Document {
    settings: Whose,
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
        let rate = rate(self.signal, change);
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
                format!("falls by {rate}: met in {}", in_units(seconds))
            }
            (..0, None) => format!("falls by {rate}: not met within a year"),
            (0, _) => "does not change".to_owned(),
            (1.., _) => format!("rises by {rate}"),
        };
        format!("{left}, {} above it; {foreseen}", amount(above))
    }
}

/// `3Mi a second`, `818 bytes a second`, `12 inodes a second`
fn rate(signal: Signal, change: i64) -> String {
    let amount = Amount::of(signal, change.saturating_abs());
    let unit = match signal.unit() {
        Unit::Bytes if change.unsigned_abs() >= 1024 => "",
        Unit::Bytes => " bytes",
        Unit::Inodes => " inodes",
        Unit::ProcessIds => " process ids",
    };
    format!("{amount}{unit} a second")
}

fn in_units(seconds: i64) -> GoDuration {
    GoDuration::from_nanos(seconds.saturating_mul(1_000_000_000))
}

impl Document {
    fn in_text(&self) -> String {
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

    /// Acceptance row 285.
    #[test]
    fn a_rate_has_its_unit() {
        let told = |signal, change| rate(signal, change);
        assert_eq!(told(Signal::MemoryAvailable, 818), "818 bytes a second");
        assert_eq!(told(Signal::MemoryAvailable, -(3 << 20)), "3Mi a second");
        assert_eq!(told(Signal::NodefsInodesFree, 12), "12 inodes a second");
        assert_eq!(told(Signal::PidAvailable, -2), "2 process ids a second");
    }

    /// Acceptance row 285.
    #[test]
    fn one_pod_would_be_evicted_or_none() {
        let none = || {
            let mut none = Decided::new("no pod would be evicted for memory.available".into());
            none.spares_all = true;
            none
        };
        let mut hog = Decided::new("pod hog would be evicted".into());
        hog.pod = Some("hog".into());
        let met = Decided::new("threshold memory.available<1Gi is met".into());
        let texts = |decided: &[&Decided]| -> Vec<String> {
            let all = decided.iter().map(|of| (*of).clone()).collect();
            one_answer(all).into_iter().map(|of| of.text).collect()
        };
        assert_eq!(
            texts(&[&met, &hog, &none()]),
            [
                "threshold memory.available<1Gi is met",
                "pod hog would be evicted"
            ]
        );
        let alone = texts(&[&met, &none()]);
        assert!(alone[1].starts_with("no pod"), "{alone:?}");
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
