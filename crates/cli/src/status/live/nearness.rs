//! How near signals are to their thresholds.

use crate::status::{SignalState, ThresholdState};

/// What one line is about: a signal, or several that are the same filesystem.
pub(super) struct Row<'a> {
    pub(super) state: &'a SignalState,
    /// That which is met, or would be first.
    pub(super) threshold: Option<&'a ThresholdState>,
}

/// A row for each signal that is observed, and one for several that are the same filesystem.
pub(super) fn rows(states: &[SignalState]) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for state in states {
        let own = state.thresholds.iter();
        let has_numbers = state.available.is_some();
        match rows.iter_mut().find(|row| row.state.is_same_space(state)) {
            Some(row) => row.threshold = first_met(row.state, row.threshold.into_iter().chain(own)),
            None if has_numbers => rows.push(Row {
                state,
                threshold: first_met(state, own),
            }),
            None => {}
        }
    }
    rows
}

/// That which is met, a hard one before a soft one, or would be met first.
fn first_met<'a>(
    state: &SignalState,
    all: impl Iterator<Item = &'a ThresholdState>,
) -> Option<&'a ThresholdState> {
    let grows = state.signal.grows_with_trouble();
    all.max_by_key(|of| {
        let is_met = of.met == Some(true);
        let level = of.value.unwrap_or(0);
        let nearness = if grows { level.saturating_neg() } else { level };
        (is_met, is_met && of.kind == "hard", nearness)
    })
}

impl Row<'_> {
    /// Of several that are the same filesystem that whose threshold is shown.
    pub(super) fn name(&self) -> &str {
        let shown = self
            .threshold
            .and_then(|of| of.threshold.split(['<', '>']).next());
        shown.unwrap_or_else(|| self.state.signal.name())
    }

    /// How near it is to its threshold, in percent: all of it where that is met. Without a
    /// threshold, how much is used.
    pub(super) fn reached(&self) -> u8 {
        let Some((available, capacity)) = self.state.available.zip(self.state.capacity) else {
            return 0;
        };
        let level = self.threshold.and_then(|of| of.value);
        let (part, whole) = if self.state.signal.grows_with_trouble() {
            (available, level.unwrap_or(capacity))
        } else {
            let used = capacity.saturating_sub(available);
            (used, capacity.saturating_sub(level.unwrap_or(0)))
        };
        match self.threshold.and_then(|of| of.met) {
            Some(true) => 100,
            _ if whole <= 0 => 100,
            _ => {
                let percent = i128::from(part.max(0)) * 100 / i128::from(whole);
                u8::try_from(percent.min(100)).unwrap_or(100)
            }
        }
    }
}
