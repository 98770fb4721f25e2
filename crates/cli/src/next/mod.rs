//! Which pod is next, and why, or why none is: `look`, `status` and `explain` show this one value.

use evictd_client::View;
use evictd_engine::full_name;
use evictd_engine::ports::Listing as _;
use evictd_evict::{Account, Verdict};
use evictd_node::{Readings, Signal};
use evictd_stats::now;
use evictd_threshold::Threshold;
use serde::Serialize;

use crate::output::shown;
use crate::sampled::{RankedPod, Sampled};

/// So many pods are named for each signal.
const FEW: usize = 3;

/// The pods that would be evicted for a signal if a threshold of it were met.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Next {
    #[serde(serialize_with = "shown")]
    pub(crate) signal: Signal,
    /// The next one first, each with what put it in its place.
    pub(crate) pods: Vec<String>,
    /// The uids of those that are skipped, each with the reason.
    #[serde(skip)]
    pub(crate) skipped: Vec<(String, String)>,
    /// Why none would be evicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nobody: Option<String>,
}

impl Next {
    /// By what was seen: the decision that a daemon with these settings would make.
    pub(crate) fn of(signal: Signal, sampled: &Sampled) -> Self {
        let candidates = sampled.engine.pods().candidates();
        Self::from(&sampled.engine.evict().verdict(now(), signal, candidates))
    }

    /// A running daemon knows what its last eviction gave back.
    pub(crate) fn or_as_the_daemon_says(self, daemon: &View) -> Self {
        let Some(why) = daemon.why_none(self.signal) else {
            return self;
        };
        Self {
            pods: Vec::new(),
            nobody: Some(why.to_owned()),
            ..self
        }
    }

    /// The pods in the order of eviction: none has a place where none is next, and none that is
    /// skipped.
    pub(crate) fn order(&self, sampled: &Sampled) -> Vec<RankedPod> {
        let mut pods = sampled.order(self.signal);
        let mut place = 0_usize;
        for pod in &mut pods {
            let mut skipped = self.skipped.iter();
            let skip = skipped.find(|(uid, _)| *uid == pod.uid);
            pod.skipped = skip.map(|(_, why)| why.clone());
            let has_place = self.nobody.is_none() && pod.skipped.is_none();
            place = place.saturating_add(usize::from(has_place));
            pod.place = has_place.then_some(place);
        }
        pods
    }

    /// `Next to be evicted for memory.available: docker/web: uses 400Mi, ...`
    pub(crate) fn sentence(&self) -> String {
        let pod = self.pods.first().map(String::as_str);
        let who = match &self.nobody {
            Some(why) => format!("none: {why}"),
            None => pod.unwrap_or("none").to_owned(),
        };
        format!("Next to be evicted for {}: {who}", self.signal)
    }
}

impl From<&Verdict> for Next {
    fn from(verdict: &Verdict) -> Self {
        let in_words = |account: &Account| {
            let name = full_name(&account.namespace, &account.name);
            format!("{name}: {}", account.place)
        };
        Self {
            signal: verdict.signal,
            pods: verdict.order().map(in_words).take(FEW).collect(),
            skipped: verdict
                .accounts
                .iter()
                .filter_map(|of| Some((of.uid.clone(), of.skipped?.to_string())))
                .collect(),
            nobody: verdict.why_none().map(|why| why.to_string()),
        }
    }
}

/// The signal whose order counts now: the first with a threshold that is met, else memory.
pub(crate) fn most_pressing<'a>(
    thresholds: impl IntoIterator<Item = &'a Threshold>,
    readings: &Readings,
) -> Signal {
    let is_met = |threshold: &&Threshold| {
        let reading = readings.get(threshold.signal);
        reading.is_some_and(|reading| threshold.is_met(&reading))
    };
    let met = thresholds.into_iter().find(is_met);
    met.map_or(Signal::MemoryAvailable, |met| met.signal)
}

#[cfg(test)]
mod tests;
