//! What must hold of a kill for a threshold.

use core::time::Duration;

use evictd_node::{Mono, Resource, Signal};

use super::case::{Case, MARGIN, STUCK_FOR};
use crate::feature::Feature;
use crate::strike::Rival;

/// Sizes are measured anew after ten seconds, and a last list of pods comes on top. A loop that
/// wakes late each time uses up its patience, and what is known decides.
const OLD_SIZES: Duration = Duration::from_secs(16);

type Check<'a> = fn(&Case<'a>) -> Option<String>;

impl<'a> Case<'a> {
    pub(super) const ALL: [(&'static str, Check<'a>); 11] = [
        ("not-short", Self::is_not_short),
        ("helps-nothing", Self::helps_nothing),
        ("within-request", Self::is_within_request),
        ("order", Self::is_not_first),
        ("too-little", Self::is_too_little),
        ("grace", Self::has_grace_left),
        ("cheaper", Self::skips_a_rung),
        ("stale", Self::is_stale),
        ("chase", Self::chases),
        ("old-sizes", Self::goes_by_old_sizes),
        ("elsewhere", Self::was_taken_elsewhere),
    ];

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

    /// Nobody within its request goes for a minimum reclaim.
    fn chases(&self) -> Option<String> {
        let (_, reading) = self.last_look()?;
        let is_met = reading.available < self.level(reading.capacity);
        let keeps = self.used(self.victim).is_some() && !self.exceeds(self.victim);
        let knows_request = self.signal().resource() != Resource::Pids;
        let chases = keeps && knows_request && !is_met && !self.strike.stalled;
        chases.then(|| "only its minimum reclaim is missing, and the victim is modest".into())
    }

    /// Of those that exceed their requests the lowest priority is evicted first, then who exceeds
    /// it by most.
    fn is_not_first(&self) -> Option<String> {
        if self.strike.stalled {
            return None;
        }
        if self.signal().resource() == Resource::Pids {
            let better = self
                .helpful()
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
        let mut others = self.helpful().filter(|rival| self.exceeds(rival));
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

    /// What was taken since memory was plentiful, and not by pods, counts as missing too. Where
    /// swap is filled, or somebody is not known, nobody can tell.
    fn was_taken_elsewhere(&self) -> Option<String> {
        let unknown = [
            Feature::Swap,
            Feature::LateManifests,
            Feature::Unheard,
            Feature::Unreadable,
        ];
        let has = |feature: &Feature| self.world.plan.features.has(*feature);
        if unknown.iter().any(has) || self.strike.stalled {
            return None;
        }
        let (_, reading) = self.last_look()?;
        let is_met = reading.available < self.level(reading.capacity);
        if self.signal() != Signal::MemoryAvailable || !is_met {
            return None;
        }
        let then = self.world.memory.elsewhere_in_plenty?;
        // What is not free yet of pods that are gone others have not taken.
        let others = self.world.memory_elsewhere() - self.world.memory_freeing();
        let together = self.held_by_all();
        // The last look may be from before a pod began that is in the list.
        let used = u64::try_from(reading.capacity - reading.available).unwrap_or(0);
        let set_aside = self.world.memory.set_aside;
        let seen = (used + set_aside).saturating_sub(together);
        let taken = others.min(seen).saturating_sub(then);
        // Memory and pods are looked at one after the other.
        let half = taken / 2 - taken / 16;
        (together < half).then(|| {
            format!("others have taken {taken} since it was plentiful, pods hold {together}")
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
        // A round in whose turn pods were listed for long is not counted as one.
        let began = self.world.turn_began;
        let has_looked = looks.iter().any(|(at, _)| *at < began);
        if self.strike.rounds < 2 && !has_looked {
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
        (age > most).then(|| format!("the reading is {age:?} old"))
    }

    /// For a disk a pod is chosen by sizes that were measured lately, where that does not take
    /// long.
    fn goes_by_old_sizes(&self) -> Option<String> {
        let has = |feature| self.world.plan.features.has(feature);
        let takes_long = has(Feature::SlowWalk) || has(Feature::LateLoop) || self.strike.stalled;
        if !self.is_disk() || takes_long {
            return None;
        }
        // A pod that nobody could measure is waited for, and not for ever.
        let mut rivals = self.strike.rivals.iter();
        if rivals.any(|rival| rival.measured.is_none()) {
            return None;
        }
        let (at, _) = self.victim.measured?;
        let age = self.strike.at.since(at);
        (age > OLD_SIZES).then(|| format!("what the victim holds was measured {age:?} ago"))
    }
}
