//! The helper's side: looks, decides and acts.

use core::time::Duration;
use std::path::Path;

use evictd_cgroup::{Fares, FoundPod, KnobJournal, KnobPlaces, Knobs, Presser};
use evictd_evict::memory_relief::{Act, Lift, Need, Relief, ReliefPod};
use evictd_node::Mono;
use evictd_stats::now;

use super::job::{Job, Told};
use super::told::{given, name, over, put_back};

/// How often the pods are looked at.
pub(super) const EVERY: Duration = Duration::from_secs(1);

/// What was given back is told that often.
const TELL_GIVEN: Duration = Duration::from_secs(10);

/// A page, as the kernel counts what was read back; larger ones only make it less.
const PAGE_BYTES: u64 = 4096;

pub(super) struct Work {
    pub(super) relief: Relief,
    pub(super) knobs: Knobs,
    pub(super) presser: Option<Presser>,
    job: Job,
    pods: Vec<FoundPod>,
    looked_at: Option<Mono>,
    /// What was just said waits for no second.
    is_urgent: bool,
    /// How the pods fared at the last look, by uid.
    fared: Vec<(String, Fares)>,
    pub(super) given: u64,
    told_given: Option<Mono>,
    problems: Vec<String>,
}

impl Work {
    pub(super) fn new(places: KnobPlaces, journal: Option<KnobJournal>) -> Self {
        let memory = places.memory.clone();
        Self {
            relief: Relief::default(),
            knobs: Knobs::open(places, journal),
            presser: memory.map(Presser::new),
            job: Job::default(),
            pods: Vec::new(),
            looked_at: None,
            is_urgent: false,
            fared: Vec::new(),
            given: 0,
            told_given: None,
            problems: Vec::new(),
        }
    }

    /// Puts back what a former evictd has left.
    pub(super) fn put_back(&mut self) -> Vec<Told> {
        let count = self.knobs.undo_all();
        let told = (count > 0).then(|| Told::Relieved(put_back(count)));
        told.into_iter().collect()
    }

    pub(super) fn holds_any(&self) -> bool {
        self.relief.holds_any()
    }

    pub(super) fn is_busy(&self) -> bool {
        self.job.said.need != Need::None || self.relief.holds_any() || !self.knobs.held().is_empty()
    }

    pub(super) fn take(&mut self, mut job: Job) {
        if let Some(pods) = job.pods.take() {
            self.pods = pods;
        }
        self.is_urgent = job.said.is_on != self.job.said.is_on;
        self.job = job;
    }

    /// Looks, where the last look is long enough ago.
    pub(super) fn look_if_due(&mut self) -> Vec<Told> {
        let now = now();
        // A little early is early enough: the loop calls as often. What is to be lifted now is.
        let is_soon = |at: Mono| now.since(at) < EVERY - Duration::from_millis(100);
        let is_urgent = core::mem::take(&mut self.is_urgent);
        if self.looked_at.is_some_and(is_soon) && !is_urgent {
            return Vec::new();
        }
        self.looked_at = Some(now);
        let mut told = self.look(now);
        self.tell_given(now, &mut told);
        told
    }

    pub(super) fn look(&mut self, now: Mono) -> Vec<Told> {
        let mut told = Vec::new();
        let all = core::mem::take(&mut self.pods);
        let Job { said, dry_run, .. } = &self.job;
        let (said, dry_run) = (*said, *dry_run);
        let fares = self.measure(&all);
        let pods = all.iter().zip(&fares);
        let pods = pods.filter_map(|(found, fares)| Some(pod(found, (*fares)?)));
        let pods: Vec<ReliefPod<'_>> = pods.collect();
        let need = said.need_at(now);
        let steps = self.relief.step(now, need, said.is_on, &pods);
        for lift in &steps.over {
            told.push(lifted(lift, &all));
        }
        let uids: Vec<&str> = pods.iter().map(|pod| pod.uid).collect();
        for act in steps.begun {
            let place = act_on(act);
            let found = uids.get(place).and_then(|uid| {
                let mut all = all.iter();
                all.find(|found| found.pod.metadata.uid == *uid)
            });
            if let Some(found) = found {
                self.act(now, act, found, dry_run, &mut told);
            }
        }
        self.put_back_rest(&all);
        self.pods = all;
        told
    }

