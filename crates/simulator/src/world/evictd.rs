//! What the world keeps of evictd: since when it runs, what it was shown, what it asked for,
//! whom it has begun to end.

use core::time::Duration;

use evictd_engine::ports::{Collect, Heard, Job, Relieved};
use evictd_node::{Mono, ReliefStep, Signal, Unit};
use evictd_threshold::Threshold;

use super::amount::take;
use super::machine::World;
use super::pod::Life;
use super::shown::{Asked, Given};
use crate::feature::Feature;
use crate::violation::Violation;

/// Longer than any world lasts.
pub(super) const NEVER: Duration = Duration::from_secs(24 * 3600);

/// The kernel is asked for file pages that often in ten seconds at most.
const MOST_ASKED: usize = 100;

impl World {
    /// evictd starts.
    pub(crate) fn evictd_begins(&mut self) {
        self.began = self.now;
        let late = self.has(Feature::LateManifests);
        let silent = if late { self.random.within(0, 8000) } else { 0 };
        self.heard_at = self.now + Duration::from_millis(silent);
        if self.plan.features.has(Feature::Unheard) && self.plan.seed.is_multiple_of(3) {
            self.heard_at = self.now + NEVER;
        }
        self.begin_to_describe();
        self.given = Given::default();
        self.walk = None;
        self.reliever_begins();
        self.pages.coming = None;
        (self.in_flight, self.kills.graceful) = (None, None);
        self.last_gone = None;
        self.stuck.clear();
        self.memory.elsewhere_in_plenty = None;
        self.kills.tried.clear();
        self.kills.returned.clear();
        self.kills.down.clear();
        self.asked = Asked::default();
        self.runtime.forget_evictd();
        for pod in &mut self.pods {
            (pod.measured, pod.evicted_at) = (None, None);
        }
    }

    /// evictd goes by these thresholds from now on.
    pub(crate) fn take_thresholds(&mut self, all: &[Threshold]) {
        self.things.thresholds = all.to_vec();
        let of_disks = all.iter().filter(|of| {
            let signal = of.signal;
            signal.filesystem().is_some() && signal.unit() == Unit::Bytes
        });
        let capacity = self.disk_truth(0).map_or(0, |[bytes, _]| bytes.capacity);
        let needed = of_disks.map(|of| of.clear_at(capacity).value()).max();
        self.things.needed = u64::try_from(needed.unwrap_or(0)).unwrap_or(0);
    }

    pub(crate) fn heard(&self) -> Heard {
        let half = self.heard_at.since(self.began) / 2;
        if self.now >= self.heard_at {
            Heard::All
        } else if self.now >= self.began + half {
            Heard::Begun
        } else {
            Heard::Nothing
        }
    }

    /// A kill begins.
    pub(crate) fn begin_to_end(&mut self, uid: &str) {
        let index = self.index_of(uid);
        if let Some(pod) = index.and_then(|index| self.pods.get_mut(index)) {
            pod.was_struck = true;
        }
        self.in_flight = Some(uid.to_owned());
    }

    /// A kill has failed.
    pub(crate) fn is_stuck(&mut self, uid: &str) {
        self.stuck.push((uid.to_owned(), self.now));
        self.kills.tried.push(uid.to_owned());
        // Nobody waits for its end any more: what is started in it may be chosen again later.
        let index = self.index_of(uid);
        if let Some(pod) = index.and_then(|index| self.pods.get_mut(index)) {
            pod.evicted_at = None;
        }
    }

    /// A pod is chosen: in the same round as the one before where that has failed in this turn.
    pub(crate) fn choose_next(&mut self) {
        let began = self.turn_began;
        if self.stuck.last().is_none_or(|(_, at)| *at < began) {
            self.kills.tried.clear();
        }
    }

    pub(crate) fn held_pids(&self, uid: &str) -> u64 {
        let index = self.index_of(uid);
        let pod = index.and_then(|index| self.pods.get(index));
        let gone = pod.and_then(|pod| match pod.life {
            Life::Gone(at) => Some(at + pod.reaped_after),
            Life::Runs | Life::Dies(_) => None,
        });
        u64::from(gone.is_some_and(|until| self.now < until))
    }

    /// The most that pods which may be evicted held together since the last eviction.
    pub(crate) fn note_most_held(&mut self) {
        for signal in Signal::ALL {
            let listed = self.listed.iter();
            let listed = listed.filter_map(|of| self.pods.get(of.index));
            // A critical one that nobody has described looks like any other.
            let held = listed.filter(|pod| !pod.is_protected).map(|pod| {
                let disk = pod.measured.map(|(_, held)| held).unwrap_or_default();
                let of_disk = signal.filesystem().is_some();
                self.held_of(signal, if of_disk { &disk } else { &pod.held })
            });
            let held: u64 = held.sum();
            match self.most_held.iter_mut().find(|(of, _)| *of == signal) {
                Some((_, most)) => *most = held.max(*most),
                None => self.most_held.push((signal, held)),
            }
        }
    }

    /// What the walk over pods' directories has found is known with the next list of pods.
    pub(crate) fn end_walk(&mut self) {
        let Some((begun, _)) = self.walk.take_if(|(_, done)| self.now >= *done) else {
            return;
        };
        // What is found is what lay there when the walk passed: here when it began.
        for (uid, held) in core::mem::take(&mut self.walked) {
            let index = self.index_of(&uid);
            if let Some(pod) = index.and_then(|index| self.pods.get_mut(index)) {
                pod.measured = Some((begun, held));
            }
        }
    }

