//! The summaries of a trace: each a delta against the one before.

use std::collections::HashMap;

use evictd_node::pod::usage::PodUsage;
use evictd_node::{Mono, Reading, Readings, Signal};
use serde_json::Value;

use crate::case::{integer, list};
use crate::pods;

const SECTIONS: [&str; 6] = [
    "memory",
    "podsMemory",
    "fs",
    "imageFs",
    "containerFs",
    "rlimit",
];

/// A summary: the node's sections with their times, and the pods' stats by uid.
#[derive(Clone, Default)]
pub(crate) struct Summary {
    sections: HashMap<&'static str, Value>,
    times: HashMap<&'static str, Option<Mono>>,
    pub(crate) pods: HashMap<String, PodUsage>,
}

impl Summary {
    /// Takes in a step's `summary`.
    pub(crate) fn apply(&mut self, delta: &Value) {
        self.apply_sections(delta.get("node").unwrap_or(&Value::Null), delta);
        for stats in list(delta, "pods") {
            self.pods
                .insert(pods::uid_of(stats).to_owned(), pods::usage(stats));
        }
        for uid in list(delta, "podsGone").iter().filter_map(Value::as_str) {
            self.pods.remove(uid);
        }
    }

    /// What a second read returns: this one with a step's `afterReclaim`, if any.
    pub(crate) fn after_reclaim(&self, delta: Option<&Value>) -> Self {
        let mut again = self.clone();
        if let Some(delta) = delta {
            again.apply_sections(delta, delta);
        }
        again
    }

    fn apply_sections(&mut self, sections: &Value, times: &Value) {
        let at = |seconds: Option<&Value>| {
            let seconds = seconds.and_then(Value::as_u64)?;
            Some(Mono::from_millis(seconds.saturating_mul(1000)))
        };
        for name in SECTIONS {
            match sections.get(name) {
                Some(Value::Null) => drop(self.sections.remove(name)),
                Some(section) => drop(self.sections.insert(name, section.clone())),
                None => {}
            }
            let own = times.get("sectionTimes").and_then(|times| times.get(name));
            self.times
                .insert(name, at(own.or_else(|| times.get("statsAtSeconds"))));
        }
    }

    /// The readings of it, as the kubelet makes them (`makeSignalObservations`).
    pub(crate) fn readings(&self) -> Readings {
        let mut readings = Readings::default();
        for (signal, section) in [
            (Signal::MemoryAvailable, "memory"),
            (Signal::AllocatableMemoryAvailable, "podsMemory"),
        ] {
            let memory = self.amounts(
                section,
                "availableBytes",
                "workingSetBytes",
                i64::saturating_add,
            );
            readings.set(signal, memory);
        }
        for (bytes, inodes, section) in [
            (Signal::NodefsAvailable, Signal::NodefsInodesFree, "fs"),
            (
                Signal::ImagefsAvailable,
                Signal::ImagefsInodesFree,
                "imageFs",
            ),
            (
                Signal::ContainerfsAvailable,
                Signal::ContainerfsInodesFree,
                "containerFs",
            ),
        ] {
            let second = |_, capacity| capacity;
            readings.set(
                bytes,
                self.amounts(section, "availableBytes", "capacityBytes", second),
            );
            readings.set(
                inodes,
                self.amounts(section, "inodesFree", "inodes", second),
            );
        }
        let pids = self.amounts("rlimit", "curproc", "maxpid", |_, capacity| capacity);
        let left = |r: Reading| Reading {
            available: r.capacity.saturating_sub(r.available),
            ..r
        };
        readings.set(Signal::PidAvailable, pids.map(left));
        readings
    }

    /// A reading of two fields of a section; the capacity follows from both.
    fn amounts(
        &self,
        section: &str,
        available: &str,
        other: &str,
        capacity: fn(i64, i64) -> i64,
    ) -> Option<Reading> {
        let fields = self.sections.get(section)?;
        let available = integer(fields, available)?;
        let capacity = capacity(available, integer(fields, other)?);
        Some(Reading {
            available,
            capacity,
            sampled: self.times.get(section).copied().flatten(),
        })
    }
}
