//! A moment of a recording, as far as it is compared.

use evictd_node::{Layout, Mono, Reading, Readings, Signal};
use evictd_recording::Seen;

/// A pod, as it was seen.
#[derive(Clone, Debug)]
pub(super) struct SeenOne {
    pub(super) uid: String,
    pub(super) is_unread: bool,
    pub(super) memory: Option<i64>,
    pub(super) pids: Option<i64>,
    pub(super) disk: Option<i64>,
}

/// A moment.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub(super) at: Mono,
    pub(super) layout: Option<Layout>,
    pub(super) readings: Readings,
    pub(super) pods: Vec<SeenOne>,
}

impl Moment {
    pub(super) fn of(seen: &Seen) -> Self {
        let whole = |of: Option<u64>| of.and_then(|of| i64::try_from(of).ok());
        let pods = seen.pods.iter().map(|pod| {
            let usage = pod.usage.as_ref();
            SeenOne {
                uid: pod.uid.clone(),
                is_unread: usage.is_none(),
                memory: whole(usage.and_then(|usage| usage.memory_working_set_bytes)),
                pids: whole(usage.and_then(|usage| usage.process_count)),
                disk: whole(usage.and_then(|usage| usage.ephemeral_storage_bytes)),
            }
        });
        Self {
            at: seen.at,
            layout: seen.layout,
            readings: seen.readings,
            pods: pods.collect(),
        }
    }

    pub(super) fn get(&self, signal: Signal) -> Option<Reading> {
        self.readings.get(signal)
    }

    pub(super) fn used(&self, signal: Signal) -> Option<i64> {
        let reading = self.get(signal)?;
        Some(reading.capacity - reading.available)
    }

    /// What is used and is no pod's; `None` where a pod could not be read.
    pub(super) fn elsewhere(
        &self,
        signal: Signal,
        held: fn(&SeenOne) -> Option<i64>,
    ) -> Option<i64> {
        let pods: Option<Vec<i64>> = self.pods.iter().map(held).collect();
        Some(self.used(signal)? - pods?.into_iter().sum::<i64>())
    }

    pub(super) fn pod(&self, uid: &str) -> Option<&SeenOne> {
        self.pods.iter().find(|pod| pod.uid == uid)
    }

    /// Pods that were here and are not there.
    pub(super) fn gone_in<'a>(&'a self, later: &'a Self) -> impl Iterator<Item = &'a SeenOne> {
        self.pods.iter().filter(|pod| later.pod(&pod.uid).is_none())
    }

    pub(super) fn has_the_pods_of(&self, other: &Self) -> bool {
        self.gone_in(other).next().is_none() && other.gone_in(self).next().is_none()
    }
}

/// A part of a whole, in parts of 10,000; away from 0.
pub(super) fn share(part: i64, whole: i64) -> i64 {
    let whole = i128::from(whole.max(1));
    let scaled = i128::from(part) * 10_000;
    let rounded = (scaled.abs() + whole - 1) / whole * scaled.signum();
    i64::try_from(rounded).unwrap_or(i64::MAX)
}