    /// How each pod fares since the last look; `None` where nothing is known of it.
    fn measure(&mut self, pods: &[FoundPod]) -> Vec<Option<(Fares, Fares)>> {
        let Some(presser) = &mut self.presser else {
            return pods.iter().map(|_| None).collect();
        };
        let mut fared = Vec::new();
        let mut both = Vec::new();
        for found in pods {
            let uid = &found.pod.metadata.uid;
            let fares = fares_of(presser, found);
            let before = self.fared.iter().find(|(of, _)| of == uid);
            both.push(fares.map(|fares| {
                let before = before.filter(|(_, before)| before.inode == fares.inode);
                (before.map_or(fares, |(_, before)| *before), fares)
            }));
            fared.extend(fares.map(|fares| (uid.clone(), fares)));
        }
        self.fared = fared;
        both
    }

    /// Puts back what is not to be set any more, what could not be put back before, and what was
    /// set of pods that are gone from the list.
    fn put_back_rest(&mut self, all: &[FoundPod]) {
        let relief = &self.relief;
        let is_wanted = |cgroup: &Path| {
            let braked = all
                .iter()
                .filter(|found| relief.is_braked(&found.pod.metadata.uid));
            braked.flat_map(FoundPod::cgroups).any(|of| of == cgroup)
        };
        self.knobs.undo_where(|knob| !is_wanted(&knob.cgroup));
    }

    fn tell_given(&mut self, now: Mono, told: &mut Vec<Told>) {
        let is_due = self.told_given.is_none_or(|at| now.since(at) >= TELL_GIVEN);
        if self.given > 0 && is_due {
            self.told_given = Some(now);
            told.push(Told::Relieved(given(core::mem::take(&mut self.given))));
        }
    }

    /// Each of them is told once.
    pub(super) fn problem(&mut self, line: String, told: &mut Vec<Told>) {
        const MOST: usize = 32;
        if self.problems.len() < MOST && !self.problems.contains(&line) {
            told.push(Told::Problem(line.clone()));
            self.problems.push(line);
        }
    }

    /// Puts everything back.
    pub(super) fn end(&mut self) {
        self.relief.end(now());
        self.knobs.undo_all();
    }
}

fn fares_of(presser: &mut Presser, found: &FoundPod) -> Option<Fares> {
    let mut all = found.cgroups().filter_map(|cgroup| presser.fares(cgroup));
    let first = all.next()?;
    Some(all.fold(first, Fares::and))
}

fn pod(found: &FoundPod, (before, fares): (Fares, Fares)) -> ReliefPod<'_> {
    let pod = &found.pod;
    let waited = fares.waited_usec.zip(before.waited_usec);
    let refaulted = fares.refaulted_pages.saturating_sub(before.refaulted_pages);
    ReliefPod {
        uid: &pod.metadata.uid,
        cgroup: fares.inode,
        is_critical: pod.is_critical(),
        usage_bytes: fares.usage_bytes,
        // About a second has passed: a microsecond more is a millionth of it.
        waited_permille: waited.map(|(now, before)| now.saturating_sub(before) / 1000),
        refaulted_bytes: refaulted.saturating_mul(PAGE_BYTES),
    }
}

const fn act_on(act: Act) -> usize {
    match act {
        Act::Reclaim { pod, .. } | Act::Brake { pod, .. } => pod,
    }
}

fn lifted(lift: &Lift, all: &[FoundPod]) -> Told {
    let mut pods = all.iter();
    let found = pods.find(|found| found.pod.metadata.uid == lift.uid);
    let pod = found.map_or_else(|| lift.uid.clone(), |found| name(&found.pod));
    Told::Relieved(over(lift, &pod))
}
