//! A machine that is made up, for examples and tests: each port as plain data that says
//! what is there, and that notes what was asked of it.

use alloc::collections::{BTreeSet, VecDeque};
use alloc::rc::Rc;
use core::cell::RefCell;
use core::time::Duration;
#[cfg(unix)]
use std::os::fd::BorrowedFd;

use evictd_node::kill::{KillInFlight, KillReport, KillState};
use evictd_node::pod::Pod;
use evictd_node::pod::usage::{ContainerUsage, PodUsage};
use evictd_node::{Mono, Readings, Signal};
use evictd_rank::Candidate;

use crate::ports::{
    Begun, Collected, Deletion, Depth, Heard, Holder, Job, Killing, Listing, News, Node, OomKill,
    Places, Reclaim, Relieved, Runtimes, Sample, Usage,
};

/// How long after SIGKILL a pod that does not die counts as stuck.
const STUCK_AFTER: Duration = Duration::from_secs(10);

/// How long after SIGKILL a pod counts as stuck while memory or disk runs out.
const STUCK_SOONER: Duration = Duration::from_secs(1);

/// A node whose numbers are given.
#[derive(Clone, Debug, Default)]
pub struct FakeNode {
    /// What the next reads return, one after the other; then the last one again.
    pub samples: VecDeque<Sample>,
    /// What cannot be read.
    pub problems: Vec<String>,
    /// Whose first answer is awaited.
    pub awaited: Vec<Signal>,
    /// How long each read was allowed to wait for filesystems.
    pub waits: Vec<Duration>,
    /// How often memory alone was read.
    pub looks: usize,
    /// What bounds alone count as used.
    pub cache: i64,
    /// Where container runtimes keep their things, as the engine was told.
    pub places: Places,
    /// The kernel's own OOM killer is near.
    pub is_near_oom: bool,
}

impl FakeNode {
    /// This is how it is from now on.
    pub fn set(&mut self, sample: Sample) {
        self.samples = VecDeque::from([sample]);
    }

    fn next(&mut self) -> Sample {
        if self.samples.len() > 1 {
            return self.samples.pop_front().unwrap_or_default();
        }
        self.samples.front().copied().unwrap_or_default()
    }
}

impl Node for FakeNode {
    fn read(&mut self, _now: Mono, fs_wait: Duration) -> Sample {
        self.waits.push(fs_wait);
        self.next()
    }

    fn read_memory(&mut self, _now: Mono, depth: Depth) -> Readings {
        self.looks += 1;
        let sample = self.samples.front().copied().unwrap_or_default();
        let mut memory = Readings::default();
        for signal in evictd_node::Signal::ALL {
            if signal.resource() == evictd_node::Resource::Memory {
                let reading = sample.readings.get(signal).map(|mut reading| {
                    if depth == Depth::Bounds {
                        reading.available = reading.available.saturating_sub(self.cache);
                    }
                    reading
                });
                memory.set(signal, reading);
            }
        }
        memory
    }

    fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    fn is_awaited(&self, signal: Signal, _now: Mono) -> bool {
        self.awaited.contains(&signal)
    }

    fn is_near_oom(&self) -> bool {
        self.is_near_oom
    }

    fn follow(&mut self, places: Places) -> Result<bool, String> {
        let is_new = places != self.places;
        self.places = places;
        Ok(is_new)
    }
}

/// A pod, and how it takes being killed.
#[derive(Clone, Debug, Default)]
pub struct FakePod {
    /// What is known of it.
    pub pod: Pod,
    /// What it uses.
    pub usage: Option<PodUsage>,
    /// How long after SIGTERM it ends by itself; `None` never.
    pub ends_after: Option<Duration>,
    /// How long after SIGKILL it is gone; `None` never.
    pub dies_after: Option<Duration>,
    /// Its kill cannot begin.
    pub is_refused: bool,
}

