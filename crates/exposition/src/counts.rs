use core::time::Duration;

use evictd_engine::ports::Collected;
use evictd_engine::{Decision, OomKilled};
use evictd_node::{MemoryStep, Mono, ReliefStep, Signal};
use serde_json::Value;

/// What is counted of the events, for metrics.
#[derive(Debug, Default)]
pub struct Counts {
    /// The node's name.
    pub(crate) node: String,
    /// Whether this daemon only rehearses.
    pub(crate) dry_run: bool,
    /// Evictions over restarts, but for those that were rehearsed.
    pub(crate) in_all: u64,
    /// When the last of them was, over restarts: seconds since 1970.
    pub(crate) last_seconds: Option<u64>,
    /// Evictions since the start, by what the kubelet calls their signal.
    pub(crate) evictions: Vec<(&'static str, u64)>,
    /// How old what each was decided by was.
    pub(crate) ages: Vec<Ages>,
    /// Kills of pods by the kernel since the start.
    pub(crate) oom_kills: u64,
    /// Images that were deleted for their age since the start, and for space.
    pub(crate) images: (u64, u64),
    /// Bytes that each relief step for a disk has freed since the start.
    pub(crate) relieved: [u64; ReliefStep::ALL.len()],
    /// Bytes of pods' memory that the kernel reclaimed for memory relief.
    pub(crate) reclaimed: u64,
    /// How often each step of that was taken.
    pub(crate) climbed: [u64; MemoryStep::ALL.len()],
}

/// The kubelet's buckets: the defaults of Prometheus, in milliseconds.
pub(crate) const AGE_BUCKETS: [u64; 11] = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

/// How old measurements of a signal were when pods were evicted by them.
#[derive(Debug)]
pub(crate) struct Ages {
    pub(crate) signal: &'static str,
    /// So many were within each bucket and those before it.
    pub(crate) within: [u64; AGE_BUCKETS.len()],
    pub(crate) count: u64,
    pub(crate) sum_nanos: u64,
}

/// What the kubelet calls the limits of a pod's own (K: `eviction_manager.go`,
/// `signalEmptyDirFsLimit` and the like), by their cause.
const LIMITS: [(&str, &str); 3] = [
    ("emptyDirLimit", "emptydirfs.limit"),
    ("podLimit", "ephemeralpodfs.limit"),
    ("containerLimit", "ephemeralcontainerfs.limit"),
];

impl Counts {
    /// Nothing has happened yet on the node of that name, but for so many evictions before a
    /// restart, of which the last was at that time: seconds since 1970.
    #[must_use]
    pub fn new(node: String, dry_run: bool, (in_all, last_seconds): (u64, Option<u64>)) -> Self {
        Self {
            node,
            dry_run,
            in_all,
            last_seconds,
            ..Self::default()
        }
    }

    /// How often each signal led to an eviction, those that never did too.
    pub(crate) fn by_signal(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let limits = LIMITS.map(|(_, limit)| limit);
        let all = Signal::ALL.map(Signal::name).into_iter().chain(limits);
        all.map(|name| {
            let found = self.evictions.iter().find(|(of, _)| *of == name);
            (name, found.map_or(0, |(_, count)| *count))
        })
    }

    /// Counts an eviction, but for one that is rehearsed.
    pub fn note_eviction(&mut self, now: Mono, decision: &Decision) {
        if decision.dry_run {
            return;
        }
        self.in_all = self.in_all.saturating_add(1);
        self.last_seconds = Some(decision.record.wall_seconds);
        let signal = signal(decision);
        match self.evictions.iter_mut().find(|(of, _)| *of == signal) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.evictions.push((signal, 1)),
        }
        let sampled = decision.reading.and_then(|reading| reading.sampled);
        if let Some(sampled) = sampled {
            self.note_age(signal, now.since(sampled));
        }
    }

    fn note_age(&mut self, signal: &'static str, age: Duration) {
        let place = self.ages.iter().position(|ages| ages.signal == signal);
        let place = place.unwrap_or_else(|| {
            self.ages.push(Ages {
                signal,
                within: [0; AGE_BUCKETS.len()],
                count: 0,
                sum_nanos: 0,
            });
            self.ages.len() - 1
        });
        let Some(ages) = self.ages.get_mut(place) else {
            return;
        };
        for (most, within) in AGE_BUCKETS.iter().zip(&mut ages.within) {
            *within = within.saturating_add(u64::from(age <= Duration::from_millis(*most)));
        }
        let nanos = u64::try_from(age.as_nanos()).unwrap_or(u64::MAX);
        ages.count = ages.count.saturating_add(1);
        ages.sum_nanos = ages.sum_nanos.saturating_add(nanos);
    }

    /// Counts the images that a runtime has deleted.
    pub fn note_collected(&mut self, collected: &Collected) {
        if collected.removed == 0 {
            return;
        }
        let count = |name| collected.field(name).and_then(Value::as_u64).unwrap_or(0);
        let rung = collected.field("rung").and_then(Value::as_str);
        let of_memory =
            rung.and_then(|rung| MemoryStep::ALL.into_iter().find(|of| of.name() == rung));
        if let Some(rung) = of_memory {
            self.reclaimed = self.reclaimed.saturating_add(count("freedBytes"));
            if let Some(times) = self.climbed.get_mut(rung as usize) {
                *times = times.saturating_add(1);
            }
        }
        let rung = rung.and_then(|rung| ReliefStep::ALL.into_iter().find(|of| of.name() == rung));
        if let Some(sum) = rung.and_then(|rung| self.relieved.get_mut(rung as usize)) {
            *sum = sum.saturating_add(count("freedBytes"));
        }
        let (all, too_old) = (count("images"), count("imagesTooOld"));
        let (age, space) = &mut self.images;
        *age = age.saturating_add(too_old);
        *space = space.saturating_add(all.saturating_sub(too_old));
    }

    /// Counts what the kernel's OOM killer did.
    pub fn note_oom_kill(&mut self, killed: &OomKilled) {
        self.oom_kills = self.oom_kills.saturating_add(killed.kill.kills);
    }
}

/// As the kubelet's metric names it.
fn signal(decision: &Decision) -> &'static str {
    let limit = || LIMITS.iter().find(|(cause, _)| *cause == decision.cause);
    match &decision.threshold {
        Some(threshold) => threshold.signal.name(),
        None => limit().map_or("", |(_, name)| *name),
    }
}

#[cfg(test)]
mod tests {
    use evictd_engine::Fields;

    use super::*;

    #[test]
    fn ages_lie_in_the_buckets_of_the_kubelet() {
        let mut counts = Counts::default();
        for millis in [3, 30, 20_000] {
            counts.note_age("memory.available", Duration::from_millis(millis));
        }
        let ages = counts.ages.first().unwrap();
        assert_eq!(ages.within, [1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2]);
        assert_eq!((ages.count, ages.sum_nanos), (3, 20_033_000_000));
        counts.note_age("nodefs.available", Duration::ZERO);
        assert_eq!(counts.ages.len(), 2);
    }

    #[test]
    fn images_count_by_why_they_were_deleted() {
        let mut counts = Counts::default();
        let collected = |removed| Collected {
            removed,
            fields: Fields::default().with("images", 5).with("imagesTooOld", 2),
            ..Collected::default()
        };
        counts.note_collected(&collected(0)); // of a dry run
        assert_eq!(counts.images, (0, 0));
        counts.note_collected(&collected(6)); // one of them a container
        counts.note_collected(&collected(5));
        assert_eq!(counts.images, (4, 6));
    }
}
