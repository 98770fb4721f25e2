//! A threshold, and all that is known about it from one round to the next.

use alloc::vec::Vec;
use core::time::Duration;

use evictd_node::{Layout, Mono, Signal};
use evictd_threshold::{Threshold, derive_containerfs};

/// A threshold, and all that is known about it from one round to the next. A fact about each
/// threshold is a field here, and [`Watched::new`] says what it is at first; it then survives
/// other settings and other filesystems, as thresholds are matched by what they say. What is to
/// survive a restart is a field of [`FirstMet`](crate::FirstMet), too.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    pub(crate) threshold: Threshold,
    /// Since when it is met.
    pub(crate) first_met: Option<Mono>,
    /// It was met before a restart or is new, and was not observed since: it may not act at
    /// first sight.
    pub(crate) is_unconfirmed: bool,
    /// It is met, and its grace period is over.
    pub(crate) is_due: bool,
    /// It is due by a reading that may decide in this round.
    pub(crate) is_fresh: bool,
    /// No pod is evicted for it in this round.
    pub(crate) is_skipped: bool,
}

impl Watched {
    pub(crate) const fn new(threshold: Threshold) -> Self {
        Self {
            threshold,
            first_met: None,
            is_unconfirmed: false,
            is_due: false,
            is_fresh: false,
            is_skipped: false,
        }
    }

    pub(crate) const fn signal(&self) -> Signal {
        self.threshold.signal
    }

    pub(crate) fn grace(&self) -> Duration {
        Duration::try_from(self.threshold.grace).unwrap_or(Duration::ZERO)
    }

    /// Whether it is acted on in this round.
    pub(crate) const fn acts(&self) -> bool {
        self.is_fresh && !self.is_skipped
    }

    /// It is not met, so nothing acts by it.
    pub(crate) const fn is_over(&mut self) {
        self.first_met = None;
        self.is_due = false;
        self.is_fresh = false;
    }

    /// Whether both are met by the same readings, after the same time.
    pub(crate) fn is_same_as(&self, other: &Threshold) -> bool {
        let own = &self.threshold;
        (own.signal, own.operator, own.grace) == (other.signal, other.operator, other.grace)
            && own.value == other.value
    }
}

/// The thresholds that are watched: as configured, then those that the layout implies.
#[derive(Clone, Debug)]
pub struct Thresholds<'a>(pub(crate) core::slice::Iter<'a, Watched>);

impl<'a> Iterator for Thresholds<'a> {
    type Item = &'a Threshold;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|watched| &watched.threshold)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Thresholds<'_> {}

/// The thresholds of a configuration, then those that the layout implies, each with what is known
/// of it from `former`; `new` says what is known of the others.
pub(crate) fn watch(
    configured: &[Threshold],
    layout: Option<Layout>,
    former: &[Watched],
    new: impl Fn(Threshold) -> Watched,
) -> Vec<Watched> {
    let mut thresholds = configured.to_vec();
    if let Some(layout) = layout {
        derive_containerfs(&mut thresholds, layout);
    }
    let watched = thresholds.into_iter().map(|threshold| {
        let mut same = former.iter().filter(|of| of.is_same_as(&threshold));
        match same.next() {
            // The minimum reclaim may be another.
            Some(of) => Watched {
                threshold,
                ..of.clone()
            },
            None => new(threshold),
        }
    });
    watched.collect()
}
