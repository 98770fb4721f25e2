use core::fmt;

use evictd_evict::{Cause, Evict, Eviction, Message};
use evictd_node::pod::Metadata;
use evictd_node::{Readings, Signal};
use serde::Serialize;

use crate::state::json;

/// How many evictions are remembered: the last ones (failure F38).
pub const HISTORY: usize = 50;

/// The longest text of a record in bytes; longer ones are cut.
pub(crate) const MOST_TEXT: usize = 1024;

/// What came of an eviction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Begun, Self::Killed, Self::Stuck, Self::DryRun];

    /// The word for it in the state file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Killed => "killed",
            Self::Stuck => "stuck",
            Self::DryRun => "dryRun",
        }
    }

    /// The phase of the pod's status, in Kubernetes' words: `Failed` once all of its
    /// containers are ended (acceptance row 2); until then eviction changed none.
    #[must_use]
    pub const fn phase(self) -> Option<&'static str> {
        match self {
            Self::Killed => Some(Eviction::PHASE),
            Self::Begun | Self::Stuck | Self::DryRun => None,
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Begun => "begun",
            Self::Killed => "killed",
            Self::Stuck => "stuck",
            Self::DryRun => "dry run",
        })
    }
}

/// One eviction, with all that explains it afterwards. As JSON it is what the state
/// file keeps and what `evictd history --json` prints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// When it was decided: seconds since 1970.
    pub wall_seconds: u64,
    /// The signal whose threshold was met; `None` for a limit of the pod's own.
    #[serde(serialize_with = "json::signal")]
    pub signal: Option<Signal>,
    /// The threshold that was met: `memory.available<100Mi`; empty for a limit.
    pub threshold: String,
    /// Its grace period in nanoseconds; 0 for a hard one and for a limit.
    pub threshold_grace_nanos: i64,
    /// How much was left, in the signal's unit.
    pub available: Option<i64>,
    /// How much there is in all.
    pub capacity: Option<i64>,
    /// On which filesystem: major and minor number of its device.
    #[serde(serialize_with = "json::device")]
    pub device: Option<(u32, u32)>,
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
    #[serde(serialize_with = "json::annotations")]
    pub annotations: Vec<(String, String)>,
    /// Seconds that it was given to end by itself.
    pub grace_seconds: i64,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// How it was killed, in the kernel's words; empty where it was not, or
    /// ended by itself.
    pub method: String,
    /// How long that took in milliseconds, from the decision to the end.
    pub millis: Option<u64>,
}

impl Record {
    /// The record of an eviction that was decided now.
    ///
    /// `evict` is the machine that planned it, `readings` what it planned it by, `message`
    /// what it says of it.
    #[must_use]
    pub fn new(
        wall_seconds: u64,
        eviction: &Eviction,
        evict: &Evict,
        readings: &Readings,
        metadata: &Metadata,
        message: Message,
    ) -> Self {
        let mut record = Self {
            wall_seconds,
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone(),
            uid: metadata.uid.clone(),
            message: message.text,
            grace_seconds: eviction.grace_seconds,
            ..Self::default()
        };
        record.reason = match &eviction.cause {
            Cause::Threshold {
                threshold, place, ..
            } => {
                if let Some(threshold) = evict.thresholds().get(*threshold) {
                    record.signal = Some(threshold.signal);
                    record.threshold = threshold.to_string();
                    record.threshold_grace_nanos = threshold.grace.nanos();
                    let reading = readings.get(threshold.signal);
                    record.available = reading.map(|reading| reading.available);
                    record.capacity = reading.map(|reading| reading.capacity);
                }
                place.to_string()
            }
            Cause::EmptyDirLimit => String::from("above the size limit of an emptyDir volume"),
            Cause::PodLimit => String::from("above its ephemeral-storage limit"),
            Cause::ContainerLimit => String::from("a container above its ephemeral-storage limit"),
        };
        if let Some(annotations) = &message.annotations {
            let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
            record.annotations = vec![
                pair("offending_containers", &annotations.offending_containers),
                pair(
                    "offending_containers_usage",
                    &annotations.offending_containers_usage,
                ),
                pair("starved_resource", annotations.starved_resource.name()),
            ];
        }
        record
    }

    /// Cuts texts that are too long, so that the file stays bounded.
    pub(crate) fn cut(&mut self) {
        const MOST_ANNOTATIONS: usize = 8;
        self.annotations.retain(|(key, _)| key.len() <= MOST_TEXT);
        self.annotations.truncate(MOST_ANNOTATIONS);
        let values = self.annotations.iter_mut().map(|(_, value)| value);
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
        .chain(values)
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
