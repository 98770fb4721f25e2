//! What is compared over more than two looks: when memory is free after a pod's end, how late a
//! look is, how long nothing can be read.

use core::time::Duration;

use evictd_node::{Mono, Signal};

use super::moment::{Moment, share};
use super::rule::{In, Rules};
use crate::world::bounds::Bounds;

/// A pod that held less tells nothing: a hundredth of memory.
const LEAST: i64 = 100;

/// What has not come back by then stays, as files in memory do.
const STAYS: Duration = Duration::from_secs(30);

/// A pod is gone, and its memory is awaited.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    /// The first look without it,
    since: Mono,
    /// what it held in the one before,
    held: i64,
    /// and what was elsewhere then.
    elsewhere: i64,
}

pub(super) struct Runs {
    every: Duration,
    awaited: Option<Awaited>,
    missing_since: [Option<Mono>; Signal::COUNT],
    unread_since: Vec<(String, Mono)>,
}

impl Runs {
    pub(super) const fn new(every: Duration) -> Self {
        Self {
            every,
            awaited: None,
            missing_since: [None; Signal::COUNT],
            unread_since: Vec::new(),
        }
    }

    pub(super) fn step(&mut self, to: &mut Rules, pair: (&Moment, &Moment), bounds: &Bounds) {
        let (before, after) = pair;
        let late = after.at.since(before.at).saturating_sub(self.every);
        to.note(
            ("looks that come late, by", In::Millis),
            millis(late),
            (0, millis(bounds.late)),
        );
        self.memory_comes_back(to, pair, bounds);
        self.missing(to, after, bounds);
        for reading in Signal::ALL.iter().filter_map(|signal| after.get(*signal)) {
            if let Some(sampled) = reading.sampled {
                let age = millis(after.at.since(sampled));
                to.note(
                    ("readings that are old, by", In::Millis),
                    age,
                    (0, millis(bounds.unanswered)),
                );
            }
        }
    }

    fn memory_comes_back(
        &mut self,
        to: &mut Rules,
        (before, after): (&Moment, &Moment),
        bounds: &Bounds,
    ) {
        let signal = Signal::MemoryAvailable;
        let elsewhere = |moment: &Moment| moment.elsewhere(signal, |pod| pod.memory);
        let (Some(then), Some(now), Some(reading)) =
            (elsewhere(before), elsewhere(after), after.get(signal))
        else {
            return;
        };
        // Who takes more meanwhile hides when it comes back.
        let others_took = share(now - then, reading.capacity) > bounds.disagree.cast_signed();
        if others_took && before.has_the_pods_of(after) {
            self.awaited = None;
        }
        let held = before.gone_in(after).filter_map(|pod| pod.memory).sum();
        if share(held, reading.capacity) >= LEAST {
            self.awaited = Some(Awaited {
                since: after.at,
                held,
                elsewhere: then,
            });
        }
        let Some(awaited) = self.awaited else {
            return;
        };
        let disagree = bounds.disagree.cast_signed();
        let kept = now - awaited.elsewhere - awaited.held / 20;
        let waited = after.at.since(awaited.since);
        let is_back = share(kept, reading.capacity) <= disagree;
        if is_back {
            let most = millis(bounds.freed_after + self.every);
            to.note(
                ("memory of a pod that is gone comes back after", In::Millis),
                millis(waited),
                (0, most),
            );
        }
        if is_back || waited > STAYS {
            self.awaited = None;
        }
    }

    fn missing(&mut self, to: &mut Rules, after: &Moment, bounds: &Bounds) {
        let most = millis(bounds.unanswered + bounds.late);
        for (signal, since) in Signal::ALL.iter().zip(&mut self.missing_since) {
            if after.get(*signal).is_none() {
                since.get_or_insert(after.at);
            } else if let Some(since) = since.take() {
                let lasted = millis(after.at.since(since));
                to.note(
                    ("signals that cannot be read, for", In::Millis),
                    lasted,
                    (0, most),
                );
            }
        }
        let is_unread = |uid: &str| after.pod(uid).is_some_and(|pod| pod.is_unread);
        for (_, since) in self.unread_since.extract_if(.., |(uid, _)| !is_unread(uid)) {
            let lasted = millis(after.at.since(since));
            to.note(
                ("pods that cannot be read, for", In::Millis),
                lasted,
                (0, most),
            );
        }
        for pod in after.pods.iter().filter(|pod| pod.is_unread) {
            if !self.unread_since.iter().any(|(uid, _)| *uid == pod.uid) {
                self.unread_since.push((pod.uid.clone(), after.at));
            }
        }
    }
}

fn millis(of: Duration) -> i64 {
    i64::try_from(of.as_millis()).unwrap_or(i64::MAX)
}