    /// Whether all pods' disk use was measured since then; else it is measured now.
    pub(crate) fn has_measured_disk(&mut self, since: Mono) -> bool {
        let mut running = self.pods.iter().filter(|pod| pod.runs());
        if running.all(|pod| pod.measured.is_some_and(|(at, _)| at >= since)) {
            return true;
        }
        self.begin_walk();
        false
    }

    /// What pods hold on disks is measured now, unless it is.
    pub(crate) fn begin_walk(&mut self) {
        let now = self.now;
        if self.walk.is_none() {
            let slow = self.now_and_then(Feature::SlowWalk, 0, 2);
            let most = if slow { 20_000 } else { 100 };
            let millis = self.dice(Feature::SlowWalk, 1).within(1, most);
            self.walk = Some((now, now + Duration::from_millis(millis)));
            let running = self.pods.iter().filter(|pod| pod.runs());
            self.walked = running.map(|pod| (pod.uid.clone(), pod.held)).collect();
        }
    }

    /// The kernel is asked for file pages; it takes a moment.
    pub(crate) fn ask_for_pages(&mut self, bytes: u64, _until: Mono) -> bool {
        if !self.plan.features.has(Feature::Pages) {
            return false;
        }
        let running = self.pods.iter().filter(|pod| pod.runs());
        let there: u64 = running.map(|pod| pod.held.active).sum();
        if there < bytes {
            return false;
        }
        let millis = self.dice(Feature::Pages, 0).within(1, 80);
        self.pages.coming = Some((self.now + Duration::from_millis(millis), bytes));
        self.note_asked_pages();
        true
    }

    fn note_asked_pages(&mut self) {
        let now = self.now;
        self.pages
            .asked
            .retain(|at| now.since(*at) < Duration::from_secs(10));
        self.pages.asked.push(now);
        if self.pages.asked.len() > MOST_ASKED {
            let text = format!("file pages are asked for {MOST_ASKED} times in ten seconds");
            self.violations.push(Violation::new("spins", now, text));
        }
    }

    pub(crate) fn pages_given(&self) -> Option<u64> {
        self.pages
            .coming
            .filter(|(at, _)| self.now >= *at)
            .map(|(_, given)| given)
    }

    /// The pages are given back once their time has come.
    pub(crate) fn give_pages(&mut self) {
        let Some((at, mut bytes)) = self.pages.coming else {
            return;
        };
        if self.now < at || self.pages.given == Some(at) {
            return;
        }
        self.pages.given = Some(at);
        for pod in &mut self.pods {
            take(&mut pod.held.active, &mut bytes);
        }
    }

    /// A relief step that needs no runtime.
    pub(crate) fn climb_later(&mut self, job: Job) {
        let slow = self.now_and_then(Feature::SlowWalk, 2, 3);
        let most = if slow { 10_000 } else { 50 };
        let millis = self.dice(Feature::SlowWalk, 3).within(1, most);
        self.climbing
            .push((self.now + Duration::from_millis(millis), job));
    }

    pub(crate) fn take_relief(&mut self) -> Vec<Relieved> {
        let now = self.now;
        let due = self.climbing.extract_if(.., |(at, _)| *at <= now);
        let due: Vec<(Mono, Job)> = due.collect();
        due.into_iter()
            .map(|(_, job)| (job.number, Ok(self.collect(job))))
            .collect()
    }

    pub(crate) fn note_asked(&mut self, what: &Collect) {
        self.judge_asked(what);
        let (asked, now) = (&mut self.asked, Some(self.now));
        match what {
            Collect::Containers { all_unused, .. } => {
                if *all_unused {
                    asked.containers = now;
                }
            }
            Collect::Images(job) => {
                if *job != evictd_gc::ImageJob::Watermark {
                    asked.images = now;
                }
            }
            Collect::Step(relief) => match relief.rung {
                ReliefStep::BuildCache => asked.builds = now,
                ReliefStep::Directories => asked.directories = now,
                ReliefStep::Reserve => asked.reserve = now,
                ReliefStep::Logs => {
                    let device = relief.device;
                    self.judge_logs(device);
                }
            },
            Collect::OwnLog { .. } | Collect::Tidy => {}
        }
    }

    /// What dead pods left is deleted: of one of them in memory, or of all on the disk.
    pub(crate) fn delete_leftovers(&mut self, of: Option<&str>) -> usize {
        let running = self.pods.iter().filter(|pod| pod.runs());
        let running: Vec<String> = running.map(|pod| pod.uid.clone()).collect();
        if let Some(uid) = of {
            let before = self.memory.left.len();
            self.memory.left.retain(|(left, _)| left != uid);
            return before - self.memory.left.len();
        }
        let before = self.things.leftovers.len();
        self.things
            .leftovers
            .retain(|(uid, _)| running.contains(uid));
        before - self.things.leftovers.len()
    }

    /// When something is there that wakes the loop.
    pub(crate) fn wakes_at(&self) -> Option<Mono> {
        let dies = self.in_flight.as_deref().and_then(|uid| {
            let pod = self.pods.get(self.index_of(uid)?)?;
            match pod.life {
                Life::Dies(at) => at,
                Life::Gone(at) => Some(at),
                Life::Runs => None,
            }
        });
        let climbs = self.climbing.iter().map(|(at, _)| *at);
        climbs.chain(dies).chain(self.runtime.next()).min()
    }
}
