//! The state machine, and the pods that it decides about.

use core::time::Duration;

use evictd_evict::{Cause, Evict, Eviction, Met, Observation, Outcome, Plan, Step};
use evictd_gc::Enough;
use evictd_node::{Mono, Reading, Readings, Unit};
use evictd_rank::{Candidate, Place};

use super::decision::decision;
use super::sampled::Sampled;
use crate::event::{Decision, full_name};
use crate::pace::{is_disk, is_memory};
use crate::picture::{Picture, SOON};
use crate::ports::{Depth, Holder, Node, Pods};
use crate::settings::Settings;
use crate::timers::{Timer, Timers};

/// How often the list of pods is made anew that is kept for when memory is short.
const LISTING_EVERY: Duration = Duration::from_secs(10);

/// How often the pods are listed for who asks which of them is next.
const ANSWERS_EVERY: Duration = Duration::from_secs(1);

/// How soon two looks at what pods take from each other can be compared.
pub(super) const SECOND_LOOK: Duration = Duration::from_millis(320);

/// So long an eviction for lost time waits for a second look at pods that have just begun, at
/// most: whoever begins after that is not waited for.
const STALLERS_WAIT: Duration = Duration::from_secs(1);

/// How often the pods are looked at while time is lost and no threshold of it is met.
const STALLING_EVERY: Duration = Duration::from_millis(500);

/// The state machine with the pods' port. Whatever it is shown of pods it is shown here.
pub(super) struct Deciding<P> {
    pub(super) evict: Evict,
    /// The pods, as last listed.
    pub(super) pods: P,
    pub(super) picture: Picture,
    /// When the pods were listed whole last.
    listed_whole: Option<Mono>,
    looked_who_stalls: Option<Mono>,
    /// Since when an eviction waits until it is known who stalls.
    awaits_stallers: Option<Mono>,
}

impl<P: Pods> Deciding<P> {
    pub(super) fn new(evict: Evict, pods: P) -> Self {
        Self {
            evict,
            pods,
            picture: Picture::default(),
            listed_whole: None,
            looked_who_stalls: None,
            awaits_stallers: None,
        }
    }

    /// Looks how much was heard of those who describe pods.
    pub(super) fn look_at_picture(&mut self, now: Mono) {
        self.picture.look(now, &self.pods);
    }

    /// Lists the pods.
    pub(super) fn list(&mut self, now: Mono, depth: Depth) {
        self.look_at_picture(now);
        self.listed_whole = (depth == Depth::Whole).then_some(now);
        self.pods.refresh(now, depth);
    }

    /// Lists them for who asks from outside: once a second, however often that is.
    pub(super) fn list_for_answer(&mut self, now: Mono) {
        let is_new = |at: Mono| now.since(at) < ANSWERS_EVERY;
        if !self.listed_whole.is_some_and(is_new) {
            self.list(now, Depth::Whole);
        }
    }

    /// Lists them as deep as the plan that is carried out needs.
    pub(super) fn list_for_plan(&mut self, now: Mono) {
        let depth = if self.evict.takes_bounds() {
            Depth::Bounds
        } else {
            Depth::Whole
        };
        self.list(now, depth);
    }

    /// What is wanted by what was just measured. With pods, as last listed, their own limits
    /// are looked at too.
    pub(super) fn step(
        &mut self,
        now: Mono,
        observation: &Observation<'_>,
        with_pods: bool,
    ) -> Plan {
        let pods = with_pods.then(|| self.pods.candidates());
        self.evict.step(now, observation, pods)
    }

    /// What is wanted next, after that came of a plan.
    pub(super) fn outcome(&mut self, now: Mono, outcome: Outcome<'_>) -> Plan {
        if !matches!(
            outcome,
            Outcome::Begun | Outcome::Killed | Outcome::CleanedUp
        ) {
            self.read_what_counts(now);
        }
        let pods = self.pods.candidates();
        self.evict.outcome(now, outcome, Some(pods))
    }

    /// Reads what some pods use exactly, until no other one can rank first.
    fn read_what_counts(&mut self, now: Mono) {
        let next = |evict: &mut Evict, pods: &P| {
            evict.to_read_exactly(now, pods.candidates(), |index| pods.is_exact(index))
        };
        while let Some(next) = next(&mut self.evict, &self.pods) {
            self.pods.read_exactly(next);
        }
    }

