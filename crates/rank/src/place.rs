use alloc::sync::Arc;
use core::fmt;

use evictd_node::pod::usage::{PodUsage, Stalls};
use evictd_node::pod::{Pod, Requested};
use evictd_node::{Amount, Layout, Policy, QosClass, Resource, Signal};

use crate::measure::{is_in_part, measured};

/// So many billionths make a unit.
const BILLION: i128 = 1_000_000_000;

/// A pod that may be evicted, and what it uses, if that is known.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The pod.
    pub pod: Arc<Pod>,
    /// Its stats; `None` when reading them failed.
    pub usage: Option<PodUsage>,
}

impl Candidate {
    /// A copy of a pod, and of its stats where they could be read.
    #[must_use]
    pub fn new(pod: &Pod, usage: Option<&PodUsage>) -> Self {
        Self {
            pod: Arc::new(pod.clone()),
            usage: usage.cloned(),
        }
    }
}

/// A pod's place in the order of eviction, with what put it there.
///
/// Its text says so in words: `uses 300Mi, 200Mi above its request, priority 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// Which candidate: its index in the list that was ranked.
    pub candidate: usize,
    /// The signal it was ranked for.
    pub signal: Signal,
    /// What the pod uses of what the signal watches; `None` where it is not known.
    pub used: Option<u64>,
    /// It was measured in part: the pod uses at least that.
    pub in_part: bool,
    /// For lost time: what it takes from the others; `None` where that is not known.
    pub stalls: Option<Stalls>,
    /// No container runtime has described it yet: of those that no rule tells apart it ranks
    /// last.
    pub undescribed: bool,
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
    /// The place of one candidate, which has that index in the list that is ranked.
    #[must_use]
    pub fn new(
        signal: Signal,
        layout: Layout,
        policy: &Policy,
        index: usize,
        candidate: &Candidate,
    ) -> Self {
        let pod = &*candidate.pod;
        let storage = Some(Requested::EphemeralStorage);
        // What a pod has to use more than to exceed its request, and what is subtracted
        // from its use: the same, but for the kubelet's inodes (decision D4).
        let (compared, subtracted) = match signal.resource() {
            Resource::Memory => (Some(Requested::Memory), Some(Requested::Memory)),
            Resource::EphemeralStorage => (storage, storage),
            Resource::Inodes if policy.inodes_minus_storage_request => {
                (Some(Requested::Inodes), storage)
            }
            Resource::Inodes => (Some(Requested::Inodes), None),
            Resource::Pids => (None, None),
        };
        let nanos =
            |what: Option<Requested>| what.map_or(0, |what| pod.request(what, policy).nanos());
        let usage = candidate.usage.as_ref();
        let used = usage.and_then(|usage| {
            let missing = policy.missing_usage_is_zero.then_some(0);
            measured(signal, layout, pod, usage).or(missing)
        });
        Self {
            candidate: index,
            signal,
            used,
            in_part: usage.is_some_and(|usage| is_in_part(signal, usage)),
            stalls: usage
                .filter(|_| signal.grows_with_trouble())
                .and_then(|usage| usage.stalls),
            undescribed: usage.is_some_and(|usage| usage.undescribed),
            request_nanos: nanos(subtracted),
            exceeds: used.is_some_and(|used| i128::from(used) * BILLION > nanos(compared)),
            priority: pod.priority(),
            qos: pod.qos_class(policy),
        }
    }

    /// Use minus request, in billionths of the unit.
    #[must_use]
    pub fn over_nanos(&self) -> i128 {
        i128::from(self.used.unwrap_or(0))
            .saturating_mul(BILLION)
            .saturating_sub(self.request_nanos)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resource = self.signal.resource();
        let amount =
            |amount: i128| Amount::used(resource, i64::try_from(amount).unwrap_or(i64::MAX));
        match self.used {
            None => f.write_str("its usage is unknown")?,
            Some(used) => {
                let at_least = if self.in_part { "at least " } else { "" };
                write!(f, "uses {at_least}{}", amount(i128::from(used)))?;
                let over = self.over_nanos() / BILLION;
                match resource {
                    Resource::Pids => f.write_str(" process ids")?,
                    Resource::Inodes => f.write_str(" inodes")?,
                    Resource::Memory | Resource::EphemeralStorage => {
                        if self.exceeds {
                            write!(f, ", {} above its request", amount(over))?;
                        } else if !self.in_part {
                            write!(f, ", {} below its request", amount(-over))?;
                        }
                    }
                }
            }
        }
        if let Some(stalls) = self.stalls {
            write!(f, ", gains {}", Amount::bytes(stalls.gains_bytes))?;
            if let Some(bytes) = stalls.reads_back_bytes {
                write!(f, " and reads back {}", Amount::bytes(bytes))?;
            }
            f.write_str(" a second")?;
        }
        write!(f, ", priority {}, {}", self.priority, self.qos)?;
        if self.undescribed {
            f.write_str(", not described by its container runtime yet")?;
        }
        Ok(())
    }
}
