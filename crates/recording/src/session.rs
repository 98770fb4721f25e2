use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use evictd_evict::{Cause, Evict, Eviction, Observation, Outcome, Plan, Relieved, Verdict};
use evictd_node::pod::Pod;
use evictd_node::{ConditionSet, Mono, Resource, Signal, Unit};
use evictd_quantity::{Format, Quantity};
use evictd_rank::Candidate;

use crate::{Line, Seen, SeenPod};

/// Each plan takes a pod or a threshold out, so there are never that many of one moment.
const MOST_PLANS: usize = 10_000;

/// Decides, line by line, as a dry run would: whoever would be evicted counts as gone while
/// the pressure lasts.
#[derive(Clone, Debug)]
pub struct Session {
    evict: Evict,
    pods: Vec<Arc<Pod>>,
    last: Option<Mono>,
    met: Vec<String>,
    conditions: ConditionSet,
    none: Vec<String>,
}

/// Something that was decided.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decided {
    /// In one line.
    pub text: String,
    /// Of an eviction, each pod in the order of eviction, with what put it there, in lines.
    pub why: String,
    /// Of an eviction, the pod: `NAMESPACE/NAME`.
    pub pod: Option<String>,
    /// By what a pod is evicted, or none though a threshold is met; `None` for a limit of its own
    /// and for what is no eviction.
    pub verdict: Option<Box<Verdict>>,
}

impl Decided {
    /// What has no more to say than one line.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self {
            text,
            why: String::new(),
            pod: None,
            verdict: None,
        }
    }
}

impl Session {
    /// The state machine has observed nothing yet.
    #[must_use]
    pub const fn new(evict: Evict) -> Self {
        Self {
            evict,
            pods: Vec::new(),
            last: None,
            met: Vec::new(),
            conditions: ConditionSet::empty(),
            none: Vec::new(),
        }
    }

    /// The conditions that hold since the last moment.
    #[must_use]
    pub const fn conditions(&self) -> ConditionSet {
        self.conditions
    }

    /// Shows it the next line, and returns what is decided.
    ///
    /// # Errors
    /// Where a moment is before the last one.
    pub fn show(&mut self, line: &Line) -> Result<Vec<Decided>, ShownError> {
        match line {
            Line::Begun(_) | Line::Decided(_) => Ok(Vec::new()),
            Line::Pod(pod) => {
                self.learn(pod);
                Ok(Vec::new())
            }
            Line::Seen(seen) => {
                if self.last.is_some_and(|last| seen.at < last) {
                    return Err(ShownError);
                }
                self.last = Some(seen.at);
                let there = |pod: &Arc<Pod>| seen.pods.iter().any(|of| of.uid == pod.metadata.uid);
                // One whose name cannot be read may be any of them.
                if seen.pods.iter().all(|of| !of.uid.is_empty()) {
                    self.pods.retain(there);
                }
                Ok(self.see(seen))
            }
        }
    }

    fn learn(&mut self, pod: &Pod) {
        let uid = &pod.metadata.uid;
        match self
            .pods
            .iter_mut()
            .find(|known| known.metadata.uid == *uid)
        {
            Some(known) => *known = Arc::new(pod.clone()),
            None => self.pods.push(Arc::new(pod.clone())),
        }
    }

