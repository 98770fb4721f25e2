//! What must hold of each kill at the moment at which it begins.

use core::time::Duration;

use evictd_engine::Decision;
use evictd_engine::ports::Heard;
use evictd_node::{Mono, Resource, Signal};
use evictd_threshold::Threshold;

use super::Oracles;
use crate::strike::{Rival, Strike};
use crate::violation::Violation;
use crate::world::World;
use crate::world::pod::Held;

/// What every container holds anyway (docs/decisions.md, D0).
const TRIFLE_BYTES: u64 = 1 << 20;
const TRIFLE_INODES: u64 = 100;

/// Who could not be killed is left alone for so long, by clocks that may differ a little.
const STUCK_FOR: Duration = Duration::from_secs(30);
const MARGIN: Duration = Duration::from_secs(5);

/// Who was tried in a round is not tried again in it, and a round may take three graces.
const ROUND: Duration = Duration::from_secs(150);

/// The last eviction for a signal.
#[derive(Clone, Debug)]
pub(crate) struct Last {
    pub(crate) uid: String,
    at: Mono,
    /// How many looks at the node had been made.
    looks: Mono,
    available: i64,
    used: Option<u64>,
    /// What others held then.
    others: u64,
}

/// All that is wrong with a kill.
pub(super) fn judge(
    oracles: &mut Oracles,
    world: &World,
    strike: &Strike,
    decision: &Decision,
) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut wrong = |oracle, text: String| found.push(Violation::new(oracle, strike.at, text));
    let Some(victim) = strike.rivals.get(strike.victim) else {
        wrong("told", format!("{} was never listed", strike.uid));
        return found;
    };
    if victim.uid != decision.victim.uid || victim.uid != strike.uid {
        wrong(
            "told",
            format!("{} is told, {} is ended", decision.victim.uid, strike.uid),
        );
    }
    if victim.is_sacred && (victim.looks_sacred || victim.is_described) {
        wrong("sacred", format!("{} must never be evicted", victim.uid));
    }
    if let Some(other) = &strike.in_flight {
        wrong("one-at-a-time", format!("{other} has not ended yet"));
    }
    if victim.stuck.is_some_and(|ago| ago < STUCK_FOR - MARGIN) {
        wrong(
            "stuck",
            format!("{} could not be killed a moment ago", victim.uid),
        );
    }
    if let Some(text) = too_early(strike) {
        wrong("too-early", text);
    }
    let Some(threshold) = &decision.threshold else {
        return found;
    };
    if !victim.runs {
        return found; // it has ended by itself meanwhile
    }
    let case = Case {
        strike,
        victim,
        threshold,
        world,
    };
    for (oracle, check) in Case::ALL {
        if let Some(text) = check(&case) {
            wrong(oracle, format!("{threshold}: {text}"));
        }
    }
    if let Some(text) = case.lacks_evidence(oracles) {
        wrong("evidence", format!("{threshold}: {text}"));
    }
    case.remember(oracles);
    found
}

/// Nothing is evicted before those who describe pods were heard (docs/decisions.md, D65).
fn too_early(strike: &Strike) -> Option<String> {
    let up = strike.at.since(strike.began);
    let wait = match strike.heard {
        Heard::All => return None,
        Heard::Begun => Duration::from_secs(5),
        Heard::Nothing => Duration::from_secs(2),
    };
    let is_early = up < wait && !strike.is_near_oom && !strike.stalled;
    is_early.then(|| format!("{:?}: only {up:?} after the start", strike.heard))
}

/// A kill for a threshold.
struct Case<'a> {
    strike: &'a Strike,
    victim: &'a Rival,
    threshold: &'a Threshold,
    world: &'a World,
}

type Check<'a> = fn(&Case<'a>) -> Option<String>;

impl<'a> Case<'a> {
    const ALL: [(&'static str, Check<'a>); 8] = [
        ("not-short", Self::is_not_short),
        ("helps-nothing", Self::helps_nothing),
        ("within-request", Self::is_within_request),
        ("order", Self::is_not_first),
        ("too-little", Self::is_too_little),
        ("grace", Self::has_grace_left),
        ("cheaper", Self::skips_a_rung),
        ("stale", Self::is_stale),
    ];

    /// It is the last one for its signal from now on.
    fn remember(&self, oracles: &mut Oracles) {
        let signal = self.signal();
        oracles.last.retain(|(of, _)| *of != signal);
        // By which of several looks it was decided cannot be told of a turn that took long.
        if let Some((looks, reading)) = self.last_look().filter(|_| !self.strike.stalled) {
            let last = Last {
                uid: self.victim.uid.clone(),
                at: self.strike.at,
                looks,
                available: reading.available,
                used: self.used(self.victim),
                others: self.held_by_all() - self.used(self.victim).unwrap_or(0),
            };
            oracles.last.push((signal, last));
        }
    }

    fn signal(&self) -> Signal {
        self.threshold.signal
    }

    fn is_disk(&self) -> bool {
        self.signal().filesystem().is_some()
    }