    /// Whether the state machine acts for a disk.
    pub(super) fn acts_on_disk(&self) -> bool {
        let acting = self.evict.acting_on();
        acting.is_some_and(|threshold| is_disk(threshold.signal.resource()))
    }

    /// Whether a hard threshold of memory acts now.
    pub(super) fn is_short_of_memory(&self) -> bool {
        let mut due = self.evict.due();
        due.any(|threshold| threshold.is_hard() && is_memory(threshold))
    }

    /// Whether an eviction for a soft threshold is to wait for what comes before it.
    pub(super) fn awaits_what_comes_before(&mut self, now: Mono, eviction: &Eviction) -> bool {
        let Cause::Threshold { threshold, .. } = &eviction.cause else {
            return false;
        };
        let threshold = self.evict.threshold(*threshold);
        let is_soft = threshold.is_some_and(|threshold| !threshold.is_hard());
        is_soft && !self.pods.may_evict(now, eviction.candidate)
    }

    /// How much of the disk that is short is enough.
    pub(super) fn enough(&self, step: Step, readings: &Readings) -> Option<Enough> {
        let (signal, wanted) = self.evict.target(step, readings)?;
        let wanted = u64::try_from(wanted).ok()?;
        signal.filesystem()?;
        match signal.unit() {
            Unit::Bytes => Some(Enough::Bytes(wanted)),
            Unit::Inodes => Some(Enough::Inodes(wanted)),
            Unit::ProcessIds | Unit::Percent => None,
        }
    }

    /// Lists the pods once the start is over: where they may have limits, so that what they
    /// hold is measured when the next round looks; else so that the list is there when one
    /// has to be evicted.
    pub(super) fn list_early(&mut self, now: Mono, readings: &Readings, timers: &mut Timers) {
        let depth = if self.pods.may_have_limits() {
            Depth::Whole
        } else {
            Depth::Bounds
        };
        self.list(now, depth);
        timers.set(Timer::Listing, now + self.until_next_list());
        let of_memory = |met: Met<'_>| is_memory(met.threshold);
        if !self.evict.met().any(of_memory) {
            self.note_plenty(now, readings);
        }
    }

    /// Lists the pods while time is being lost, now and then: what each takes from the others is
    /// known from one look to the next.
    pub(super) fn look_who_stalls(&mut self, now: Mono) {
        let is_soon = |at: Mono| now.since(at) < STALLING_EVERY;
        if !self.evict.is_busy() && !self.looked_who_stalls.is_some_and(is_soon) {
            self.looked_who_stalls = Some(now);
            self.list(now, Depth::Whole);
            self.pods.rest();
        }
    }

    /// Whether an eviction for lost time waits, as one of the pods has just begun: what it takes
    /// from the others a second look shows.
    pub(super) fn awaits_who_stalls(&mut self, now: Mono, eviction: &Eviction) -> bool {
        let is_long_ago = |at: Mono| now.since(at) >= 2 * STALLERS_WAIT;
        if !self.evict.awaits_stallers(eviction, self.pods.candidates()) {
            self.awaits_stallers = None;
            return false;
        }
        let since = self.awaits_stallers.filter(|at| !is_long_ago(*at));
        let since = *self.awaits_stallers.insert(since.unwrap_or(now));
        now.since(since) < STALLERS_WAIT
    }

    /// Soon, as long as somebody who describes pods was not heard yet.
    fn until_next_list(&self) -> Duration {
        if self.picture.is_awaited() {
            SOON
        } else {
            LISTING_EVERY
        }
    }

    /// While nothing is short, the list of pods waits for when a pod has to be evicted, as
    /// there may be no memory to make it then; while memory `gets_short` it is looked at now
    /// and then, and else for what the pods hold while there is plenty. What a container
    /// runtime holds takes more, and asking it takes memory anyway: of that no list is kept
    /// before memory gets short.
    pub(super) fn keep_list(
        &mut self,
        now: Mono,
        gets_short: bool,
        readings: &Readings,
        timers: &mut Timers,
    ) {
        let is_new = !self.evict.knows_plenty();
        if (gets_short && timers.is_due(Timer::Listing, now))
            || (is_new && timers.is_expired(Timer::Listing, now))
        {
            self.list(now, Depth::Bounds);
            timers.set(Timer::Listing, now + self.until_next_list());
            if is_new {
                self.note_plenty(now, readings);
            }
        }
        if gets_short || !self.pods.has_runtimes() {
            self.pods.rest();
        } else {
            self.listed_whole = None;
            self.pods.forget();
        }
    }

