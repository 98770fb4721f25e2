use evictd_node::pod::{Pod, Requested};
use evictd_node::{Layout, Policy, Ranking, Resource, Signal};

use crate::sort::INDEX_BITS;
use crate::{Candidate, Place, measured};

/// What places a candidate. Equal ones keep their order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// All that counts before the amount, in 34 bits; the least goes first.
    head: u64,
    /// The largest goes first.
    amount: Amount,
}

/// A number of units, possibly below zero: the whole ones, rounded down, and the
/// billionths above them. Exact, as quantities know nothing finer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Amount {
    whole: i128,
    billionths: u32,
}

/// A key as a single number.
pub(crate) struct Packed {
    pub(crate) key: u128,
    /// What of it says the amount: as much can be taken off all keys as the least has.
    pub(crate) amount: u128,
    /// Whether it tells all that the key does.
    pub(crate) is_exact: bool,
}

/// So many billionths make a unit.
const BILLION: i128 = 1_000_000_000;

/// The largest whole amount that a packed key tells from larger ones.
const LARGEST_PACKED: i128 = (1 << 61) - 1;

impl Amount {
    const ZERO: Self = Self::whole(0);

    const fn whole(whole: i128) -> Self {
        Self {
            whole,
            billionths: 0,
        }
    }

    fn from_nanos(nanos: i128) -> Self {
        Self {
            whole: nanos.div_euclid(BILLION),
            billionths: u32::try_from(nanos.rem_euclid(BILLION)).unwrap_or(0),
        }
    }
}

impl Key {
    /// Whether its pod goes before that of the other.
    #[inline(never)]
    pub(crate) fn is_before(self, other: Self) -> bool {
        (self.head, other.amount) < (other.head, self.amount)
    }

    /// In a single number above the room for an index.
    pub(crate) fn packed(self) -> Packed {
        let Amount { whole, billionths } = self.amount;
        let kept = whole.clamp(-LARGEST_PACKED - 1, LARGEST_PACKED);
        let amount = (LARGEST_PACKED - kept).cast_unsigned();
        Packed {
            key: (u128::from(self.head) << 62 | amount) << INDEX_BITS,
            amount: amount << INDEX_BITS,
            is_exact: billionths == 0 && kept == whole,
        }
    }

    /// All of it in two such numbers, the one that counts last first.
    pub(crate) fn in_two(self) -> [u128; 2] {
        let Amount { whole, billionths } = self.amount;
        let inverse = !whole;
        let low = inverse.cast_unsigned() & u128::from(u64::MAX);
        let fraction = u128::from(999_999_999 - billionths);
        // No number of nanos in an i128 leaves more than this.
        let high = ((inverse >> 64) + (1 << 35)).cast_unsigned();
        let head = u128::from(self.head) << 36;
        [
            (low << 30 | fraction) << INDEX_BITS,
            (head | high) << INDEX_BITS,
        ]
    }
}

/// What is asked of each candidate.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    signal: Signal,
    layout: Layout,
    policy: Policy,
    resource: Resource,
    /// What use has to be above to exceed the request, and what is subtracted from it
    /// in the last step: the same, but for the kubelet's inodes (decision D4). Process
    /// ids know no request.
    requested: Option<Requested>,
    subtracted: Option<Requested>,
}

impl Question {
    pub(crate) fn new(signal: Signal, layout: Layout, policy: &Policy) -> Self {
        let resource = signal.resource();
        let storage = Some(Requested::EphemeralStorage);
        let (requested, subtracted) = match resource {
            Resource::Memory => (Some(Requested::Memory), Some(Requested::Memory)),
            Resource::EphemeralStorage => (storage, storage),
            Resource::Inodes if policy.inodes_minus_storage_request => {
                (Some(Requested::Inodes), storage)
            }
            Resource::Inodes => (Some(Requested::Inodes), None),
            Resource::Pids => (None, None),
        };
        Self {
            signal,
            layout,
            policy: *policy,
            resource,
            requested,
            subtracted,
        }
    }

