//! How far a threshold is from being met, and when it would be.

use core::time::Duration;

use evictd_node::{Amount, Readings, Signal, Unit};
use evictd_quantity::GoDuration;
use evictd_threshold::Threshold;
use serde::Serialize;

use crate::output::shown;

/// What takes longer than that at the present rate is not foreseen.
const LONGEST: i64 = 365 * 24 * 3600;

/// How far a threshold is from being met. What was not measured is `None`.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Distance {
    pub(crate) threshold: String,
    #[serde(serialize_with = "shown")]
    pub(crate) signal: Signal,
    pub(crate) grace_seconds: i64,
    pub(crate) available: Option<i64>,
    pub(crate) capacity: Option<i64>,
    /// Where the threshold lies on this machine.
    pub(crate) level: Option<i64>,
    pub(crate) met: Option<bool>,
    /// How much is left above it; below zero where it is met and so much is missing.
    pub(crate) above: Option<i64>,
    /// How much more is left each second; below zero where it gets less.
    pub(crate) change_per_second: Option<i64>,
    /// In how many seconds it is met at that rate; `None` where it is not within a year.
    pub(crate) met_in_seconds: Option<i64>,
    /// It was less at the end, and in between it was more: that is no rate.
    #[serde(skip)]
    wavers: bool,
}

impl Distance {
    pub(crate) fn new(
        of: &Threshold,
        before: &Readings,
        after: &Readings,
        between: Duration,
    ) -> Self {
        let reading = after.get(of.signal);
        let at = reading.map(|reading| of.level(reading.capacity));
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
            wavers: false,
        }
    }

    /// Told by several looks: what also rose between two of them is met in no time that could be
    /// foreseen.
    pub(crate) fn unless_it_wavers(mut self, looks: &[Readings]) -> Self {
        let left = looks.iter().filter_map(|look| look.get(self.signal));
        let never_rises = left.is_sorted_by(|before, after| before.available >= after.available);
        if !never_rises {
            self.wavers = true;
            self.met_in_seconds = None;
        }
        self
    }

    /// How much less is left each second; 0 where it rises, or goes up and down.
    pub(crate) fn falls_per_second(&self) -> i64 {
        let falls = self.change_per_second.and_then(i64::checked_neg);
        falls
            .filter(|falls| *falls > 0 && !self.wavers)
            .unwrap_or(0)
    }

    /// `22.1Gi of 23.5Gi left, 22Gi above it; falls by 3Mi a second: met in 2h0m0s`
    pub(crate) fn in_words(&self) -> String {
        let amount = |value| Amount::of(self.signal, value);
        let (Some(available), Some(capacity), Some(above)) =
            (self.available, self.capacity, self.above)
        else {
            return "not measured here".to_owned();
        };
        if self.signal.grows_with_trouble() {
            let is_met = if self.met == Some(true) { "met: " } else { "" };
            return format!("{is_met}{} of the time is lost", amount(available));
        }
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
            (..0, _) if self.wavers => "goes up and down".to_owned(),
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
pub(crate) fn rate(signal: Signal, change: i64) -> String {
    let amount = Amount::of(signal, change.saturating_abs());
    let (unit, plural) = match signal.unit() {
        Unit::Bytes if change.unsigned_abs() >= 1024 => ("", ""),
        Unit::Bytes => (" byte", "s"),
        Unit::Inodes => (" inode", "s"),
        Unit::ProcessIds => (" process id", "s"),
        Unit::Percent => (" of the time", ""),
    };
    let plural = if change.unsigned_abs() == 1 {
        ""
    } else {
        plural
    };
    format!("{amount}{unit}{plural} a second")
}

/// `15m54s`; `88 days`, as nobody counts the hours of those.
pub(crate) fn in_units(seconds: i64) -> String {
    const DAY: i64 = 24 * 3600;
    if seconds >= 2 * DAY {
        return format!("{} days", seconds / DAY);
    }
    GoDuration::from_nanos(seconds.saturating_mul(1_000_000_000)).to_string()
}