    fn last_look(&self) -> Option<(Mono, evictd_node::Reading)> {
        let looks = self.world.given.looks.get(..self.strike.looks)?;
        let (at, readings) = looks.last()?;
        Some((*at, readings.get(self.signal())?))
    }

    fn level(&self, capacity: i64) -> i64 {
        self.threshold.value.against(capacity).value()
    }

    fn clear_level(&self, capacity: i64) -> i64 {
        let more = self.threshold.min_reclaim.as_ref();
        self.level(capacity) + more.map_or(0, |more| more.against(capacity).value())
    }

    /// What is known of a rival: of a disk what was measured, else what it holds now.
    fn used(&self, rival: &Rival) -> Option<u64> {
        let held: &Held = if self.is_disk() {
            rival.measured.as_ref().map(|(_, held)| held)?
        } else {
            &rival.held
        };
        let mut held = *held;
        if !rival.is_described {
            held.volume = 0; // nobody has said that it is its own
        }
        let held = self.world.held_of(self.signal(), &held);
        rival.is_readable.then_some(held)
    }

    fn exceeds(&self, rival: &Rival) -> bool {
        let knows_request = self.signal().resource() != Resource::Pids;
        let used = self.used(rival);
        knows_request && used.is_some_and(|used| used > rival.request(self.signal()))
    }

    /// What all hold together that are not critical.
    fn held_by_all(&self) -> u64 {
        let all = self.strike.rivals.iter();
        let all = all.filter(|rival| !rival.looks_sacred);
        all.filter_map(|rival| self.used(rival)).sum()
    }

    /// Whether evicting it would give back what is short.
    fn helps(&self, rival: &Rival) -> bool {
        let trifle = match self.signal().resource() {
            Resource::Memory | Resource::EphemeralStorage => TRIFLE_BYTES,
            Resource::Inodes => TRIFLE_INODES,
            Resource::Pids => 0,
        };
        self.used(rival).is_some_and(|used| used >= trifle)
    }

    /// Others that may be evicted and would help.
    fn others(&self) -> impl Iterator<Item = &Rival> {
        let all = self.strike.rivals.iter();
        all.filter(|rival| {
            rival.uid != self.victim.uid
                && !rival.looks_sacred
                && rival.stuck.is_none_or(|ago| ago > ROUND)
                && self.helps(rival)
        })
    }

    fn is_not_short(&self) -> Option<String> {
        let Some((_, reading)) = self.last_look() else {
            return Some("what it was decided by was not read".into());
        };
        let clear = self.clear_level(reading.capacity);
        let is_short = reading.available < clear;
        (!is_short).then(|| format!("{} are available, {clear} are enough", reading.available))
    }

    fn helps_nothing(&self) -> Option<String> {
        let is_unknown = self.used(self.victim).is_none();
        if is_unknown {
            let is_hard_memory = self.threshold.is_hard() && !self.is_disk();
            return (!is_hard_memory).then(|| "nothing is known of the victim's use".into());
        }
        let used = self.used(self.victim);
        (!self.helps(self.victim)).then(|| format!("the victim holds {used:?}"))
    }

    fn is_within_request(&self) -> Option<String> {
        if self.strike.stalled {
            return None; // what was shown is no more what is
        }
        let keeps = self.used(self.victim).is_some() && !self.exceeds(self.victim);
        let knows_request = self.signal().resource() != Resource::Pids;
        let other = self.others().find(|rival| self.exceeds(rival))?;
        (keeps && knows_request).then(|| {
            format!(
                "{} keeps to its request, {} does not",
                self.victim.uid, other.uid
            )
        })
    }

    /// Of those that exceed their requests the lowest priority goes first, then who exceeds
    /// it by most.
    fn is_not_first(&self) -> Option<String> {
        if self.strike.stalled {
            return None;
        }
        if self.signal().resource() == Resource::Pids {
            let better = self
                .others()
                .find(|rival| rival.priority < self.victim.priority)?;
            return Some(format!("{} has a lower priority", better.uid));
        }
        if !self.exceeds(self.victim) {
            return None;
        }
        let over = |rival: &Rival| {
            let used = self.used(rival).unwrap_or(0);
            used.saturating_sub(rival.request(self.signal()))
        };
        let key = |rival: &Rival| (rival.priority, core::cmp::Reverse(over(rival)));
        let mut others = self.others().filter(|rival| self.exceeds(rival));
        let better = others.find(|rival| key(rival) < key(self.victim))?;
        Some(format!(
            "{} (priority {}, {} over) goes before {} (priority {}, {} over)",
            better.uid,
            better.priority,
            over(better),
            self.victim.uid,
            self.victim.priority,
            over(self.victim)
        ))
    }

