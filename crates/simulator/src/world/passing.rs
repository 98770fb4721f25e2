//! Time passes: pods grow, die and come back.

use core::time::Duration;

use evictd_node::Mono;

use super::amount::{MIB, take};
use super::clock::set;
use super::disk::{self, DeadContainer};
use super::machine::World;
use super::pod::{self, Growth, Life, What};
use crate::feature::{Feature, Features};

/// A controller gives up after so many.
const MOST_INCARNATIONS: u32 = 6;

/// What runs again within seconds of its eviction is ended at once; a little less, as evictd
/// may have noticed later that it was gone.
const IS_HELD: Duration = Duration::from_secs(4);

impl World {
    /// Time passes.
    pub(crate) fn advance(&mut self, to: Mono) {
        while self.now < to {
            let next = self.next_change().map_or(to, |at| at.min(to)).max(self.now);
            let (from, features) = (self.now, self.plan.features);
            for pod in self.pods.iter_mut().filter(|pod| pod.runs()) {
                let slows = pod.was_struck && matches!(pod.life, Life::Dies(_));
                pod.grow(from, next, slows);
            }
            for disk in &mut self.disks {
                let more = disk.growth.map_or(0, |growth| growth.between(from, next));
                disk.outside = disk.outside.saturating_add(more).min(disk.capacity);
            }
            self.memory.grow(from, next);
            self.memory.set_aside(next, self.memory_used());
            if next > from {
                self.now = next;
                self.random = self.dice_now(2);
            }
            set(next);
            self.ebb(from, next);
            self.give_pages();
            self.fit_disks();
            self.fit_memory();
            self.let_die();
            self.relieve_if_due();
            self.bring_back(features);
            self.follow_runtime();
            if next == from {
                // All that was due has been done at this very moment.
                self.now = self.now + Duration::from_nanos(1);
            }
        }
        set(self.now);
    }

    /// When something happens next that is not growth.
    pub(crate) fn next_change(&self) -> Option<Mono> {
        let dies = self.pods.iter().filter_map(|pod| match pod.life {
            Life::Dies(at) => at,
            Life::Runs | Life::Gone(_) => None,
        });
        let back = self.comes_back.iter().map(|(at, ..)| *at);
        let ebbs = self.ebb.next(self.now);
        let others = [self.reliever.looks_at, self.next_told(), ebbs];
        dies.chain(back).chain(others.into_iter().flatten()).min()
    }

    fn let_die(&mut self) {
        for index in 0..self.pods.len() {
            let due = self
                .pods
                .get(index)
                .is_some_and(|pod| matches!(pod.life, Life::Dies(Some(at)) if at <= self.now));
            if due {
                self.end(index);
            }
        }
    }

    /// A pod is gone: what it leaves stays.
    pub(crate) fn end(&mut self, index: usize) {
        let now = self.now;
        let Some(pod) = self.pods.get_mut(index).filter(|pod| pod.runs()) else {
            return;
        };
        pod.life = Life::Gone(now);
        if self.in_flight.as_ref() == Some(&pod.uid) {
            pod.evicted_at = Some(now);
        }
        let comes_back = core::mem::take(&mut pod.is_replaced);
        let (uid, held, number) = (pod.uid.clone(), pod.held, pod.number);
        let incarnation = pod.incarnation;
        let reaped = now + pod.reaped_after;
        pod.held = pod::Held::default();
        self.free_later(held.anon);
        if held.tmpfs > 0 {
            self.memory.left.push((uid.clone(), held.tmpfs));
        }
        if reaped > now {
            self.zombies.push((reaped, held.pids));
        }
        let has_leftovers = self.plan.features.has(Feature::Leftovers);
        if has_leftovers && held.volume > 0 {
            self.things.leftovers.push((uid.clone(), held.volume));
        }
        if self.runtime.exists {
            self.things.dead.push(DeadContainer {
                uid: uid.clone(),
                is_replaced: comes_back,
                layer: held.layer,
                inodes: held.layer_inodes,
                logs: held.logs,
                died: now,
            });
        }
        if comes_back && incarnation < MOST_INCARNATIONS && !self.is_calm() {
            let after = Duration::from_millis(self.random.within(50, 10_000));
            self.comes_back.push((now + after, number, incarnation + 1));
        }
        self.tell(|| format!("pod {uid} is gone"));
    }

