//! What memory is used, and what the kernel does where it is full.

use core::cmp::Reverse;

use evictd_engine::ports::OomKill;

use super::amount::take;
use super::machine::World;
use super::pod::Life;

impl World {
    /// What is used with all caches.
    pub(super) fn memory_used(&self) -> u64 {
        let pods = self.pods.iter().filter(|pod| pod.runs());
        let pods: u64 = pods.map(|pod| pod.held.memory()).sum();
        self.memory_outside() + self.memory.left_behind() + pods
    }

    pub(crate) fn working_set(&self) -> u64 {
        let pods = self.pods.iter().filter(|pod| pod.runs());
        let pods: u64 = pods.map(|pod| pod.held.working_set()).sum();
        self.memory_outside() + self.memory.left_behind() + pods
    }

    /// The kernel's and that of others, and of pods that are gone what is not free yet.
    fn memory_outside(&self) -> u64 {
        self.memory.outside + self.things.beside.memory + self.ebb.freeing()
    }

    /// Memory of pods that are gone which is not free yet.
    pub(crate) fn memory_freeing(&self) -> u64 {
        self.ebb.freeing()
    }

    /// What nobody is evicted for: what is no pod's, and what those hold that nobody may evict.
    pub(crate) fn memory_elsewhere(&self) -> u64 {
        let sacred = self.pods.iter();
        let sacred = sacred.filter(|pod| pod.runs() && pod.is_sacred());
        let sacred: u64 = sacred.map(|pod| pod.held.working_set()).sum();
        self.memory_outside() + self.memory.set_aside + self.memory.left_behind() + sacred
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
                ..OomKill::default()
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
