//! Other settings for a machine that goes on.

use alloc::vec::Vec;

use evictd_node::Mono;
use evictd_threshold::{Threshold, derive_containerfs};

use crate::evict::Stage;
use crate::observe::Watch;
use crate::set::ThresholdSet;
use crate::{Config, Evict, TooManyThresholds};

impl Evict {
    /// Goes on with other settings. What was going on goes on: conditions hold, the grace
    /// period of a threshold that stays as it was runs on, and so does an eviction.
    ///
    /// A threshold that is new, or not what it was, acts on the second observation from now
    /// at the earliest, as after a restart ([`Evict::restore`]): nothing is evicted by what
    /// was measured before, nor by the first look at what a changed file says (k/k#83612).
    /// But where a hard threshold of the signal was met already, the next observation may
    /// act: else who changes settings again and again would hold an eviction back for ever.
    ///
    /// # Errors
    /// As [`Evict::new`]; then nothing has changed.
    pub fn reconfigure(&mut self, config: Config) -> Result<(), TooManyThresholds> {
        let new = Self::new(config)?;
        let former = self.watch.rearrange(new.config.thresholds.clone());
        let place = |index: usize| former.iter().position(|of| *of == Some(index));
        self.config = new.config;
        self.acting_on = self.acting_on.and_then(place);
        self.stage =
            match core::mem::replace(&mut self.stage, Stage::Idle) {
                Stage::Killing {
                    threshold,
                    graceful,
                } => Stage::Killing {
                    threshold: threshold.and_then(place),
                    graceful,
                },
                // Its outcome is nobody's where nobody wants it any more.
                Stage::ReadingPods { threshold } => place(threshold)
                    .map_or(Stage::Idle, |threshold| Stage::ReadingPods { threshold }),
                Stage::Reclaiming { threshold } => place(threshold)
                    .map_or(Stage::Idle, |threshold| Stage::Reclaiming { threshold }),
                stage @ (Stage::Idle | Stage::CleaningUp { .. }) => stage,
            };
        Ok(())
    }
}

impl Watch {
    /// Takes other thresholds over. Returns which of the former ones each of them is.
    fn rearrange(&mut self, configured: Vec<Threshold>) -> Vec<Option<usize>> {
        let mut thresholds = configured.clone();
        if let Some(layout) = self.layout {
            derive_containerfs(&mut thresholds, layout);
        }
        let former = |new: &Threshold| self.thresholds.iter().position(|old| is_same(old, new));
        let former: Vec<Option<usize>> = thresholds.iter().map(former).collect();
        let mut first_met = [None; ThresholdSet::CAPACITY];
        let mut unconfirmed = ThresholdSet::default();
        for ((index, former), first) in former.iter().enumerate().zip(&mut first_met) {
            let pressure = thresholds
                .get(index)
                .and_then(|new| self.under_pressure(new));
            match former {
                Some(former) => *first = self.first_met.get(*former).copied().flatten(),
                None if pressure.is_some() => *first = pressure,
                None => unconfirmed.insert(index),
            }
            if former.is_some_and(|former| self.unconfirmed.has(former)) {
                unconfirmed.insert(index);
            }
        }
        for set in [&mut self.due, &mut self.fresh, &mut self.passed] {
            *set = set.rearranged(&former);
        }
        (self.configured, self.thresholds) = (configured, thresholds);
        (self.first_met, self.unconfirmed) = (first_met, unconfirmed);
        former
    }

    /// Since when a hard threshold of the same signal is met, of a hard one.
    fn under_pressure(&self, new: &Threshold) -> Option<Mono> {
        let all = self.thresholds.iter().zip(self.first_met);
        let mut same = all.filter(|(old, _)| old.signal == new.signal);
        same.find_map(|(old, met)| met.filter(|_| old.is_hard() && new.is_hard()))
    }
}

/// Whether both are met by the same readings, after the same time.
fn is_same(one: &Threshold, other: &Threshold) -> bool {
    (one.signal, one.operator, one.grace) == (other.signal, other.operator, other.grace)
        && one.value == other.value
}
