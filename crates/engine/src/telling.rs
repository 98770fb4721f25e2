//! What was told already, so that only changes are.

use core::mem::replace;
use core::time::Duration;

use evictd_evict::{Evict, NoPod, Return, Returns, Verdict};
use evictd_node::{ConditionSet, Layout, Mono, Signal, SignalSet};

use crate::event::{Event, EvictionLoop};
use crate::events::Events;
use crate::ports::{Listing, Node, Sample};

/// What a pod held is back by then, if it comes back: the kernel brings the statistics of
/// cgroup v2 up to date every two seconds.
const COMES_BACK: Duration = Duration::from_secs(3);

#[derive(Default)]
pub(crate) struct Telling {
    pub(crate) events: Events,
    /// The pods in eviction loops.
    loops: Vec<Return>,
    /// The last pod that was evicted had been before: for which signal, and when.
    again: Option<(Signal, Mono)>,
    conditions: ConditionSet,
    met: SignalSet,
    /// What is met of them was told of another signal.
    repeats: SignalSet,
    unobserved: SignalSet,
    layout: Option<Layout>,
    unread: Vec<String>,
    /// An internal fault was told.
    is_faulty: bool,
    pod_problems: Vec<String>,
    /// Who describes pods and was not heard yet.
    unheard: Vec<String>,
    /// For which signals it was told that no pod is evicted, and why.
    no_pod: Vec<(Signal, NoPod)>,
    /// When the last evicted pod was gone, and what it left was being deleted.
    given_back: Option<Mono>,
}

impl Telling {
    /// Something that is always told.
    pub(crate) fn tell(&mut self, now: Mono, event: Event) {
        self.events.tell(now, event);
    }

    /// Whether the layout of the filesystems was told.
    pub(crate) const fn knows_layout(&self) -> bool {
        self.layout.is_some()
    }

    /// These conditions hold on from before a restart: that is no news.
    pub(crate) const fn hold_on(&mut self, conditions: ConditionSet) {
        self.conditions = conditions;
    }

    /// What is new since the last time, as of the latest round.
    pub(crate) fn changes<N: Node, P: Listing>(
        &mut self,
        now: Mono,
        (node, pods): (&N, &P),
        (evict, sample): (&Evict, &Sample),
    ) {
        self.internal_fault(now, evict.never());
        self.pod_problems(now, pods);
        self.node_problems(now, node);
        if let Some(layout) = sample.layout
            && self.layout != Some(layout)
        {
            self.layout = Some(layout);
            self.events.tell(now, Event::Layout(layout));
        }
        self.unobserved(now, node, (evict, sample));
        self.met(now, node, (evict, sample));
        let conditions = evict.conditions();
        for condition in (conditions ^ self.conditions).each() {
            let holds = conditions.has(condition);
            self.events.tell(now, Event::Condition { condition, holds });
        }
        self.conditions = conditions;
        self.loops(now, evict);
    }

    /// Pods that come back after each eviction, once each, and again when that is over.
    pub(crate) fn loops(&mut self, now: Mono, evict: &Evict) {
        let is_same = |one: &Return, other: &Return| {
            (one.signal, &one.namespace, &one.name) == (other.signal, &other.namespace, &other.name)
        };
        let loops = || evict.returns().loops();
        self.loops.retain(|told| {
            let goes_on = loops().any(|one| is_same(one, told));
            if !goes_on {
                self.events
                    .tell(now, Event::Loop(EvictionLoop::new(told, false)));
            }
            goes_on
        });
        for one in loops() {
            if !self.loops.iter().any(|told| is_same(one, told)) {
                self.events
                    .tell(now, Event::Loop(EvictionLoop::new(one, true)));
                self.loops.push(one.clone());
            }
        }
    }

    /// A pod is evicted for that signal, so often by now.
    pub(crate) fn evicts(&mut self, now: Mono, signal: Option<Signal>, times: u32) {
        self.again = signal.filter(|_| times > 1).map(|signal| (signal, now));
    }

    /// Whether what happens to that signal belongs to a pod that comes back each time.
    fn is_again(&self, now: Mono, signal: Signal) -> bool {
        self.again
            .is_some_and(|(of, at)| of == signal && now.since(at) < Returns::WINDOW)
    }

    /// The state machine was told outcomes that no plan had asked for: once.
    fn internal_fault(&mut self, now: Mono, outcomes: u64) {
        if outcomes > 0 && !replace(&mut self.is_faulty, true) {
            let text = "internal fault: an outcome came that no plan had asked for; it was left \
                        out, and evictd goes on; please report it with this log";
            self.events.tell(now, Event::problem("engine", text));
        }
    }

    /// Reading errors, once per change.
    fn node_problems<N: Node>(&mut self, now: Mono, node: &N) {
        let unread = node.problems();
        if unread == self.unread {
            return;
        }
        for problem in &unread {
            self.events.tell(now, Event::problem("node", problem));
        }
        if unread.is_empty() {
            self.events.tell(now, Event::Recovered);
        }
        self.unread = unread;
    }