    /// Notes what the pods that were just listed hold while there is memory, each read
    /// exactly. Not before those who describe them were heard: until then a critical pod
    /// looks like any other, and what it takes later would be missing from the pods.
    fn note_plenty(&mut self, now: Mono, readings: &Readings) {
        if self.picture.is_awaited() {
            return;
        }
        self.read_all_exactly();
        let pods = self.pods.candidates();
        self.evict.note_plenty(now, readings, pods);
    }

    /// Notes what the pods that are left hold once a kill has begun, when there is time to read
    /// each exactly.
    pub(super) fn note_others(&mut self) {
        self.read_all_exactly();
        self.evict.note_others(self.pods.candidates());
    }

    /// What is told of an eviction, once its kill has begun: it asks for memory.
    pub(super) fn decision<N: Node>(
        &mut self,
        eviction: &Eviction,
        sampled: &Sampled<N>,
        settings: &Settings,
    ) -> Option<Decision> {
        let candidate = self.pods.candidates().get(eviction.candidate)?;
        let mut decision = decision(candidate, eviction, &self.evict, sampled, settings);
        // Last: whoever has vanished is taken out of the list.
        if let Some(next) = self.next_after_victim() {
            let record = &mut decision.record;
            record.next = self.name_of(&next);
            record.next_reason = Some(next.to_string());
            if let Cause::Threshold { place, .. } = &eviction.cause {
                let rule = self.evict.rule_of(place, &next, self.pods.candidates());
                record.rule = Some(rule.to_string());
            }
        }
        Some(decision)
    }

    /// The place of the pod that would have been evicted instead of the one whose kill has begun,
    /// by what it uses exactly.
    fn next_after_victim(&mut self) -> Option<Place> {
        loop {
            let next = self.evict.next_after_victim(self.pods.candidates())?;
            if !self.pods.is_exact(next.candidate) {
                self.pods.read_exactly(next.candidate);
                continue;
            }
            return Some(next);
        }
    }

    fn name_of(&self, place: &Place) -> Option<String> {
        let metadata = &self.pods.candidates().get(place.candidate)?.pod.metadata;
        Some(full_name(&metadata.namespace, &metadata.name))
    }

    fn read_all_exactly(&mut self) {
        // The last first, as one that has vanished meanwhile is taken out.
        for index in (0..self.pods.candidates().len()).rev() {
            if !self.pods.is_exact(index) {
                self.pods.read_exactly(index);
            }
        }
    }

    /// Who holds the memory where no pod is evicted for it, once that is found out, so that
    /// the operator knows whom to look at. Of whoever holds less than half of what is
    /// missing nothing is told: that is not who has it.
    pub(super) fn who_holds(&mut self, memory: Option<Reading>) -> Option<Holder> {
        let outside = self.pods.who_holds()?;
        let critical = largest_critical(self.pods.candidates());
        let holders = [Some(outside), critical].into_iter().flatten();
        let largest = holders.max_by_key(|holder| holder.bytes);
        largest.filter(|holder| holder.bytes >= self.missing_memory(memory) / 2)
    }

    fn missing_memory(&self, reading: Option<Reading>) -> u64 {
        let of_memory = self.evict.met().filter(|met| is_memory(met.threshold));
        let missing = of_memory.filter_map(|met| {
            let value = met.threshold.level(reading?.capacity);
            u64::try_from(value.saturating_sub(reading?.available)).ok()
        });
        missing.max().unwrap_or(0)
    }
}

/// Nobody may evict a critical pod, however much it holds.
fn largest_critical(pods: &[Candidate]) -> Option<Holder> {
    let critical = pods.iter().filter(|pod| pod.pod.is_critical());
    let holders = critical.filter_map(|pod| {
        Some(Holder {
            name: format!("pod {}, which is critical,", pod.pod.metadata.name),
            bytes: pod.usage.as_ref()?.memory_working_set_bytes?,
        })
    });
    holders.max_by_key(|holder| holder.bytes)
}
