//! Which pod is next for a signal, why, or why none is: one value. The state machine acts by it,
//! and whatever tells or shows it prints from it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use evictd_node::{Mono, Signal};
use evictd_rank::{Candidate, Place, Rule, rank, rule};
use evictd_threshold::Threshold;

use crate::evidence::Need;
use crate::stage::{Proposal, Stage};
use crate::{Evict, Left, NoPod, Skip};

/// Which pod is next for a signal, why, or why none is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The signal.
    pub signal: Signal,
    /// What is short; `None` where no threshold of it is met: then it is as if one had just begun
    /// to be.
    pub shortage: Option<Shortage>,
    /// What each pod is known to hold of it, in the order of eviction.
    pub accounts: Vec<Account>,
    /// How much of what is missing no pod is known to hold; `None` where it is not known how much
    /// is missing.
    pub unexplained: Option<u64>,
    /// The next pod, by its index in `accounts`; or why none is.
    pub next: Result<usize, NoPod>,
    /// The rule that puts the next pod before the one after it; `None` where there is none.
    pub rule: Option<Rule>,
    /// What the last pod that was evicted for this disk has left there.
    pub left: Option<Left>,
}

/// What is short.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shortage {
    /// The first threshold that is met.
    pub threshold: Threshold,
    /// Since when.
    pub since: Mono,
    /// When its grace period is over.
    pub acts_at: Mono,
    /// How much is missing until it is met no more, in the signal's unit; `None` for lost time, and
    /// where it was not read.
    pub missing: Option<u64>,
}

/// What a pod is known to hold of what is short.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Account {
    /// The pod's uid,
    pub uid: String,
    /// its namespace,
    pub namespace: String,
    /// and its name.
    pub name: String,
    /// Its place in the order, with what put it there: its index is that in the list of pods.
    pub place: Place,
    /// How much it holds.
    pub holds: Holds,
    /// Why it is not the next; `None` of one that may be.
    pub skipped: Option<Skip>,
}

/// A pod whose eviction was decided and has not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposed<'a> {
    /// For which signal; `None` for a limit of its own.
    pub signal: Option<Signal>,
    /// The pod's uid,
    pub uid: &'a str,
    /// its namespace,
    pub namespace: &'a str,
    /// and its name.
    pub name: &'a str,
}

impl<'a> Proposed<'a> {
    /// That pod, by its uid, its namespace and its name.
    #[must_use]
    pub const fn new(
        signal: Option<Signal>,
        (uid, namespace, name): (&'a str, &'a str, &'a str),
    ) -> Self {
        Self {
            signal,
            uid,
            namespace,
            name,
        }
    }
}

/// How much a pod holds, and how certain that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// So much.
    Exactly(u64),
    /// So much or more: not all of it was measured.
    AtLeast(u64),
    /// Nobody knows.
    Unknown,
}

impl Holds {
    fn of(place: &Place) -> Self {
        match place.used {
            Some(used) if place.in_part => Self::AtLeast(used),
            Some(used) => Self::Exactly(used),
            None => Self::Unknown,
        }
    }

    /// How much at least.
    #[must_use]
    pub const fn at_least(self) -> u64 {
        match self {
            Self::Exactly(held) | Self::AtLeast(held) => held,
            Self::Unknown => 0,
        }
    }
}

impl Verdict {
    /// The next pod.
    #[must_use]
    pub fn next_pod(&self) -> Option<&Account> {
        self.accounts.get(*self.next.as_ref().ok()?)
    }

    /// The pods that would be evicted one after the other, the next one first.
    pub fn order(&self) -> impl Iterator<Item = &Account> {
        let is_any = self.next.is_ok();
        self.accounts
            .iter()
            .filter(move |account| is_any && account.skipped.is_none())
    }

    /// Why no pod is next; nothing where one is. What the last one has left explains more than
    /// that it gave nothing back.
    #[must_use]
    pub fn why_none(&self) -> Option<WhyNone<'_>> {
        let why = *self.next.as_ref().err()?;
        let left = self.left.as_ref().filter(|_| why == NoPod::FreedNothing);
        Some(WhyNone {
            why,
            left,
            has_pods: !self.accounts.is_empty(),
        })
    }
}

/// Why no pod is next, in the one sentence that everything prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WhyNone<'a> {
    why: NoPod,
    left: Option<&'a Left>,
    has_pods: bool,
}

impl fmt::Display for WhyNone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.why, self.left) {
            (NoPod::AllSkipped, _) if !self.has_pods => f.write_str(
                "there is no pod to evict (--pods-of and --pod-cgroup-root say where pods are; \
                 what --never-evict names is none)",
            ),
            (_, Some(left)) => left.fmt(f),
            (why, None) => why.fmt(f),
        }
    }
}

