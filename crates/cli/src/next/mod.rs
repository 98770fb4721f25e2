//! Which pod is next, and why, or why none is: `look`, `status` and `explain` show this one value.

use evictd_client::{View, verdict_in_json};
use evictd_engine::full_name;
use evictd_engine::ports::Listing as _;
use evictd_node::{Readings, Signal};
use evictd_stats::now;
use evictd_threshold::Threshold;
use serde::Serialize;
use serde_json::Value;

use crate::output::shown;
use crate::sampled::{RankedPod, Sampled};

/// So many pods are named for each signal.
const FEW: usize = 3;

/// The pods that would be evicted for a signal if a threshold of it were met: the daemon's verdict
/// where it has one, else that of the same pure code on what was seen here.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Next {
    #[serde(serialize_with = "shown")]
    pub(crate) signal: Signal,
    /// The next one first, each with what put it in its place.
    pub(crate) pods: Vec<String>,
    /// Why none would be evicted.
    #[serde(rename = "nobody", skip_serializing_if = "Option::is_none")]
    pub(crate) why_none: Option<String>,
    /// What holds the eviction back, in the daemon's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waits: Option<String>,
    /// What is known of each pod, in the order of eviction.
    #[serde(skip)]
    pub(crate) accounts: Vec<Account>,
}

/// What a verdict says of a pod.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    uid: String,
    /// `NAMESPACE/NAME`.
    pub(crate) name: String,
    holds: Option<u64>,
    /// What put it in its place.
    pub(crate) reason: String,
    /// Why it is skipped.
    skipped: Option<String>,
}

impl Next {
    /// As the daemon says; where it says nothing of the signal, by what was seen: the decision that
    /// a daemon with these settings would make.
    pub(crate) fn of(signal: Signal, sampled: &Sampled, daemon: Option<&View>) -> Self {
        let said = daemon.and_then(|daemon| Self::said_by(daemon, signal));
        said.unwrap_or_else(|| {
            let candidates = sampled.engine.pods().candidates();
            let verdict = sampled.engine.evict().verdict(now(), signal, candidates);
            Self::read(signal, &verdict_in_json(&verdict)).held_back(daemon)
        })
    }

    fn held_back(self, daemon: Option<&View>) -> Self {
        let by = daemon.and_then(|daemon| daemon.held_back(self.signal));
        Self {
            waits: by.map(ToString::to_string),
            ..self
        }
    }

    /// What the daemon says of the signal.
    pub(crate) fn said_by(daemon: &View, signal: Signal) -> Option<Self> {
        let said = Self::read(signal, daemon.verdict(signal)?);
        // One that names neither a pod nor a reason is of another version.
        let is_known = said.why_none.is_some() || !said.pods.is_empty();
        is_known.then(|| said.held_back(Some(daemon)))
    }

    /// A verdict as JSON.
    pub(crate) fn read(signal: Signal, verdict: &Value) -> Self {
        let listed = verdict.get("pods").and_then(Value::as_array);
        let accounts = listed.into_iter().flatten().filter_map(Account::read);
        let accounts: Vec<Account> = accounts.collect();
        let why_none = text(verdict, "whyNone");
        let is_next = |of: &&Account| why_none.is_none() && of.skipped.is_none();
        let in_order = accounts.iter().filter(is_next).take(FEW);
        let in_words = |of: &Account| format!("{}: {}", of.name, of.reason);
        Self {
            signal,
            pods: in_order.map(in_words).collect(),
            why_none,
            waits: None,
            accounts,
        }
    }

    /// The pods in the order of eviction: none has a place where none is next, and none that is
    /// skipped.
    pub(crate) fn order(&self, sampled: &Sampled) -> Vec<RankedPod> {
        self.apply(sampled.order(self.signal))
    }

    fn apply(&self, mut pods: Vec<RankedPod>) -> Vec<RankedPod> {
        let known = |pod: &RankedPod| self.accounts.iter().position(|of| of.uid == pod.uid);
        // A pod that has begun since the verdict is behind the others.
        pods.sort_by_key(|pod| (pod.protected, known(pod).unwrap_or(usize::MAX)));
        let mut place = 0_usize;
        for pod in &mut pods {
            let account = known(pod).and_then(|index| self.accounts.get(index));
            if let Some(account) = account {
                pod.used = account.holds;
                pod.reason.clone_from(&account.reason);
                pod.skipped.clone_from(&account.skipped);
            }
            let has_place = self.why_none.is_none() && account.is_some() && pod.skipped.is_none();
            place = place.saturating_add(usize::from(has_place));
            pod.place = has_place.then_some(place);
        }
        pods
    }

    /// Which pod is next, and what holds its eviction back.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        [Some(self.sentence()), self.waits.clone()]
            .into_iter()
            .flatten()
    }

    /// `Next to be evicted for memory.available: docker/web: uses 400Mi, ...`
    fn sentence(&self) -> String {
        let pod = self.pods.first().map(String::as_str);
        let who = match &self.why_none {
            Some(why) => format!("none: {why}"),
            None => pod.unwrap_or("none").to_owned(),
        };
        format!("Next to be evicted for {}: {who}", self.signal)
    }

    /// What is known of the next pod.
    pub(crate) fn first(&self) -> Option<&Account> {
        let mut left = self.accounts.iter();
        left.find(|of| self.why_none.is_none() && of.skipped.is_none())
    }

    /// Each pod with what put it in its place, in lines.
    pub(crate) fn order_in_words(&self) -> String {
        let mut text = String::new();
        for Account {
            name,
            reason,
            skipped,
            ..
        } in &self.accounts
        {
            text += &match skipped {
                Some(why) => format!("skipped: {name}, {reason}; {why}\n"),
                None => format!("{name}, {reason}\n"),
            };
        }
        text
    }
}

impl Account {
    /// One without a name or a reason costs itself.
    fn read(from: &Value) -> Option<Self> {
        let name = text(from, "name")?;
        Some(Self {
            uid: text(from, "uid")?,
            name: full_name(&text(from, "namespace").unwrap_or_default(), &name),
            holds: from.get("holds").and_then(Value::as_u64),
            reason: text(from, "reason")?,
            skipped: text(from, "skipped"),
        })
    }
}

fn text(of: &Value, name: &str) -> Option<String> {
    Some(of.get(name)?.as_str()?.to_owned())
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
mod one_answer;
#[cfg(test)]
mod tests;
