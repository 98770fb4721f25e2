//! The helper's side: looks, decides and acts.

use core::time::Duration;
use std::path::Path;

use evictd_cgroup::{Fares, FoundPod, KnobFile, KnobJournal, KnobPlaces, Knobs, Presser};
use evictd_evict::ladder::{Act, Ladder, LadderPod, Lift, NEWCOMER, Need, Said};
use evictd_node::{MemoryRung, Mono};
use evictd_stats::now;

use super::job::{Asked, Job, Told};
use super::told::{given, name, over, put_back};
use crate::PROC;

/// How often the pods are looked at.
pub(super) const EVERY: Duration = Duration::from_secs(1);

/// What was given back is told that often.
const TELL_GIVEN: Duration = Duration::from_secs(10);

/// A page, as the kernel counts what was read back; larger ones only make it less.
const PAGE_BYTES: u64 = 4096;

pub(super) struct Work {
    pub(super) ladder: Ladder,
    pub(super) knobs: Knobs,
    pub(super) presser: Option<Presser>,
    job: Job,
    pods: Vec<Asked>,
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
            ladder: Ladder::default(),
            knobs: Knobs::open(places, journal),
            presser: memory.and_then(|memory| Presser::open(memory, Path::new(PROC)).ok()),
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
        let told = (count > 0).then(|| Told::Climbed(put_back(count)));
        told.into_iter().collect()
    }

    pub(super) fn holds_any(&self) -> bool {
        self.ladder.holds_any()
    }

    pub(super) fn is_busy(&self) -> bool {
        let said = &self.job.said;
        said.need != Need::None
            || said.stalls
            || self.ladder.holds_any()
            || !self.knobs.held().is_empty()
    }

    pub(super) fn take(&mut self, mut job: Job) {
        if let Some(pods) = job.pods.take() {
            self.pods = pods;
        }
        let said = &job.said;
        self.is_urgent = said.ending.is_some() && said.ending != self.job.said.ending
            || said.allowed != self.job.said.allowed;
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
        let (said, dry_run) = (said.clone(), *dry_run);
        let fares = self.measure(&all);
        let pods = all.iter().zip(&fares);
        let pods = pods.filter_map(|(asked, fares)| Some(pod(asked, (*fares)?, &said)));
        let mut pods: Vec<LadderPod<'_>> = pods.collect();
        if said.allowed.has(MemoryRung::StartStorm) {
            self.note_ages(&all, &mut pods);
        }
        self.ladder.note_stall(said.stalls_at(now));
        let need = said.need_at(now);
        let steps = self.ladder.step(now, need, said.allowed, &pods);
        for lift in &steps.over {
            told.push(lifted(lift, &all));
        }
        let uids: Vec<&str> = pods.iter().map(|pod| pod.uid).collect();
        for act in steps.begun {
            let place = act_on(act);
            let asked = uids.get(place).and_then(|uid| {
                let mut all = all.iter();
                all.find(|asked| asked.found.pod.metadata.uid == *uid)
            });
            if let Some(asked) = asked {
                self.act(now, act, asked, dry_run, &mut told);
            }
        }
        self.put_back_rest(&all);
        self.pods = all;
        told
    }

    /// How each pod fares since the last look; `None` where nothing is known of it.
    fn measure(&mut self, pods: &[Asked]) -> Vec<Option<(Fares, Fares)>> {
        let Some(presser) = &mut self.presser else {
            return pods.iter().map(|_| None).collect();
        };
        let mut fared = Vec::new();
        let mut both = Vec::new();
        for asked in pods {
            let uid = &asked.found.pod.metadata.uid;
            let fares = fares_of(presser, &asked.found);
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

    /// How long ago each pod began, as far as that matters.
    fn note_ages(&mut self, all: &[Asked], pods: &mut [LadderPod<'_>]) {
        let Some(presser) = &mut self.presser else {
            return;
        };
        for seen in pods {
            let mut all = all.iter().map(|asked| &asked.found);
            let found = all.find(|found| found.pod.metadata.uid == seen.uid);
            seen.age = found.and_then(|found| age_of(presser, found));
        }
    }

    /// Puts back what is not to be set any more, what could not be put back before, and what was
    /// set of pods that are gone from the list.
    fn put_back_rest(&mut self, all: &[Asked]) {
        let ladder = &self.ladder;
        let is_wanted = |file: KnobFile, cgroup: &Path| {
            let mut pods = all.iter().map(|asked| &asked.found);
            pods.any(|found| {
                let uid = &found.pod.metadata.uid;
                let is_set = rung_of(file).is_some_and(|rung| ladder.is_set(uid, rung));
                is_set && found.cgroups().any(|of| of == cgroup)
            })
        };
        self.knobs
            .undo_where(|knob| !is_wanted(knob.file, &knob.cgroup));
    }

    fn tell_given(&mut self, now: Mono, told: &mut Vec<Told>) {
        let is_due = self.told_given.is_none_or(|at| now.since(at) >= TELL_GIVEN);
        if self.given > 0 && is_due {
            self.told_given = Some(now);
            told.push(Told::Climbed(given(core::mem::take(&mut self.given))));
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
        self.ladder.end(now());
        self.knobs.undo_all();
    }
}

fn fares_of(presser: &mut Presser, found: &FoundPod) -> Option<Fares> {
    let mut all = found.cgroups().filter_map(|cgroup| presser.fares(cgroup));
    let first = all.next()?;
    Some(all.fold(first, Fares::and))
}

/// That of its oldest process; `None` where any cgroup of it cannot be read.
fn age_of(presser: &mut Presser, found: &FoundPod) -> Option<Duration> {
    let ages = found
        .cgroups()
        .map(|cgroup| presser.age(cgroup, NEWCOMER).ok());
    let ages: Option<Vec<Option<Duration>>> = ages.collect();
    ages?.into_iter().flatten().max()
}

fn pod<'a>(asked: &'a Asked, (before, fares): (Fares, Fares), said: &Said) -> LadderPod<'a> {
    let pod = &asked.found.pod;
    let waited = fares.waited_usec.zip(before.waited_usec);
    let refaulted = fares.refaulted_pages.saturating_sub(before.refaulted_pages);
    LadderPod {
        uid: &pod.metadata.uid,
        cgroup: fares.inode,
        priority: pod.priority(),
        is_critical: pod.is_critical(),
        is_freezable: asked.is_freezable,
        listens: !asked.tells.is_empty(),
        is_ending: said.ending.as_ref() == Some(&pod.metadata.uid),
        usage_bytes: fares.usage_bytes,
        // About a second has passed: a microsecond more is a millionth of it.
        waited_permille: waited.map(|(now, before)| now.saturating_sub(before) / 1000),
        refaulted_bytes: refaulted.saturating_mul(PAGE_BYTES),
        age: None,
    }
}

const fn act_on(act: Act) -> usize {
    match act {
        Act::Reclaim { pod, .. }
        | Act::Tell { pod }
        | Act::Brake { pod, .. }
        | Act::Freeze { pod, .. } => pod,
    }
}

/// The rung that sets a file.
const fn rung_of(file: KnobFile) -> Option<MemoryRung> {
    match file {
        KnobFile::MemoryHigh => Some(MemoryRung::Brake),
        KnobFile::Freeze | KnobFile::FreezerState => Some(MemoryRung::Freeze),
        KnobFile::MemoryMin | KnobFile::CpuWeight | KnobFile::CpuShares => None,
    }
}

fn lifted(lift: &Lift, all: &[Asked]) -> Told {
    let mut pods = all.iter().map(|asked| &asked.found);
    let found = pods.find(|found| found.pod.metadata.uid == lift.uid);
    let pod = found.map_or_else(|| lift.uid.clone(), |found| name(&found.pod));
    Told::Climbed(over(lift, &pod))
}
