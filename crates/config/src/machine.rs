use evictd_node::{Readings, Signal};

/// The facts about a machine that settings are judged by. What is not known is
/// `None` and judged by nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// How much there is in all of what each signal measures, in the order of
    /// [`Signal::ALL`].
    pub capacities: [Option<i64>; Signal::COUNT],
    /// What the kernel keeps free for itself: `vm.min_free_kbytes`, in bytes.
    pub min_free_bytes: Option<i64>,
    /// Swap that is switched on, in bytes: `SwapTotal` of `/proc/meminfo`.
    pub swap_bytes: Option<i64>,
}

impl Machine {
    /// With the capacities that came with these readings.
    #[must_use]
    pub fn of_readings(readings: &Readings) -> Self {
        Self {
            capacities: Signal::ALL.map(|signal| readings.get(signal).map(|r| r.capacity)),
            ..Self::default()
        }
    }

    /// How much there is in all of what the signal measures.
    #[must_use]
    pub fn capacity(&self, signal: Signal) -> Option<i64> {
        self.capacities.get(signal.index()).copied().flatten()
    }
}