    fn see(&mut self, seen: &Seen) -> Vec<Decided> {
        // In the order in which the daemon had listed them, which decides between equals.
        let candidate = |of: &SeenPod| {
            let mut pods = self.pods.iter();
            let pod = pods.find(|pod| pod.metadata.uid == of.uid)?;
            Some(Candidate {
                pod: Arc::clone(pod),
                usage: of.usage.clone(),
            })
        };
        let candidates: Vec<Candidate> = seen.pods.iter().filter_map(candidate).collect();
        let (now, evict) = (seen.at, &mut self.evict);
        let observation = Observation {
            readings: &seen.readings,
            layout: seen.layout,
        };
        let mut evictions = Vec::new();
        let mut no_pods = Vec::new();
        let mut plan = evict.step(now, &observation, Some(&candidates));
        for _ in 0..MOST_PLANS {
            let outcome = match &plan {
                Plan::Rest | Plan::KillNow => break,
                Plan::ReadPods => Outcome::PodsRead,
                // What the node would have given back, the next moment shows.
                Plan::Relieve(_) => Outcome::Relieved(Relieved {
                    gave: false,
                    again: Some(&seen.readings),
                }),
                Plan::Evict(eviction) => {
                    evictions.extend(evicted(now, evict, eviction, &plan, &candidates));
                    Outcome::Pretended
                }
                Plan::NoCandidate(signal, _) => {
                    no_pods.push(evict.verdict(now, *signal, &candidates));
                    Outcome::Told
                }
            };
            plan = evict.outcome(now, outcome, Some(&candidates));
        }
        if !evict.knows_plenty() && !evict.met().any(|met| is_memory(met.threshold.signal)) {
            evict.note_plenty(now, &seen.readings, &candidates);
        }
        let mut decided = self.changes(seen);
        decided.extend(evictions);
        let mut now_none = Vec::new();
        for verdict in no_pods {
            let Some(why) = verdict.why_none() else {
                continue;
            };
            let text = format!("no pod would be evicted for {}: {why}", verdict.signal);
            if !self.none.contains(&text) {
                decided.push(Decided {
                    verdict: Some(Box::new(verdict)),
                    ..Decided::new(text.clone())
                });
            }
            now_none.push(text);
        }
        self.none = now_none;
        decided
    }

    /// Thresholds and conditions that came or went.
    fn changes(&mut self, seen: &Seen) -> Vec<Decided> {
        let mut decided = Vec::new();
        let mut met = Vec::new();
        for of in self.evict.met() {
            let text = of.threshold.to_string();
            if !self.met.contains(&text) {
                let left = left(seen, of.threshold.signal);
                decided.push(Decided::new(format!("threshold {text} is met{left}")));
            }
            met.push(text);
        }
        for text in self.met.iter().filter(|text| !met.contains(text)) {
            decided.push(Decided::new(format!("threshold {text} is met no more")));
        }
        self.met = met;
        let conditions = self.evict.conditions();
        for condition in (conditions ^ self.conditions).each() {
            let holds = conditions.has(condition);
            decided.push(Decided::new(format!("{} is {holds}", condition.name())));
        }
        self.conditions = conditions;
        decided
    }
}

fn is_memory(signal: Signal) -> bool {
    signal.resource() == Resource::Memory
}

/// `: 50Mi of 1Gi left`, where it was measured.
fn left(seen: &Seen, signal: Signal) -> String {
    let format = match signal.unit() {
        Unit::Bytes => Format::BinarySi,
        Unit::Inodes | Unit::ProcessIds | Unit::Percent => Format::DecimalSi,
    };
    let of = |amount| Quantity::from_int(amount, format);
    seen.readings
        .get(signal)
        .map_or_else(String::new, |reading| {
            format!(
                ": {} of {} left",
                of(reading.available),
                of(reading.capacity)
            )
        })
}

fn evicted(
    now: Mono,
    evict: &Evict,
    eviction: &Eviction,
    plan: &Plan,
    candidates: &[Candidate],
) -> Option<Decided> {
    let candidate = candidates.get(eviction.candidate)?;
    let metadata = &candidate.pod.metadata;
    let message = evict.message(eviction, candidate).text;
    let name = match metadata.namespace.as_str() {
        "" => metadata.name.clone(),
        namespace => format!("{namespace}/{}", metadata.name),
    };
    Some(Decided {
        text: format!("pod {name} would be evicted: {}", message.trim_end()),
        why: plan.explain(evict, candidates),
        pod: Some(name),
        verdict: match &eviction.cause {
            Cause::Threshold { place, .. } => {
                Some(Box::new(evict.verdict(now, place.signal, candidates)))
            }
            Cause::EmptyDirLimit | Cause::PodLimit | Cause::ContainerLimit => None,
        },
    })
}

/// A moment is before the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownError;

impl fmt::Display for ShownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("seen.atNanos is before that of the last moment")
    }
}

impl core::error::Error for ShownError {}
