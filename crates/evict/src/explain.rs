//! A plan in words: which threshold, and why each pod was chosen or passed over.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use evictd_node::Signal;
use evictd_rank::{Candidate, rank};

use crate::message::available;
use crate::{Cause, Evict, Plan, limits};

impl Plan {
    /// Why this is the plan, in lines of plain text: the threshold that is met, then each
    /// pod in the order of eviction, with its place and whether it was chosen, passed over
    /// or not reached.
    ///
    /// `evict` is the machine that has just planned this, `pods` the list that it chose
    /// from. Ask before the next step or outcome, which takes in other numbers.
    #[must_use]
    pub fn explain(&self, evict: &Evict, pods: &[Candidate]) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text, evict, pods);
        text
    }

    fn write(&self, text: &mut String, evict: &Evict, pods: &[Candidate]) -> fmt::Result {
        match self {
            Self::Rest => writeln!(text, "nothing is to be done"),
            Self::ReadPods => writeln!(text, "the pods are read, to choose one of them"),
            Self::KillNow => writeln!(
                text,
                "a hard threshold is met: the pod that is ending gets no more grace"
            ),
            Self::Relieve(step) => writeln!(text, "the node gives back what it can: {step}"),
            Self::NoCandidate(signal, why) => {
                write_order(evict, text, *signal, None, pods)?;
                writeln!(text, "{why}")
            }
            Self::Evict(eviction) => match &eviction.cause {
                Cause::Threshold { place, .. } => {
                    write_order(evict, text, place.signal, Some(eviction.candidate), pods)
                }
                Cause::EmptyDirLimit | Cause::PodLimit | Cause::ContainerLimit => {
                    write_limits(evict, text, eviction.candidate, pods)
                }
            },
        }
    }
}

/// The thresholds of the signal that are met, and the pods in the order of eviction.
fn write_order(
    evict: &Evict,
    text: &mut String,
    signal: Signal,
    chosen: Option<usize>,
    pods: &[Candidate],
) -> fmt::Result {
    if let Some(reading) = evict.watch.readings.get(signal) {
        let left = available(signal, &reading);
        write!(text, "{signal} is {left}")?;
    }
    for met in evict.met().filter(|met| met.threshold.signal == signal) {
        write!(text, ", {} is met", met.threshold)?;
    }
    text.write_char('\n')?;
    let (judge, need) = (evict.judge(), evict.need_of(signal));
    let mut is_reached = true;
    let mut protected = Vec::new();
    for place in rank(
        signal,
        evict.watch.layout_or_one(),
        pods,
        &evict.config.policy,
    ) {
        let Some(candidate) = pods.get(place.candidate) else {
            continue;
        };
        if let Some(by) = candidate.pod.protection() {
            protected.push((by, &candidate.pod.metadata.name));
            continue;
        }
        let what = if Some(place.candidate) == chosen {
            is_reached = false;
            String::from("chosen")
        } else if is_reached {
            match judge.skips(&need, &place, candidate) {
                Some(skip) => format!("passed over, {skip}"),
                None => String::from("passed over"),
            }
        } else {
            String::from("after it")
        };
        writeln!(text, "{what}: {}, {place}", candidate.pod.metadata.name)?;
    }
    for (by, name) in protected {
        writeln!(text, "never: {name}, {by}")?;
    }
    Ok(())
}

/// The pods up to the first that is above a limit of its own.
fn write_limits(
    evict: &Evict,
    text: &mut String,
    chosen: usize,
    pods: &[Candidate],
) -> fmt::Result {
    for (index, candidate) in pods.iter().enumerate().take(chosen.saturating_add(1)) {
        let name = &candidate.pod.metadata.name;
        let limit = limits::exceeded(candidate, evict.watch.layout_or_one(), &evict.config.policy);
        match limit.map(|limit| format!("{limit}")) {
            Some(limit) if index == chosen => {
                writeln!(text, "chosen: {name}, {}", limit.trim_end())?
            }
            Some(_) => match evict.judge().skips_uid(candidate) {
                Some(skip) => writeln!(text, "passed over, {skip}: {name}")?,
                None => writeln!(text, "passed over: {name}")?,
            },
            None => writeln!(text, "passed over, above no limit: {name}")?,
        }
    }
    Ok(())
}
