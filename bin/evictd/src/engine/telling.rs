//! What is told of a round: changes once, and decisions. Never before a kill has
//! begun.

use evictd_engine::state::Record;
use evictd_evict::Eviction;
use evictd_node::pod::Metadata;
use evictd_node::{Mono, Readings, Signal, SignalSet};
use evictd_stats::wall_seconds;

use super::{Engine, Event, Tell, Victim, event};

impl Engine {
    /// What is new since the last time, as of the latest round.
    pub(super) fn tell_changes(&mut self, now: Mono, tell: Tell<'_>) {
        let readings = &self.sample.readings();
        self.tell_pod_problems(now, tell);
        self.tell_unread(now, tell);
        let layout = self.sample.layout();
        if layout.is_some() && layout != self.told.layout {
            self.told.layout = layout;
            tell(now, &Event::layout(&self.sample));
        }
        self.tell_unobserved(now, readings, tell);
        self.tell_met(now, readings, tell);
        let conditions = self.evict.conditions();
        for condition in (conditions ^ self.told.conditions).each() {
            tell(
                now,
                &Event::Condition {
                    condition,
                    holds: conditions.has(condition),
                },
            );
        }
        self.told.conditions = conditions;
    }

    /// Reading errors, once per change.
    fn tell_unread(&mut self, now: Mono, tell: Tell<'_>) {
        let errors = self.reader.errors();
        if errors.is_empty() && self.told.unread.is_empty() {
            return; // the steady case, without allocation
        }
        let unread: Vec<String> = errors.iter().map(ToString::to_string).collect();
        if unread == self.told.unread {
            return;
        }
        for problem in &unread {
            tell(now, &Event::problem("node", problem));
        }
        if unread.is_empty() {
            tell(now, &Event::Recovered);
        }
        self.told.unread = unread;
    }

    /// Thresholds whose signal cannot be observed, once per change (F13, F28).
    fn tell_unobserved(&mut self, now: Mono, readings: &Readings, tell: Tell<'_>) {
        let mut unobserved = SignalSet::empty();
        for threshold in self
            .evict
            .thresholds()
            .iter()
            .filter(|t| t.operator.is_some())
        {
            if readings.get(threshold.signal).is_none() {
                unobserved.insert(threshold.signal.set());
            }
        }
        for signal in (unobserved ^ self.told.unobserved).each() {
            tell(
                now,
                &Event::Observed {
                    signal,
                    observed: !unobserved.has(signal),
                },
            );
        }
        self.told.unobserved = unobserved;
    }

    fn tell_met(&mut self, now: Mono, readings: &Readings, tell: Tell<'_>) {
        let mut met = SignalSet::empty();
        for each in self.evict.met() {
            let signal = each.threshold.signal;
            if !met.has(signal) && !self.told.met.has(signal) {
                tell(now, &Event::met(&each, readings, &self.sample));
            }
            met.insert(signal.set());
        }
        for signal in self.told.met.difference(met).each() {
            tell(now, &Event::cleared(signal, readings));
        }
        self.told.met = met;
    }

    pub(super) fn tell_pod_problems(&mut self, now: Mono, tell: Tell<'_>) {
        if self.pods.problems() != self.told.pod_problems {
            self.told.pod_problems = self.pods.problems().to_vec();
            for problem in &self.told.pod_problems {
                tell(now, &Event::problem("pods", problem));
            }
        }
    }

    pub(super) fn no_candidate(&mut self, now: Mono, signal: Signal, tell: Tell<'_>) {
        if self.told.no_candidate != Some(signal) {
            self.told.no_candidate = Some(signal);
            let pods = self.pods.found().len();
            tell(now, &Event::NoCandidate { signal, pods });
        }
    }

    /// What led to a kill, and whom it takes.
    pub(super) fn tell_decision(
        &mut self,
        now: Mono,
        victim: &Victim,
        eviction: &Eviction,
        metadata: &Metadata,
        tell: Tell<'_>,
    ) {
        self.tell_changes(now, tell);
        let record = self.record(eviction, metadata);
        let decided = Event::evicting(
            victim,
            eviction,
            &self.evict,
            &self.sample,
            record,
            self.dry_run,
        );
        tell(now, &decided);
    }

    /// What is kept of an eviction over a restart.
    fn record(&self, eviction: &Eviction, metadata: &Metadata) -> Record {
        let (readings, wall) = (self.sample.readings(), wall_seconds());
        let candidate = self.pods.candidate(eviction.candidate);
        let message = candidate.map(|candidate| self.evict.message(eviction, &candidate));
        let message = message.unwrap_or_default();
        let mut record = Record::new(wall, eviction, &self.evict, &readings, metadata, message);
        record.device = record
            .signal
            .and_then(|signal| event::device(signal, &self.sample));
        if self.dry_run {
            record.outcome = evictd_engine::state::Outcome::DryRun;
        }
        record
    }
}
