use crate::{Mono, Signal};

/// What was measured of one signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// How much is left: bytes, inodes or process ids. Below zero where more is
    /// used than there is (the kubelet's `pid.available` can be). Of a signal that
    /// [grows with the trouble](Signal::grows_with_trouble) how much is lost.
    pub available: i64,
    /// How much there is in all, in the same unit.
    pub capacity: i64,
    /// When it was measured, at the end of the signal's [window](Signal::window); `None` where
    /// the source has no time of its own, which always counts as fresh.
    pub sampled: Option<Mono>,
}

impl Reading {
    /// From a source that has no time of its own.
    #[must_use]
    pub const fn new(available: i64, capacity: i64) -> Self {
        Self {
            available,
            capacity,
            sampled: None,
        }
    }
}

/// The readings of one round: one for each signal that could be measured.
///
/// A signal without a reading is skipped by every rule: a failed read is never
/// taken for a met threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    by_signal: [Option<Reading>; Signal::COUNT],
}

impl Readings {
    /// The reading of `signal`, if it was measured.
    #[must_use]
    pub fn get(&self, signal: Signal) -> Option<Reading> {
        self.by_signal.get(signal.index()).copied().flatten()
    }

    /// Puts the reading of `signal`, or takes it away.
    pub fn set(&mut self, signal: Signal, reading: Option<Reading>) {
        if let Some(place) = self.by_signal.get_mut(signal.index()) {
            *place = reading;
        }
    }
}