    fn bring_back(&mut self, features: Features) {
        let now = self.now;
        let due: Vec<(Mono, u32, u32)> = self
            .comes_back
            .extract_if(.., |(at, ..)| *at <= now)
            .collect();
        let [disk, _] = &self.disks;
        let sizes = (self.memory.total, disk.capacity);
        for (_, number, incarnation) in due {
            let seed = self.plan.seed;
            let pod = pod::make(
                (seed, number, incarnation),
                features,
                now,
                sizes,
                self.chaos_ends,
            );
            self.tell(|| format!("a controller starts {}", pod.uid));
            self.pods.push(pod);
            self.has_started();
            self.fit_memory();
        }
        self.zombies.retain(|(at, _)| *at > now);
    }

    /// Nobody writes more to a disk than it has.
    fn fit_disks(&mut self) {
        let places = disk::places(self.layout);
        for (index, disk) in self.disks.iter().enumerate() {
            let (used, inodes) = disk::used(index, disk, places, &self.pods, &self.things);
            let (mut over, mut over_inodes) = (
                used.saturating_sub(disk.capacity),
                inodes.saturating_sub(disk.inodes),
            );
            for pod in self.pods.iter_mut().filter(|pod| pod.runs()) {
                let [nodefs, _, containerfs] = places;
                if index == nodefs {
                    take(&mut pod.held.logs, &mut over);
                    take(&mut pod.held.volume, &mut over);
                }
                if index == containerfs {
                    take(&mut pod.held.layer, &mut over);
                    take(&mut pod.held.layer_inodes, &mut over_inodes);
                }
            }
        }
    }

    /// The processes of a pod are sent SIGTERM.
    pub(crate) fn ask_to_end(&mut self, uid: &str) {
        let now = self.now;
        let index = self.index_of(uid);
        if let Some(pod) = index.and_then(|index| self.pods.get_mut(index))
            && pod.life == Life::Runs
        {
            pod.end_by_itself(now);
        }
    }

    /// They are sent SIGKILL.
    pub(crate) fn kill(&mut self, uid: &str) {
        let now = self.now;
        let index = self.index_of(uid);
        let Some(pod) = index.and_then(|index| self.pods.get_mut(index)) else {
            return;
        };
        if pod.runs() {
            let by_force = pod.dies_after.map(|after| now + after);
            let former = match pod.life {
                Life::Dies(at) => at,
                Life::Runs | Life::Gone(_) => None,
            };
            pod.life = Life::Dies(by_force.into_iter().chain(former).min());
        }
    }

    /// A container runtime has started a pod again that was ended.
    pub(crate) fn start_again(&mut self, uid: &str) {
        let chaos_ends = self.chaos_ends;
        let now = self.now;
        let index = self.index_of(uid);
        if let Some(pod) = index.and_then(|index| self.pods.get_mut(index))
            && !pod.runs()
        {
            self.kills.returned.retain(|(of, _)| of != uid);
            let is_held = pod.evicted_at.is_some_and(|at| now.since(at) < IS_HELD);
            if is_held {
                self.kills.returned.push((uid.to_owned(), now));
            }
            pod.life = Life::Runs;
            pod.knobs.start_anew();
            pod.held.anon = 4 * MIB;
            pod.held.pids = 2;
            pod.growths = vec![Growth {
                what: What::Anon,
                from: now,
                until: chaos_ends,
                per_second: 16 * MIB,
            }];
            self.fit_memory();
        }
    }
}