    /// Thresholds whose signal cannot be observed, once per change (F13, F28). What is merely
    /// late is waited for.
    fn unobserved<N: Node>(&mut self, now: Mono, node: &N, (evict, sample): (&Evict, &Sample)) {
        let mut unobserved = SignalSet::empty();
        for threshold in evict.thresholds().filter(|t| t.operator.is_some()) {
            let signal = threshold.signal;
            if sample.readings.get(signal).is_none() && !node.is_awaited(signal, now) {
                unobserved.insert(threshold.signal.set());
            }
        }
        for signal in (unobserved ^ self.unobserved).each() {
            let observed = !unobserved.has(signal);
            self.events.tell(now, Event::Observed { signal, observed });
        }
        self.unobserved = unobserved;
    }

    fn met<N: Node>(&mut self, now: Mono, node: &N, (evict, sample): (&Evict, &Sample)) {
        let mut met = SignalSet::empty();
        let repeats = replace(&mut self.repeats, sample.repeats());
        for each in evict.met() {
            let signal = each.threshold.signal;
            if !(met | self.met | self.repeats).has(signal) {
                let event = Event::ThresholdMet {
                    threshold: each.threshold.clone(),
                    reading: sample.readings.get(signal),
                    disk: sample.place(signal, node),
                    again: self.is_again(now, signal),
                };
                self.events.tell(now, event);
            }
            met.insert(signal.set());
        }
        for signal in self.met.difference(met | repeats).each() {
            let reading = sample.readings.get(signal);
            let again = self.is_again(now, signal);
            let event = Event::ThresholdCleared {
                signal,
                reading,
                again,
            };
            self.events.tell(now, event);
        }
        self.no_pod.retain(|(signal, _)| met.has(*signal));
        self.met = met;
    }

    /// What could not be read of the pods: each problem once, until it has gone.
    pub(crate) fn pod_problems<P: Listing>(&mut self, now: Mono, pods: &P) {
        if pods.problems() != self.pod_problems {
            let former = replace(&mut self.pod_problems, pods.problems().to_vec());
            let is_new = |problem: &&String| !former.contains(problem);
            for problem in self.pod_problems.iter().filter(is_new) {
                self.events.tell(now, Event::problem("pods", problem));
            }
        }
    }

    /// Who was not heard yet, and is not waited for any longer.
    pub(crate) fn unheard<P: Listing>(&mut self, now: Mono, pods: &P) {
        let unheard = pods.unheard();
        for who in unheard.iter().filter(|who| !self.unheard.contains(who)) {
            let text = format!(
                "{who} has not said yet what it knows of pods; no eviction waits for it any \
                 longer, and of what it protects only that is spared which is remembered"
            );
            self.events.tell(now, Event::problem("pods", text));
        }
        self.unheard = unheard;
    }

    /// Whether it is news that no pod is evicted for that signal, and why.
    pub(crate) fn is_news(&self, now: Mono, signal: Signal, why: NoPod) -> bool {
        let comes_back = |at: Mono| now.since(at) < COMES_BACK;
        if why == NoPod::FreedNothing && self.given_back.is_some_and(comes_back) {
            return false; // it is asked again in the next round
        }
        !self.no_pod.contains(&(signal, why))
    }

    /// No pod is evicted for a signal.
    pub(crate) fn no_candidate(&mut self, now: Mono, verdict: Verdict) {
        let signal = verdict.signal;
        self.has_candidate(signal);
        self.no_pod
            .extend(verdict.next.err().map(|why| (signal, why)));
        if !self.repeats.has(signal) {
            let event = Event::NoCandidate(Box::new(verdict));
            self.events.tell(now, event);
        }
    }

    /// Whether it was told why no pod is evicted for that signal, which is short.
    pub(crate) fn has_told_why(&self, signal: Signal) -> bool {
        self.no_pod.iter().any(|(of, _)| *of == signal)
    }

    /// What an evicted pod held comes back now: it is gone, or what it left is being deleted.
    pub(crate) const fn gives_back(&mut self, now: Mono) {
        self.given_back = Some(now);
    }

    /// A pod is evicted for that signal. Why none is for others holds on, and is no news.
    pub(crate) fn has_candidate(&mut self, signal: Signal) {
        self.no_pod.retain(|(of, _)| *of != signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::FakePods;

    #[test]
    fn internal_fault_is_told_once() {
        let mut telling = Telling::default();
        let told = [0, 1, 2].map(|outcomes| {
            telling.internal_fault(Mono::ZERO, outcomes);
            telling.events.take().count()
        });
        assert_eq!(told, [0, 1, 0]);
    }

    #[test]
    fn a_new_problem_does_not_have_the_others_told_again() {
        let (mut telling, mut pods) = (Telling::default(), FakePods::default());
        for (problems, told) in [
            (&["a"][..], 1),
            (&["b", "a"], 1),
            (&["b", "a"], 0),
            (&["b"], 0),
            (&["a", "b"], 1),
        ] {
            pods.problems = problems.iter().map(ToString::to_string).collect();
            telling.pod_problems(Mono::ZERO, &pods);
            assert_eq!(telling.events.take().count(), told, "{problems:?}");
        }
    }
}
