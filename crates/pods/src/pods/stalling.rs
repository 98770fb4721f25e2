//! What each pod takes from the others while time is lost waiting for memory: what it gains and
//! reads back from one look to a later one.

use core::time::Duration;

use evictd_cgroup::FoundPod;
use evictd_node::Mono;
use evictd_node::pod::usage::{PodUsage, Stalls};

/// Between two looks that are compared lies so much time at least: less says nothing,
const APART: Duration = Duration::from_millis(300);
/// and so much at most: what was long ago stalls nobody now.
const AT_MOST: Duration = Duration::from_secs(15);

/// What was counted of a pod.
struct Counted {
    uid: Box<str>,
    bytes: u64,
    refaulted_pages: Option<u64>,
}

/// One look at all pods.
#[derive(Default)]
struct Look {
    at: Option<Mono>,
    pods: Vec<Counted>,
}

/// The last looks.
#[derive(Default)]
pub(super) struct Stalling {
    page_bytes: u64,
    older: Look,
    newer: Look,
}

impl Stalling {
    pub(super) fn new(page_bytes: u64) -> Self {
        Self {
            page_bytes,
            ..Self::default()
        }
    }

    /// The pods are looked at now. One look that follows another too soon is none.
    pub(super) fn begin(&mut self, now: Mono) -> &mut Self {
        if self.newer.at.is_none_or(|at| now.since(at) >= APART) {
            core::mem::swap(&mut self.older, &mut self.newer);
            self.newer.pods.clear();
            self.newer.at = Some(now);
        }
        self
    }

    /// Notes what a pod uses and has read back, and returns what it takes from the others since
    /// the look before; `None` where it was not seen then.
    pub(super) fn note(
        &mut self,
        now: Mono,
        found: &FoundPod,
        usage: &PodUsage,
        refaulted_pages: Option<u64>,
    ) -> Option<Stalls> {
        let uid = found.pod.metadata.uid.as_str();
        let swap = usage.swap_bytes.unwrap_or(0);
        let bytes = usage.memory_working_set_bytes?.saturating_add(swap);
        if self.newer.at == Some(now) {
            self.newer.pods.push(Counted {
                uid: uid.into(),
                bytes,
                refaulted_pages,
            });
        }
        let took = now.since(self.older.at?);
        if took > AT_MOST {
            return None;
        }
        let mut pods = self.older.pods.iter();
        let before = pods.find(|of| &*of.uid == uid)?;
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1);
        let a_second = |now: u64, before: u64| {
            let more = u128::from(now.saturating_sub(before)) * 1000 / u128::from(millis);
            u64::try_from(more).unwrap_or(u64::MAX)
        };
        let pages = refaulted_pages.zip(before.refaulted_pages);
        if pages.is_none() && (refaulted_pages.is_some() || before.refaulted_pages.is_some()) {
            return None; // one of the two looks failed
        }
        Some(Stalls {
            reads_back_bytes: pages
                .map(|(now, before)| a_second(now, before).saturating_mul(self.page_bytes)),
            gains_bytes: a_second(bytes, before.bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;
    use std::path::Path;

    use evictd_cgroup::Origin;
    use evictd_node::pod::Pod;

    use super::*;

    const MIB: u64 = 1 << 20;

    /// A look at this moment, in milliseconds, at one pod with so many MiB of memory and swap
    /// that has read back so many pages: what it takes in a second, in MiB.
    fn look(
        stalling: &mut Stalling,
        at: u64,
        (uid, memory, swap): (&str, u64, u64),
        pages: Option<u64>,
    ) -> Option<(u64, Option<u64>)> {
        let now = Mono::from_millis(at);
        let usage = PodUsage {
            memory_working_set_bytes: Some(memory * MIB),
            swap_bytes: Some(swap * MIB),
            ..PodUsage::default()
        };
        let mut pod = Pod::default();
        pod.metadata.uid = uid.to_owned();
        let found = FoundPod::new(Arc::new(pod), Path::new(uid), Origin::PodCgroupRoot);
        let stalls = stalling.begin(now).note(now, &found, &usage, pages)?;
        let mib = |bytes: u64| bytes / MIB;
        Some((mib(stalls.gains_bytes), stalls.reads_back_bytes.map(mib)))
    }

    /// Acceptance row 427.
    #[test]
    fn what_a_pod_takes_is_measured_from_one_look_to_the_next() {
        let mut all = Stalling::new(4096);
        assert_eq!(
            look(&mut all, 0, ("a", 100, 0), Some(1000)),
            None,
            "the first"
        );
        // What goes to swap is had by the pod all the same.
        let seen = look(&mut all, 500, ("a", 80, 30), Some(1000 + 2560));
        assert_eq!(seen, Some((20, Some(20))));
        // A look just after one is compared with the one before that.
        let seen = look(&mut all, 510, ("a", 80, 30), Some(1000 + 2560));
        assert_eq!(seen, Some((19, Some(19))));
        assert_eq!(
            look(&mut all, 1000, ("a", 60, 0), Some(3560)),
            Some((0, Some(0)))
        );
        assert_eq!(
            look(&mut all, 1500, ("b", 500, 0), Some(0)),
            None,
            "a new one"
        );
        assert_eq!(
            look(&mut all, 17_000, ("b", 500, 0), Some(0)),
            None,
            "long ago"
        );
    }

    /// Acceptance row 427: cgroup v1 of old kernels counts nothing that is read back; a file
    /// that could not be read is another matter.
    #[test]
    fn where_nothing_counts_what_is_read_back_growth_alone_counts() {
        let mut all = Stalling::new(4096);
        look(&mut all, 0, ("a", 100, 0), None);
        assert_eq!(look(&mut all, 1000, ("a", 110, 0), None), Some((10, None)));
        assert_eq!(look(&mut all, 2000, ("a", 110, 0), Some(5)), None);
    }
}
