//! A dry run rehearses a whole episode: what it would have evicted counts as gone, with what
//! it held, until the threshold is met no more or the pod has really gone.

use alloc::string::String;
use alloc::vec::Vec;

use evictd_node::{Layout, Readings, Signal, Usage};
use evictd_rank::Candidate;

use crate::observe::Watch;

/// A pod that would have been evicted.
#[derive(Clone, Debug)]
struct Gone {
    uid: String,
    /// For which signal; `None` for a limit of its own.
    signal: Option<Signal>,
    /// How much of what that signal watches would be free.
    frees: u64,
}

impl Gone {
    /// Whether what it held counts for the signal, too: the pods' memory is the machine's,
    /// and two signals may be of one disk.
    fn frees_for(&self, signal: Signal, layout: Layout) -> bool {
        self.signal.is_some_and(|own| {
            let [of, with] = [own, signal].map(Signal::usage);
            own.of_disk(layout) == signal.of_disk(layout) || (of == Usage::Memory && of == with)
        })
    }
}

/// So many pods of an episode are named, as many as a kubelet's node has by default. What
/// wants more of them wants a threshold that the machine can never meet. `NoPod` names the
/// number.
pub(crate) const MOST: usize = 110;

/// The pods of an episode so far, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rehearsal(Vec<Gone>);

impl Rehearsal {
    pub(crate) const fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn has(&self, uid: &str) -> bool {
        self.0.iter().any(|gone| gone.uid == uid)
    }

    /// The readings as they would be.
    pub(crate) fn applied_to(&self, measured: &Readings, layout: Layout) -> Readings {
        let mut readings = *measured;
        for signal in Signal::ALL {
            let all = self.0.iter();
            let all = all.filter(|gone| gone.frees_for(signal, layout));
            let freed = all.fold(0, |sum: u64, gone| sum.saturating_add(gone.frees));
            if let (Some(mut reading), true) = (measured.get(signal), freed > 0) {
                let freed = i64::try_from(freed).unwrap_or(i64::MAX);
                reading.available = if signal.grows_with_trouble() {
                    0 // Nobody knows before, so the first is taken to be enough.
                } else {
                    reading.available.saturating_add(freed)
                };
                readings.set(signal, Some(reading));
            }
        }
        readings
    }

    pub(crate) fn add(&mut self, uid: &str, signal: Option<Signal>, frees: u64) {
        let uid = uid.into();
        self.0.push(Gone { uid, signal, frees });
    }

    /// Forgets the pods of signals that are short no more: their episode is over.
    pub(crate) fn end_episodes(&mut self, watch: &Watch) {
        let is_short = |signal| {
            let mut all = watch.thresholds.iter();
            all.any(|watched| watched.is_due && watched.signal() == signal)
        };
        self.0.retain(|gone| gone.signal.is_none_or(is_short));
    }

    /// Forgets the pods that are there no more: what they held is measured.
    pub(crate) fn forget_the_gone(&mut self, pods: &[Candidate]) {
        let is_there = |uid: &str| pods.iter().any(|pod| pod.pod.metadata.uid == uid);
        self.0.retain(|gone| is_there(&gone.uid));
    }
}
