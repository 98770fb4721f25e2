use alloc::collections::BTreeMap;

use evictd_evict::Eviction;
use evictd_node::Signal;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many evictions are remembered: the last ones (failure F38).
pub const HISTORY: usize = 50;

/// The longest text of a record in bytes; longer ones are cut.
pub(crate) const MOST_TEXT: usize = 1024;

/// What came of an eviction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum Outcome {
    /// The kill has begun; if the daemon runs no more, it ended before the kill.
    #[default]
    Begun,
    /// The pod is gone.
    Killed,
    /// The pod could not be killed, or not in time.
    Stuck,
    /// Nothing was done, because of `--dry-run`.
    DryRun,
    /// No eviction: the kernel's own OOM killer killed processes of the pod.
    OomKilled,
}

impl Outcome {
    /// The phase of the pod's status, in Kubernetes' words: `Failed` once all of its
    /// containers are ended (acceptance row 2); until then eviction changed none.
    #[must_use]
    pub const fn phase(self) -> Option<&'static str> {
        match self {
            Self::Killed => Some(Eviction::PHASE),
            Self::Begun | Self::Stuck | Self::DryRun | Self::OomKilled => None,
        }
    }
}

/// Two members of a [`Record`]: what came of the eviction, and the pod's phase by it.
impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = match self {
            Self::Begun => "begun",
            Self::Killed => "killed",
            Self::Stuck => "stuck",
            Self::DryRun => "dryRun",
            Self::OomKilled => "oomKilled",
        };
        serializer.collect_map([("outcome", Some(name)), ("phase", self.phase())])
    }
}

/// One that is missing or unknown is [`Outcome::Begun`]: nothing more is known.
fn read_outcome<'de, D: Deserializer<'de>>(from: D) -> Result<Outcome, D::Error> {
    Ok(Outcome::deserialize(from).unwrap_or_default())
}

mod signal {
    use super::*;

    pub(super) fn serialize<S: Serializer>(of: &Option<Signal>, to: S) -> Result<S::Ok, S::Error> {
        of.map(Signal::name).serialize(to)
    }

    pub(super) fn deserialize<'de, D>(from: D) -> Result<Option<Signal>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let name = Option::<String>::deserialize(from)?;
        Ok(name.as_deref().and_then(Signal::from_name))
    }
}

/// One eviction, with all that explains it afterwards. As JSON it is what the state
/// file keeps and what `evictd history --json` prints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// When it was decided: seconds since 1970.
    pub wall_seconds: u64,
    /// The signal whose threshold was met; `None` for a limit of the pod's own.
    #[serde(with = "signal")]
    pub signal: Option<Signal>,
    /// The threshold that was met: `memory.available<100Mi`; empty for a limit.
    pub threshold: String,
    /// Its grace period in nanoseconds; 0 for a hard one and for a limit.
    pub threshold_grace_nanos: i64,
    /// How much was left, in the signal's unit.
    pub available: Option<i64>,
    /// How much there is in all.
    pub capacity: Option<i64>,
    /// On which filesystem: major and minor number of its device, as in `254:1`.
    pub device: Option<String>,
    /// The pod's namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// Why it was this pod.
    pub reason: String,
    /// The kubelet's message.
    pub message: String,
    /// The annotations of the kubelet's event.
    pub annotations: BTreeMap<String, String>,
    /// Seconds that it was given to end by itself.
    pub grace_seconds: i64,
    /// The restart policy that its container keeps, where a runtime has one for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_policy: Option<String>,
    /// What came of it.
    #[serde(flatten, deserialize_with = "read_outcome")]
    pub outcome: Outcome,
    /// How it was killed, in the kernel's words; empty where it was not, or
    /// ended by itself.
    pub method: String,
    /// How long that took in milliseconds, from the decision to the end.
    pub millis: Option<u64>,
}

impl Record {
    /// Cuts texts that are too long, so that the file stays bounded.
    pub(crate) fn cut(&mut self) {
        const MOST_ANNOTATIONS: usize = 8;
        self.annotations.retain(|key, _| key.len() <= MOST_TEXT);
        while self.annotations.len() > MOST_ANNOTATIONS {
            self.annotations.pop_last();
        }
        [
            &mut self.threshold,
            &mut self.namespace,
            &mut self.name,
            &mut self.uid,
            &mut self.reason,
            &mut self.message,
            &mut self.method,
        ]
        .into_iter()
        .chain(&mut self.device)
        .chain(&mut self.restart_policy)
        .chain(self.annotations.values_mut())
        .for_each(|text| cut(text, MOST_TEXT));
    }
}

/// Leaves the first `most` bytes or a little less: whole characters only.
pub(crate) fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or(0));
    }
}
