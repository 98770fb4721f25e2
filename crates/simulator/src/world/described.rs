//! Who describes the pods: what a runtime lists and tells by itself, and who is remembered to be
//! protected until it has said so again.

use core::time::Duration;
use std::path::PathBuf;

use evictd_engine::ports::{Heard, News};
use evictd_node::Mono;
use evictd_state::Protected;

use super::describing::Describing;
use super::evictd::NEVER;
use super::machine::World;
use crate::feature::Feature;
use crate::violation::Violation;

/// Who describes pods here.
const RUNTIME: &str = "runtime";

/// A list is young enough for so long to choose a pod by,
const YOUNG: Duration = Duration::from_secs(1);

/// and waited for so long.
const WAIT: Duration = Duration::from_millis(10);

/// What was told is in a list that begins within that time (docs/containers.md: at most ten of
/// them a second), and some more.
const SOON: Duration = Duration::from_millis(150);

/// What is remembered of who is protected.
impl World {
    /// Whether somebody who is silent since the start protects it.
    pub(crate) fn remembers(&self, uid: &str) -> bool {
        let silent = self.describing.remembered.silent();
        silent.iter().any(|cgroup| cgroup.as_os_str() == uid)
    }

    /// Pods were listed: evictd notes who is protected as far as that is said.
    pub(crate) fn note_protected(&mut self) {
        let is_heard = self.heard() == Heard::All;
        let listed = self.listed.iter();
        let listed = listed.filter_map(|of| self.pods.get(of.index));
        let described = listed.filter(|pod| is_heard && pod.described_at <= self.now);
        let critical = described.filter(|pod| pod.pod.is_critical());
        let critical: Vec<String> = critical.map(|pod| pod.uid.clone()).collect();
        let answered: &[&str] = if is_heard { &[RUNTIME] } else { &[] };
        let said = critical.iter();
        let said = said.map(|uid| (PathBuf::from(uid), RUNTIME.to_owned()));
        let describing = &mut self.describing;
        describing.remembered.note(answered, said.collect());
        if is_heard {
            describing.shown = critical;
        }
    }

    /// evictd has read its state, which says who is protected: what it was shown before.
    pub(crate) fn restore_protected(&mut self, known: &Protected, spared: Vec<String>) {
        let describing = &mut self.describing;
        describing.remembered.restore(known);
        describing.shown.clone_from(&spared);
        describing.spared = spared;
    }
}

/// What a runtime lists, and tells by itself.
impl World {
    /// Whether new pods are known by the lists of a runtime alone.
    pub(crate) fn tells_what_is_new(&self) -> bool {
        self.plan.features.has(Feature::Events) && self.runtime.exists
    }

    /// evictd starts: the first list has all that runs.
    pub(super) fn begin_to_describe(&mut self) {
        let (heard_at, random) = (self.heard_at, self.describing.random.clone());
        self.describing = Describing::of(self.plan.seed);
        self.describing.random = random;
        self.describing.follow_from(heard_at);
        if self.tells_what_is_new() {
            for pod in self.pods.iter_mut().filter(|pod| pod.runs()) {
                pod.described_at = heard_at;
            }
        }
    }

    /// The last pod has just started: the runtime tells of it, mostly once.
    pub(super) fn has_started(&mut self) {
        if !self.tells_what_is_new() {
            return;
        }
        let (now, describing) = (self.now, &mut self.describing);
        if let Some(pod) = self.pods.last_mut() {
            pod.described_at = now + NEVER;
        }
        let times = [0, 1, 1, 1, 1, 2];
        for _ in 0..describing.random.pick(&times).unwrap_or(1) {
            let after = Duration::from_millis(describing.random.within(1, 50));
            describing.events.push(now + after);
        }
    }

    /// When something happens there next.
    pub(super) fn next_told(&self) -> Option<Mono> {
        if !self.tells_what_is_new() {
            return None;
        }
        let of = &self.describing;
        let list = of.list.map(|(_, done, _)| done);
        let events = of.events.iter().copied().chain(list);
        events.chain([of.waits_until]).min()
    }

    /// What the runtime tells is followed, and what it lists is taken in.
    pub(super) fn follow_runtime(&mut self) {
        if !self.tells_what_is_new() {
            return;
        }
        let now = self.now;
        self.take_list();
        let is_away = self.runtime_is_away();
        let describing = &mut self.describing;
        let events = describing.events.extract_if(.., |at| *at <= now);
        let anything = events.count() > 0 && !is_away && now >= self.heard_at;
        if core::mem::replace(&mut describing.was_away, is_away) && !is_away {
            describing.follow_from(now);
        }
        if is_away {
            describing.news_since = None;
        } else if anything {
            describing.news_since.get_or_insert(now);
        }
        if anything || now >= describing.waits_until {
            if describing.told.hear(now, anything) && !self.list_anew() {
                self.describing.told.again();
            }
            let wait = self.describing.told.at_most(now);
            self.describing.waits_until = now + wait;
        }
    }

    /// Has the runtime list what it holds. Returns whether it does so from now on.
    pub(crate) fn list_anew(&mut self) -> bool {
        if self.describing.list.is_some() {
            return false;
        }
        let answers = !self.runtime_is_away();
        let done = self.now + self.runtime_takes();
        self.describing.list = Some((self.now, done, answers));
        self.describing.news_since = None;
        true
    }

    /// Pods are about to be chosen from: a list that is old, or that lacks what was told since,
    /// is made anew, and waited for a moment.
    pub(crate) fn list_what_is_new(&mut self) {
        let (now, of) = (self.now, &self.describing);
        let is_young = of.listed_at.is_some_and(|at| now.since(at) < YOUNG);
        let is_fresh = is_young && of.list.is_none() && of.news_since.is_none();
        if self.tells_what_is_new() && !is_fresh {
            self.list_anew();
            let done = self.describing.list.map(|(_, done, _)| done);
            self.advance(done.map_or(now, |done| done.min(now + WAIT)));
        }
    }

    fn take_list(&mut self) {
        let now = self.now;
        let done = self.describing.list.take_if(|(_, done, _)| *done <= now);
        let Some((begun, _, answers)) = done else {
            return;
        };
        self.describing.list_ended = now;
        if answers {
            self.describing.listed_at = Some(now);
            let new = self.pods.iter_mut().filter(|pod| pod.began <= begun);
            for pod in new.filter(|pod| pod.described_at > now) {
                pod.described_at = now;
            }
        }
        self.say(Duration::ZERO, News::Listed);
    }

    /// What a runtime has told leads to a list: at once, or once the one that goes on has ended.
    pub(crate) fn judge_told(&mut self) {
        let (now, of) = (self.now, &self.describing);
        let Some(since) = of.news_since.filter(|_| of.list.is_none()) else {
            return;
        };
        if now > since.max(of.list_ended) + SOON {
            let text = format!("what the runtime has told by {since} is in no list");
            let found = Violation::new("unlisted", now, text);
            self.violations.push(found);
        }
    }
}
