use evictd_node::{Readings, Signal};
use evictd_quantity::{Format, Quantity};

use crate::Reserved;

/// The facts about a machine that settings are judged by. What is not known is
/// `None` and judged by nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// How much there is in all of what each signal measures, in the order of
    /// [`Signal::ALL`].
    pub capacities: [Option<i64>; Signal::COUNT],
    /// How much of that is left now, in the same order.
    pub left: [Option<i64>; Signal::COUNT],
    /// What the kernel keeps free for itself: `vm.min_free_kbytes`, in bytes.
    pub min_free_bytes: Option<i64>,
    /// Memory that is neither free nor in a cgroup, in bytes: the kubelet's formula counts
    /// it as available.
    pub unaccounted_bytes: Option<i64>,
    /// How many processors there are.
    pub processors: Option<i64>,
    /// Swap that is switched on, in bytes: `SwapTotal` of `/proc/meminfo`.
    pub swap_bytes: Option<i64>,
}

impl Machine {
    /// With the capacities that came with these readings.
    #[must_use]
    pub fn of_readings(readings: &Readings) -> Self {
        Self {
            capacities: Signal::ALL.map(|signal| readings.get(signal).map(|r| r.capacity)),
            left: Signal::ALL.map(|signal| readings.get(signal).map(|r| r.available)),
            ..Self::default()
        }
    }

    /// How much there is of each resource that can be reserved.
    pub(crate) fn capacity_by_resource(&self) -> Reserved {
        let mut found = Reserved::default();
        for (name, amount, format) in [
            ("cpu", self.processors, Format::DecimalSi),
            (
                "memory",
                self.capacity(Signal::MemoryAvailable),
                Format::BinarySi,
            ),
            (
                "ephemeral-storage",
                self.capacity(Signal::NodefsAvailable),
                Format::BinarySi,
            ),
            (
                "pid",
                self.capacity(Signal::PidAvailable),
                Format::DecimalSi,
            ),
        ] {
            if let Some(amount) = amount {
                found.put(name, Quantity::from_int(amount, format));
            }
        }
        found
    }

    /// How much is left now of what the signal measures.
    pub(crate) fn left(&self, signal: Signal) -> Option<i64> {
        self.left.get(signal.index()).copied().flatten()
    }

    /// How much there is in all of what the signal measures.
    #[must_use]
    pub fn capacity(&self, signal: Signal) -> Option<i64> {
        self.capacities.get(signal.index()).copied().flatten()
    }
}
