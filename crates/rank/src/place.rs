use core::fmt;

use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;
use evictd_node::{QosClass, Resource, Signal};
use evictd_quantity::{Format, Quantity};

/// A pod that may be evicted, and what it uses, if that is known.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The pod.
    pub pod: &'a Pod,
    /// Its stats; `None` when reading them failed.
    pub usage: Option<&'a PodUsage>,
}

/// A pod's place in the order of eviction, with what put it there.
///
/// Its text says so in words: `uses 300Mi, 200Mi above its request, priority 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which candidate: its index in the list that was ranked.
    pub candidate: usize,
    /// The signal it was ranked for.
    pub signal: Signal,
    /// What the pod uses of the starved resource; `None` without stats.
    pub used: Option<u64>,
    /// What it requested of it, in billionths of the unit, so that fractions count.
    pub request_nanos: i128,
    /// Whether it uses more than it requested; process ids know no request.
    pub exceeds: bool,
    /// Its priority.
    pub priority: i32,
    /// Its QoS class, which counts only in the old order.
    pub qos: QosClass,
}

impl Place {
    /// Use minus request, in billionths of the unit.
    #[must_use]
    pub fn over_nanos(&self) -> i128 {
        i128::from(self.used.unwrap_or(0))
            .saturating_mul(1_000_000_000)
            .saturating_sub(self.request_nanos)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |amount: i128| {
            let amount = i64::try_from(amount).unwrap_or(i64::MAX);
            Quantity::from_int(amount, Format::BinarySi)
        };
        match self.used {
            None => f.write_str("its usage is unknown")?,
            Some(used) => {
                write!(f, "uses {}", whole(i128::from(used)))?;
                let over = self.over_nanos() / 1_000_000_000;
                match self.signal.resource() {
                    Resource::Pids => f.write_str(" process ids")?,
                    Resource::Inodes => f.write_str(" inodes")?,
                    Resource::Memory | Resource::EphemeralStorage => {
                        if self.exceeds {
                            write!(f, ", {} above its request", whole(over))?;
                        } else {
                            write!(f, ", {} below its request", whole(-over))?;
                        }
                    }
                }
            }
        }
        write!(f, ", priority {}, {}", self.priority, self.qos)
    }
}
