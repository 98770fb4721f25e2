//! The world's memory: what holds it, what the kernel does where it is full.

use core::cmp::Reverse;

use evictd_engine::ports::OomKill;
use evictd_node::Mono;

use super::pod::{Growth, Life, What};
use super::{MIB, World, take};
use crate::feature::{Feature, Features};
use crate::random::Random;

/// Memory that is no pod's, and how much there is.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) total: u64,
    /// The kernel's and that of processes outside all pods.
    pub(crate) outside: u64,
    growth: Option<Growth>,
    pub(crate) swap: u64,
    /// What dead pods left in memory, by their uids.
    pub(crate) left: Vec<(String, u64)>,
}

impl Memory {
    pub(super) fn of(seed: u64, features: Features, chaos_ends: Mono) -> Self {
        let mut random = Random::new(seed, 4);
        let r = &mut random;
        let total = r
            .pick(&[256, 512, 1024, 4096, 16_384, 65_536])
            .unwrap_or(1024)
            * MIB;
        let grows = features.has(Feature::OutsideMemory) && r.one_in(2);
        let from = Mono::from_millis(r.within(0, 40_000));
        let until = Mono::from_millis(from.as_nanos() / 1_000_000 + r.within(100, 30_000));
        Self {
            total,
            outside: r.within(total / 50, total / 4),
            growth: grows.then(|| Growth {
                what: What::Anon,
                from,
                until: until.min(chaos_ends),
                per_second: total / r.within(10, 300),
            }),
            swap: if features.has(Feature::Swap) {
                r.within(1, total / MIB) * MIB
            } else {
                0
            },
            left: Vec::new(),
        }
    }

    pub(super) fn grow(&mut self, from: Mono, to: Mono) {
        let more = self.growth.map_or(0, |growth| growth.between(from, to));
        self.outside = self.outside.saturating_add(more).min(self.total * 9 / 10);
    }

    fn left_behind(&self) -> u64 {
        self.left.iter().map(|(_, bytes)| bytes).sum()
    }
}

impl World {
    /// What is used with all caches.
    fn memory_used(&self) -> u64 {
        let pods = self.pods.iter().filter(|pod| pod.runs());
        let pods: u64 = pods.map(|pod| pod.held.memory()).sum();
        self.memory.outside + self.memory.left_behind() + pods
    }

    pub(crate) fn working_set(&self) -> u64 {
        let pods = self.pods.iter().filter(|pod| pod.runs());
        let pods: u64 = pods.map(|pod| pod.held.working_set()).sum();
        self.memory.outside + self.memory.left_behind() + pods
    }

    pub(crate) fn swap_used(&self) -> u64 {
        let pods = self.pods.iter().filter(|pod| pod.runs());
        pods.map(|pod| pod.held.swap).sum()
    }

    /// Whether the kernel's own OOM killer is near.
    pub(crate) fn is_near_oom(&self) -> bool {
        let left = self.memory.total.saturating_sub(self.working_set());
        let swap = self.memory.swap.saturating_sub(self.swap_used());
        left.saturating_add(swap) < self.memory.total / 128
    }

    /// The kernel makes room: page cache first, then swap, then the OOM killer.
    pub(super) fn fit_memory(&mut self) {
        let mut over = self.memory_used().saturating_sub(self.memory.total);
        if over == 0 {
            return;
        }
        for pod in &mut self.pods {
            take(&mut pod.held.inactive, &mut over);
        }
        for pod in &mut self.pods {
            take(&mut pod.held.active, &mut over);
        }
        let mut room = self.memory.swap.saturating_sub(self.swap_used());
        for pod in &mut self.pods {
            let amount = pod.held.anon.min(over).min(room);
            pod.held.anon -= amount;
            pod.held.swap += amount;
            (over, room) = (over - amount, room - amount);
        }
        if over > 0 {
            self.oom_kill(over);
        }
    }

    /// The largest goes; where it does not die at once, nobody gets any more.
    fn oom_kill(&mut self, mut over: u64) {
        let running = self.pods.iter().enumerate();
        let killable = running.filter(|(_, pod)| pod.life == Life::Runs && !pod.is_protected);
        let largest = killable.max_by_key(|(index, pod)| (pod.held.anon, Reverse(*index)));
        if let Some((index, pod)) = largest {
            self.oom_strikes += 1;
            let uid = pod.uid.clone();
            self.oom_kills.push(OomKill {
                namespace: pod.pod.metadata.namespace.clone(),
                name: pod.pod.metadata.name.clone(),
                uid: uid.clone(),
                kills: 1,
                at_limit: false,
            });
            self.tell(|| format!("the kernel's OOM killer ends {uid}"));
            self.end(index);
            over = self.memory_used().saturating_sub(self.memory.total);
        }
        for pod in &mut self.pods {
            take(&mut pod.held.anon, &mut over);
            take(&mut pod.held.tmpfs, &mut over);
        }
        take(&mut self.memory.outside, &mut over);
    }
}