    /// All that would help hold together half of what is missing.
    fn is_too_little(&self) -> Option<String> {
        if self.strike.stalled {
            return None;
        }
        let (_, reading) = self.last_look()?;
        let missing = self
            .level(reading.capacity)
            .saturating_sub(reading.available);
        let missing = u64::try_from(missing).unwrap_or(0);
        let own = self.used(self.victim)?;
        let unknown = self
            .strike
            .rivals
            .iter()
            .any(|rival| !rival.looks_sacred && self.used(rival).is_none());
        let possible = self.strike.rivals.iter().filter(|rival| {
            rival.uid != self.victim.uid
                && !rival.looks_sacred
                && rival.stuck.is_none_or(|ago| ago > STUCK_FOR - MARGIN)
        });
        let together = possible.filter_map(|rival| self.used(rival));
        let together = together.fold(own, u64::saturating_add);
        let is_too_little = together < missing / 2 && !unknown;
        is_too_little.then(|| {
            let all = self.strike.rivals.iter();
            let all = all.map(|one| (&one.uid, self.used(one), one.looks_sacred, one.stuck));
            let all: Vec<_> = all.collect();
            format!("{missing} are missing, {together} can be had: {all:?}")
        })
    }

    /// A soft threshold has been met for its whole grace.
    fn has_grace_left(&self) -> Option<String> {
        let grace = Duration::try_from(self.threshold.grace).unwrap_or_default();
        if grace.is_zero() {
            return None;
        }
        let looks = self.world.given.looks.get(..self.strike.looks)?;
        let (last, _) = looks.last()?;
        let rounds = looks
            .iter()
            .filter(|(at, _)| !self.world.given.beside.contains(at));
        if rounds.count() < 2 {
            return Some("a soft threshold acts at first sight after a start".into());
        }
        let within = looks.iter().rev();
        let within = within.take_while(|(at, _)| last.since(*at) < grace);
        for (at, readings) in within {
            // One that failed may have been one beside the rounds.
            let is_over = readings
                .get(self.signal())
                .is_some_and(|reading| reading.available >= self.clear_level(reading.capacity));
            if is_over && !self.world.given.beside.contains(at) {
                return Some(format!(
                    "it was not met at {at}, and its grace is {grace:?}"
                ));
            }
        }
        None
    }

    /// What costs nobody anything comes first, where it is enough.
    fn skips_a_rung(&self) -> Option<String> {
        let disk = self.world.disk_of(self.signal())?;
        if self.signal().unit() != evictd_node::Unit::Bytes {
            return None;
        }
        let (_, reading) = self.last_look()?;
        let missing = self
            .clear_level(reading.capacity)
            .saturating_sub(reading.available);
        let missing = u64::try_from(missing).unwrap_or(0);
        let asked = &self.strike.asked;
        let [builds, directories, reserve] = *self.strike.harmless.get(disk)?;
        let reserve = if self.threshold.is_hard() { reserve } else { 0 };
        let rungs = [
            ("build cache", builds, asked.builds),
            ("directories", directories, asked.directories),
            ("reserve", reserve, asked.reserve),
        ];
        let lately = |at: Option<Mono>| {
            at.is_some_and(|at| self.strike.at.since(at) < Duration::from_secs(100))
        };
        let mut skipped = rungs
            .iter()
            .filter(|(_, holds, at)| *holds >= missing && !lately(*at));
        let (name, holds, _) = skipped.next()?;
        Some(format!(
            "{name} would give back {holds}, {missing} are missing"
        ))
    }

    /// What it was decided by is no older than a moment, and newer than the last kill.
    fn is_stale(&self) -> Option<String> {
        let (_, reading) = self.last_look()?;
        let sampled = reading.sampled?;
        if let Some(gone) = self.world.last_gone.filter(|gone| sampled < *gone) {
            return Some(format!(
                "it was read at {sampled}, the last victim was gone at {gone}"
            ));
        }
        let age = self.strike.at.since(sampled);
        let most = Duration::from_secs(if self.is_disk() { 90 } else { 2 });
        (age > most && !self.strike.stalled).then(|| format!("the reading is {age:?} old"))
    }

    /// The last eviction for it gave something back, or less is left by now.
    fn lacks_evidence(&self, oracles: &Oracles) -> Option<String> {
        let mut all = oracles.last.iter();
        let (_, last) = all.find(|(signal, _)| *signal == self.signal())?;
        let looks = self.world.given.looks.get(..self.strike.looks)?;
        let eighth = |of: u64| i64::try_from(of / 8).unwrap_or(i64::MAX);
        let left = eighth(u64::try_from(last.available).unwrap_or(0));
        let gain = last.used.map_or(left, eighth).max(1);
        let since = looks.iter().rev().take_while(|(at, _)| *at >= last.looks);
        let mut known = since.filter_map(|(_, readings)| readings.get(self.signal()));
        let is_answered = known.any(|reading| {
            reading.available >= last.available.saturating_add(gain)
                || reading.available < last.available.saturating_sub(left)
        });
        // Or others have taken it, which can be had from them.
        let gain = u64::try_from(gain).unwrap_or(0);
        let most = self.world.most_held.iter();
        let most = most
            .filter(|(of, _)| *of == self.signal())
            .map(|(_, held)| *held);
        let was_taken = most.max().unwrap_or(0) >= last.others.saturating_add(gain);
        (!is_answered && !was_taken).then(|| {
            format!(
                "{} was evicted at {} and nothing has changed since",
                last.uid, last.at
            )
        })
    }
}