    fn used(&self, candidate: &Candidate<'_>) -> Option<u64> {
        let usage = candidate.usage?;
        Some(measured(self.signal, self.layout, candidate.pod, usage))
    }

    #[inline(never)]
    pub(crate) fn key(&self, candidate: &Candidate<'_>) -> Key {
        let used = self.used(candidate);
        let over = over(used, candidate.pod, self.subtracted);
        let over_request = if self.requested == self.subtracted {
            over
        } else {
            self::over(used, candidate.pod, self.requested)
        };
        let exceeds = used.is_some() && over_request > Amount::ZERO;
        match self.policy.ranking {
            Ranking::Priority => self.by_priority(candidate.pod, used, exceeds, over),
            Ranking::Qos => self.by_qos(candidate.pod, used, exceeds, over),
        }
    }

    /// Kubernetes since 1.9. Process ids know no request, so there priority comes
    /// first (K: `rankPIDPressure`).
    fn by_priority(&self, pod: &Pod, used: Option<u64>, exceeds: bool, over: Amount) -> Key {
        let priority = u64::from((pod.priority() ^ i32::MIN).cast_unsigned());
        let head = if self.resource == Resource::Pids {
            priority << 2 | self.standing(used, false)
        } else {
            self.standing(used, exceeds) << 32 | priority
        };
        Key { head, amount: over }
    }

    /// Where a pod stands by what is known of its usage, lowest first. The kubelet
    /// evicts the unknown before all (decision D59); evictd after those that are
    /// known to exceed their requests, so that a failed read is no death sentence.
    /// Where nobody can exceed one, all that are known come before it.
    fn standing(&self, used: Option<u64>, exceeds: bool) -> u64 {
        match used {
            None if self.policy.missing_stats_rank_first => 0,
            Some(_) if exceeds || self.resource == Resource::Pids => 1,
            None => 2,
            Some(_) => 3,
        }
    }

    /// Kubernetes before 1.9 and OKD 3 (acceptance rows 98 to 106): class by class;
    /// within one, who exceeds the request comes first, by how much, then the rest
    /// by what they use. Disk, inodes and process ids go by use alone.
    fn by_qos(&self, pod: &Pod, used: Option<u64>, exceeds: bool, over: Amount) -> Key {
        let known = used.is_some() == self.policy.missing_stats_rank_first;
        let use_alone = Amount::whole(i128::from(used.unwrap_or(0)));
        let (modest, amount) = match self.resource {
            Resource::Memory if exceeds => (false, over),
            Resource::Memory => (true, use_alone),
            Resource::EphemeralStorage | Resource::Inodes | Resource::Pids => (false, use_alone),
        };
        let class = pod.qos_class() as u64;
        Key {
            head: class << 2 | u64::from(known) << 1 | u64::from(modest),
            amount,
        }
    }

    /// The reasons for a candidate's place.
    pub(crate) fn place(&self, index: usize, candidate: &Candidate<'_>) -> Place {
        let pod = candidate.pod;
        let used = self.used(candidate);
        let nanos = |what: Option<Requested>| what.map_or(0, |what| pod.request(what).nanos());
        let used_nanos = i128::from(used.unwrap_or(0)) * BILLION;
        Place {
            candidate: index,
            signal: self.signal,
            used,
            request_nanos: nanos(self.subtracted),
            exceeds: used.is_some() && used_nanos > nanos(self.requested),
            priority: pod.priority(),
            qos: pod.qos_class(),
        }
    }
}

/// Use minus request. Requests are whole numbers nearly always; only others need
/// reckoning in billionths, which takes longer than all the rest.
fn over(used: Option<u64>, pod: &Pod, subtracted: Option<Requested>) -> Amount {
    let used = i128::from(used.unwrap_or(0));
    let Some(what) = subtracted else {
        return Amount::whole(used);
    };
    match pod.whole_request(what) {
        Some(request) => Amount::whole(used - i128::from(request)),
        None => Amount::from_nanos((used * BILLION).saturating_sub(pod.request(what).nanos())),
    }
}
