//! What was reported already, so that only changes are. Never before a kill has begun.

use evictd_evict::Evict;
use evictd_node::{ConditionSet, Layout, Mono, Signal, SignalSet};

use crate::event::{Event, Tell};
use crate::ports::{Node, Pods, Sample};

#[derive(Default)]
pub(crate) struct Telling {
    conditions: ConditionSet,
    met: SignalSet,
    unobserved: SignalSet,
    layout: Option<Layout>,
    unread: Vec<String>,
    pod_problems: Vec<String>,
    no_candidate: Option<Signal>,
}

impl Telling {
    /// Whether the layout of the filesystems was reported.
    pub(crate) const fn knows_layout(&self) -> bool {
        self.layout.is_some()
    }

    /// What is new since the last time, as of the latest round.
    pub(crate) fn changes<N: Node, P: Pods>(
        &mut self,
        now: Mono,
        (node, pods): (&N, &P),
        (evict, sample): (&Evict, &Sample),
        tell: Tell<'_>,
    ) {
        self.pod_problems(now, pods, tell);
        self.node_problems(now, node, tell);
        if let Some(layout) = sample.layout
            && self.layout != Some(layout)
        {
            self.layout = Some(layout);
            tell(now, &Event::Layout(layout));
        }
        self.unobserved(now, evict, sample, tell);
        self.met(now, evict, sample, tell);
        let conditions = evict.conditions();
        for condition in (conditions ^ self.conditions).each() {
            let holds = conditions.has(condition);
            tell(now, &Event::Condition { condition, holds });
        }
        self.conditions = conditions;
    }

    /// Reading errors, once per change.
    fn node_problems<N: Node>(&mut self, now: Mono, node: &N, tell: Tell<'_>) {
        let unread = node.problems();
        if unread == self.unread {
            return;
        }
        for problem in &unread {
            tell(now, &Event::problem("node", problem));
        }
        if unread.is_empty() {
            tell(now, &Event::Recovered);
        }
        self.unread = unread;
    }

    /// Thresholds whose signal cannot be observed, once per change (F13, F28).
    fn unobserved(&mut self, now: Mono, evict: &Evict, sample: &Sample, tell: Tell<'_>) {
        let mut unobserved = SignalSet::empty();
        for threshold in evict.thresholds().iter().filter(|t| t.operator.is_some()) {
            if sample.readings.get(threshold.signal).is_none() {
                unobserved.insert(threshold.signal.set());
            }
        }
        for signal in (unobserved ^ self.unobserved).each() {
            let observed = !unobserved.has(signal);
            tell(now, &Event::Observed { signal, observed });
        }
        self.unobserved = unobserved;
    }

    fn met(&mut self, now: Mono, evict: &Evict, sample: &Sample, tell: Tell<'_>) {
        let mut met = SignalSet::empty();
        for each in evict.met() {
            let signal = each.threshold.signal;
            if !met.has(signal) && !self.met.has(signal) {
                let event = Event::ThresholdMet {
                    threshold: each.threshold.clone(),
                    reading: sample.readings.get(signal),
                    disk: sample.disk(signal),
                };
                tell(now, &event);
            }
            met.insert(signal.set());
        }
        for signal in self.met.difference(met).each() {
            let reading = sample.readings.get(signal);
            tell(now, &Event::ThresholdCleared { signal, reading });
        }
        self.met = met;
    }

    /// What could not be read of the pods, once per change.
    pub(crate) fn pod_problems<P: Pods>(&mut self, now: Mono, pods: &P, tell: Tell<'_>) {
        if pods.problems() != self.pod_problems {
            self.pod_problems = pods.problems().to_vec();
            for problem in &self.pod_problems {
                tell(now, &Event::problem("pods", problem));
            }
        }
    }

    /// No pod may be evicted for that signal, of so many.
    pub(crate) fn no_candidate(&mut self, now: Mono, signal: Signal, pods: usize, tell: Tell<'_>) {
        if self.no_candidate != Some(signal) {
            self.no_candidate = Some(signal);
            tell(now, &Event::NoCandidate { signal, pods });
        }
    }

    /// A pod may be.
    pub(crate) const fn has_candidate(&mut self) {
        self.no_candidate = None;
    }
}