impl FakePod {
    /// A pod with this name, which is its uid too, that uses so much memory and as much
    /// disk, and dies of SIGKILL at once.
    #[must_use]
    pub fn new(name: &str, memory_bytes: u64) -> Self {
        let mut pod = Pod::default();
        pod.metadata.name = name.to_owned();
        pod.metadata.uid = name.to_owned();
        let layer = ContainerUsage {
            rootfs_bytes: Some(memory_bytes),
            ..ContainerUsage::default()
        };
        let usage = PodUsage {
            memory_working_set_bytes: Some(memory_bytes),
            containers: vec![layer],
            ..PodUsage::default()
        };
        Self {
            pod,
            usage: Some(usage),
            ends_after: None,
            dies_after: Some(Duration::ZERO),
            is_refused: false,
        }
    }
}

/// A kill that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeKill {
    /// When.
    pub at: Mono,
    /// Of which pod, by its uid.
    pub uid: String,
    /// How long it had to end by itself.
    pub grace: Duration,
    /// Whether it has ended, well or not.
    pub ended: bool,
}

/// Pods that are given.
#[derive(Clone, Debug, Default)]
pub struct FakePods {
    /// What runs now; seen with the next listing.
    pub running: Vec<FakePod>,
    /// What was listed.
    pub listed: Vec<FakePod>,
    /// The pods as they are decided about.
    pub candidates: Vec<Candidate>,
    /// How deep each listing went.
    pub listings: Vec<Depth>,
    /// All kills that were begun, in their order.
    pub kills: Rc<RefCell<Vec<FakeKill>>>,
    /// Who holds the most memory outside all pods, until that is told.
    pub holder: Option<Holder>,
    /// How often that was asked.
    pub asked_who_holds: usize,
    /// Pods may have limits of their own.
    pub limits: bool,
    /// What they hold on disk takes until then to be measured.
    pub disk_measured_at: Option<Mono>,
    /// What is known of it was measured then, if that is not now.
    pub disk_measured_from: Option<Mono>,
    /// From when on it was wanted the last time.
    pub disk_wanted: Mono,
    /// How often that was asked for.
    pub disk_asked: usize,
    /// There is a container runtime, which is to send the stop signals.
    pub has_runtime: bool,
    /// What it has to say.
    pub news: Vec<News>,
    /// Which pods it has started anew.
    pub returned: Vec<String>,
    /// Which of these were ended again, and whether it was told once more.
    pub ended_again: Vec<(String, bool)>,
    /// What the kernel's own OOM killer has done.
    pub oom_kills: Vec<OomKill>,
    /// How many bytes of file pages they hold.
    pub file_pages: u64,
    /// How much of them was asked for, each time.
    pub pages_asked: Vec<u64>,
    /// What containers wrote stays after them.
    pub files_stay: bool,
    /// How much was given back; `None` while that goes on.
    pub pages_given: Option<u64>,
    /// When they were last listed.
    pub now: Mono,
    /// No pod may be evicted for a soft threshold before.
    pub held_until: Option<Mono>,
    /// Who describes pods and has said nothing yet.
    pub unheard: Vec<String>,
    /// Those who are not heard yet have begun to answer.
    pub has_begun: bool,
    /// Descriptors were lacking for what was read last,
    pub lacks_descriptors: bool,
    /// or are for a kill.
    pub kills_lack_descriptors: bool,
    /// What could not be read of them.
    pub problems: Vec<String>,
}

impl FakePods {
    /// These run.
    #[must_use]
    pub fn of(running: impl IntoIterator<Item = FakePod>) -> Self {
        Self {
            running: running.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The uids of the pods whose kill was begun, in that order.
    #[must_use]
    pub fn killed(&self) -> Vec<String> {
        let kills = self.kills.borrow();
        kills.iter().map(|kill| kill.uid.clone()).collect()
    }

    /// How many kills have not ended.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.kills
            .borrow()
            .iter()
            .filter(|kill| !kill.ended)
            .count()
    }
}

impl Listing for FakePods {
    fn refresh(&mut self, now: Mono, depth: Depth) {
        self.now = now;
        let kills = self.kills.borrow();
        let ended: BTreeSet<&str> = kills
            .iter()
            .filter_map(|kill| kill.ended.then_some(kill.uid.as_str()))
            .collect();
        // One that cannot die runs on.
        self.running.retain(|pod| {
            pod.dies_after.is_none() || !ended.contains(pod.pod.metadata.uid.as_str())
        });
        self.listed.clone_from(&self.running);
        let listed = self.listed.iter();
        let candidate = |listed: &FakePod| Candidate::new(&listed.pod, listed.usage.as_ref());
        self.candidates = listed.map(candidate).collect();
        self.listings.push(depth);
    }

    fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    fn heard(&self) -> Heard {
        match (self.unheard.is_empty(), self.has_begun) {
            (true, _) => Heard::All,
            (false, true) => Heard::Begun,
            (false, false) => Heard::Nothing,
        }
    }

    fn unheard(&self) -> Vec<String> {
        self.unheard.clone()
    }

    fn lacks_descriptors(&self) -> bool {
        self.lacks_descriptors
    }

    fn problems(&self) -> &[String] {
        &self.problems
    }

    fn rest(&mut self) {}

    fn forget(&mut self) {}
}

impl Usage for FakePods {
    fn is_exact(&self, _index: usize) -> bool {
        true
    }

    fn read_exactly(&mut self, _index: usize) {}

    fn name_containers(&mut self, _index: usize) {}

    fn may_have_limits(&self) -> bool {
        self.limits
    }

    fn has_measured_disk(&mut self, since: Mono) -> bool {
        self.disk_asked += 1;
        self.disk_wanted = since;
        self.disk_measured_at.is_none_or(|at| self.now >= at)
            && self.disk_measured_from.is_none_or(|from| from >= since)
    }

    fn ask_for_pages(&mut self, bytes: u64, _until: Mono) -> bool {
        let has_enough = self.file_pages >= bytes;
        self.pages_asked.extend(has_enough.then_some(bytes));
        has_enough
    }

    fn pages_given(&mut self) -> Option<u64> {
        self.pages_given
    }

    fn ask_who_holds(&mut self) {
        self.asked_who_holds += 1;
    }

    fn who_holds(&mut self) -> Option<Holder> {
        self.holder.take_if(|_| self.asked_who_holds > 0)
    }
}

impl Killing for FakePods {
    fn may_evict(&mut self, now: Mono, _index: usize) -> bool {
        self.held_until.is_none_or(|until| now >= until)
    }

    fn begin_kill(&mut self, now: Mono, index: usize, grace: Duration) -> Result<Begun, String> {
        let victim = self.listed.get(index).ok_or("there is no such pod")?;
        if self.kills_lack_descriptors {
            self.lacks_descriptors = true;
            return Err(String::from("too many open files"));
        }
        if victim.is_refused {
            return Err(String::from("refused"));
        }
        let number = self.kills.borrow().len();
        self.kills.borrow_mut().push(FakeKill {
            at: now,
            uid: victim.pod.metadata.uid.clone(),
            grace,
            ended: false,
        });
        let left_to_runtime = self.has_runtime && !grace.is_zero();
        let mut flight = FakeFlight {
            number,
            kills: Rc::clone(&self.kills),
            asked: (!left_to_runtime).then_some(now),
            killed: now + grace,
            ends_after: victim.ends_after,
            dies_after: victim.dies_after,
            stuck_after: STUCK_AFTER,
            report: KillReport::new(now),
        };
        flight.poll(now);
        Ok(Begun {
            kill: Box::new(flight),
            left_to_runtime,
            told_runtime: self.has_runtime,
            files_stay: self.files_stay,
        })
    }

    fn end_again(&mut self, _now: Mono, uid: &str, tell_runtime: bool) -> bool {
        let place = self.returned.iter().position(|one| one == uid);
        if let Some(place) = place {
            self.ended_again
                .push((self.returned.remove(place), tell_runtime));
        }
        place.is_some()
    }

    fn oom_kills(&mut self, _now: Mono) -> Vec<OomKill> {
        core::mem::take(&mut self.oom_kills)
    }
}

impl Runtimes for FakePods {
    fn has_runtimes(&self) -> bool {
        self.has_runtime
    }

    fn ask_runtimes(&mut self) {}

    fn freshen(&mut self, _with_layers: bool) {}