impl Evict {
    /// The verdict on a signal: by the threshold of it that is met, or as if one had just begun to
    /// be. Nothing changes by it.
    #[must_use]
    pub fn verdict(&self, now: Mono, signal: Signal, pods: &[Candidate]) -> Verdict {
        let (judge, need, policy) = (self.judge(), self.need_of(signal), &self.config.policy);
        let layout = self.watch.layout_or_one();
        let accounts = rank(signal, layout, pods, policy).into_iter();
        let accounts = accounts.filter_map(|place| {
            let candidate = pods.get(place.candidate)?;
            let metadata = &candidate.pod.metadata;
            Some(Account {
                uid: metadata.uid.clone(),
                namespace: metadata.namespace.clone(),
                name: metadata.name.clone(),
                holds: Holds::of(&place),
                skipped: judge.skips(&need, &place, candidate),
                place,
            })
        });
        let accounts: Vec<Account> = accounts.collect();
        let next = judge.decide(now, &need, pods).and_then(|(_, place, _)| {
            let mut all = accounts.iter();
            let index = all.position(|account| account.place.candidate == place.candidate);
            index.ok_or(NoPod::AllSkipped)
        });
        let mut left = accounts.iter().filter(|of| of.skipped.is_none());
        let both = next.is_ok().then(|| left.next().zip(left.next())).flatten();
        let rule = both.map(|(first, second)| self.rule_of(&first.place, &second.place, pods));
        let shortage = self.shortage(signal);
        let held = accounts.iter().map(|account| account.holds.at_least());
        let held = held.fold(0, u64::saturating_add);
        let missing = shortage.as_ref().and_then(|shortage| shortage.missing);
        Verdict {
            signal,
            unexplained: missing.map(|missing| missing.saturating_sub(held)),
            shortage,
            accounts,
            next,
            rule,
            left: self.left_on(signal).cloned(),
        }
    }

    /// The rule that puts the first place before the second one, both of these pods.
    #[must_use]
    pub fn rule_of(&self, first: &Place, second: &Place, pods: &[Candidate]) -> Rule {
        let layout = self.watch.layout_or_one();
        rule((first, second), layout, pods, &self.config.policy)
    }

    /// The pod whose eviction was decided in the latest round and has not begun.
    #[must_use]
    pub fn proposed(&self) -> Option<Proposed<'_>> {
        let Stage::Proposed(proposal) = &self.stage else {
            return None;
        };
        let threshold = proposal.threshold.and_then(|index| self.watch.get(index));
        let of = &self.victim;
        let signal = threshold.map(|threshold| threshold.signal);
        Some(Proposed::new(signal, (&of.uid, &of.namespace, &of.name)))
    }

    /// Whether the latest round has decided that a pod is evicted, or none, and that was not taken
    /// up yet.
    #[must_use]
    pub const fn awaits_its_gates(&self) -> bool {
        matches!(self.stage, Stage::Proposed(_) | Stage::Telling)
    }

    /// What an eviction for the signal has to be worth: by the threshold of it for which a pod was
    /// chosen last in this round, else that is met, or as if one had just begun to be.
    pub(crate) fn need_of(&self, signal: Signal) -> Need {
        let chosen = self.chosen_for.and_then(|index| self.watch.get(index));
        if let Some(threshold) = chosen.filter(|threshold| threshold.signal == signal) {
            return self.judge().need(threshold);
        }
        let latest = &self.watch.latest;
        let of_signal = || self.thresholds().filter(|of| of.signal == signal);
        let is_met = |of: &&Threshold| latest.get(signal).is_some_and(|left| of.is_met(&left));
        if let Some(threshold) = of_signal().find(is_met) {
            return self.judge().need(threshold);
        }
        let is_hard = of_signal().any(Threshold::is_hard);
        Need::of_one_just_met(signal, is_hard, latest, &self.config.policy)
    }

    /// The first threshold of the signal that is met, and how much is missing.
    fn shortage(&self, signal: Signal) -> Option<Shortage> {
        let met = self.met().find(|met| met.threshold.signal == signal)?;
        let reading = self.watch.latest.get(signal);
        let reading = reading.filter(|_| !signal.grows_with_trouble());
        let missing = reading.map(|reading| {
            let wanted = met.threshold.clear_at(reading.capacity).value();
            u64::try_from(wanted.saturating_sub(reading.available)).unwrap_or(0)
        });
        Some(Shortage {
            threshold: met.threshold.clone(),
            since: met.since,
            acts_at: met.acts_at,
            missing,
        })
    }

    /// What the last pod that was evicted for the disk of that signal has left there, if it was
    /// told.
    fn left_on(&self, signal: Signal) -> Option<&Left> {
        let layout = self.watch.layout_or_one();
        let (of, left) = self.left.as_ref()?;
        (of.of_disk(layout) == signal.of_disk(layout)).then_some(left)
    }

    /// Notes what the pod that is gone has left on the disk of that signal, or that it has left
    /// nothing there.
    pub fn note_left(&mut self, signal: Signal, left: Option<Left>) {
        self.left = left.map(|left| (signal, left));
    }

    /// Who would be evicted in the place of the pod that is proposed or being killed for a
    /// threshold; `None` where nobody would be.
    #[must_use]
    pub fn next_after_victim(&self, pods: &[Candidate]) -> Option<Place> {
        let threshold = match &self.stage {
            Stage::Killing { threshold, .. } | Stage::Proposed(Proposal { threshold, .. }) => {
                *threshold
            }
            Stage::Idle | Stage::ReadingPods { .. } | Stage::Relieving { .. } | Stage::Telling => {
                None
            }
        };
        let threshold = self.watch.get(threshold?)?;
        let judge = self.judge();
        let need = judge.need(threshold);
        let wanted = |_: usize, pod: &Candidate| {
            judge.may_be_evicted(pod, Some(&self.victim.uid)) && judge.is_worth_it(&need, pod)
        };
        let (layout, policy) = (self.watch.layout_or_one(), &judge.config.policy);
        let (_, next) = evictd_rank::first(threshold.signal, layout, pods, policy, wanted)?;
        Some(next)
    }
}