    fn take_news(&mut self) -> Vec<News> {
        core::mem::take(&mut self.news)
    }

    fn places(&self) -> Places {
        Places::default()
    }
}

struct FakeFlight {
    number: usize,
    kills: Rc<RefCell<Vec<FakeKill>>>,
    /// When it was sent SIGTERM.
    asked: Option<Mono>,
    /// When it is sent SIGKILL.
    killed: Mono,
    ends_after: Option<Duration>,
    dies_after: Option<Duration>,
    stuck_after: Duration,
    report: KillReport,
}

impl KillInFlight for FakeFlight {
    fn poll(&mut self, now: Mono) -> KillState {
        if now >= self.killed {
            self.report.kill_sent.get_or_insert(now);
        }
        let by_itself = self
            .asked
            .zip(self.ends_after)
            .map(|(at, after)| at + after);
        let by_force = self.dies_after.map(|after| self.killed + after);
        let gone = by_itself.into_iter().chain(by_force).min();
        let stuck = self.killed + self.stuck_after;
        let state = match gone {
            Some(gone) if now >= gone => KillState::Gone,
            None if now >= stuck => KillState::Stuck,
            _ => {
                let next = [Some(self.killed), gone, Some(stuck)];
                let next = next.into_iter().flatten().filter(|at| *at > now).min();
                let until = next.unwrap_or(now);
                return KillState::Waiting { until };
            }
        };
        self.report.ended = Some(now);
        if let Some(kill) = self.kills.borrow_mut().get_mut(self.number) {
            kill.ended = true;
        }
        state
    }

    fn ask(&mut self) {
        self.asked.get_or_insert(self.report.started);
    }

    fn end_grace(&mut self, now: Mono) {
        self.killed = self.killed.min(now);
    }

    fn expect_effect_soon(&mut self) {
        self.stuck_after = STUCK_SOONER;
    }

    #[cfg(unix)]
    fn each_descriptor(&self, _each: &mut dyn FnMut(BorrowedFd<'_>)) {}

    fn report(&self) -> &KillReport {
        &self.report
    }

    fn held_pids(&self) -> u64 {
        0
    }
}

/// What can be given back.
#[derive(Clone, Debug, Default)]
pub struct FakeReclaim {
    /// All jobs that the container runtimes were handed.
    pub jobs: Vec<Job>,
    /// How many runtimes there are to answer.
    pub runtimes: usize,
    /// What has come of relief steps, until it is taken.
    pub relieved: Vec<Relieved>,
    /// What dead pods left; `None` where no directory was named for it.
    pub leftovers: Option<Collected>,
    /// How often that was collected.
    pub collections: usize,
    /// Until when deleting it takes; `None` where it is done at once.
    pub deleted_at: Option<Mono>,
    /// It is being deleted.
    pub is_deleting: bool,
    /// Of which pods the memory that they left was emptied.
    pub emptied: Vec<String>,
}

impl<P> Reclaim<P> for FakeReclaim {
    fn begin(&mut self, _pods: &mut P, job: Job) -> usize {
        self.jobs.push(job);
        self.runtimes
    }

    fn take_relief(&mut self, _now: Mono) -> Vec<Relieved> {
        core::mem::take(&mut self.relieved)
    }

    fn begin_leftovers(&mut self, _ended: &[String]) -> Result<(), String> {
        self.collections += 1;
        self.is_deleting = true;
        Ok(())
    }

    fn begin_emptying(&mut self, uid: &str) -> Result<(), String> {
        self.emptied.push(uid.to_owned());
        self.is_deleting = true;
        Ok(())
    }

    fn poll_leftovers(&mut self, now: Mono, _pods: &mut P) -> Deletion {
        if !self.is_deleting {
            return Deletion::Nothing;
        }
        if self.deleted_at.is_some_and(|at| now < at) {
            return Deletion::GoesOn(1);
        }
        self.is_deleting = false;
        Deletion::Done(Ok(self.leftovers.clone().unwrap_or_default()))
    }

    fn has_leftovers(&self) -> bool {
        self.leftovers.is_some()
    }
}
