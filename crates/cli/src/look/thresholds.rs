//! Which thresholds a machine would gain by, as docs/thresholds.md has them.

use evictd_config::Resolved;
use evictd_node::{Amount, Signal};
use evictd_threshold::Threshold;

use super::advice::Advice;
use super::machine::Swap;
use crate::explain::distance::Distance;

const MIB: i64 = 1 << 20;
const GIB: i64 = 1 << 30;

/// What is recommended of thresholds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// These instead.
    Set(Advice),
    /// The defaults are in force, and right.
    DefaultsAreRight,
    /// What is in force was chosen by somebody.
    Chosen,
}

impl Verdict {
    /// The flags to set, where others are recommended.
    pub(super) fn advice(&self) -> Option<Advice> {
        match self {
            Self::Set(advice) => Some(advice.clone()),
            Self::DefaultsAreRight | Self::Chosen => None,
        }
    }
}

/// A threshold, and what it is good for here.
struct Wanted {
    signal: Signal,
    value: String,
    minimum_reclaim: Option<&'static str>,
    why: String,
}

/// Instead of the defaults only: what somebody has set is his.
pub(super) fn recommend(settings: &Resolved, measured: &[Distance], swaps: &[Swap]) -> Verdict {
    let hard = settings.evict.thresholds.iter();
    let hard = hard.filter(|of| of.is_hard() && of.signal.is_configured());
    let hard: Vec<&Threshold> = hard.collect();
    let defaults = settings.default_hard();
    let is_default = |of: &&Threshold| is_among(&defaults, of);
    let is_of_default = |measured: &&Distance| {
        let mut unchanged = hard.iter().filter(|of| is_default(of));
        measured.grace_seconds == 0 && unchanged.any(|of| of.signal == measured.signal)
    };
    let of_defaults = measured.iter().filter(is_of_default);
    let mut wanted: Vec<Wanted> = of_defaults.filter_map(instead_of_default).collect();
    let watches_swap = hard.iter().any(|of| of.signal == Signal::SwapAvailable);
    wanted.extend(swap(swaps).filter(|_| !watches_swap));
    let are_defaults = hard.len() == defaults.len() && hard.iter().all(is_default);
    match (wanted.is_empty(), are_defaults) {
        (false, _) => Verdict::Set(in_flags(&wanted, &hard, &defaults)),
        (true, true) => Verdict::DefaultsAreRight,
        (true, false) => Verdict::Chosen,
    }
}

type Defaults = [(Signal, &'static str)];

fn is_among(defaults: &Defaults, threshold: &Threshold) -> bool {
    defaults.contains(&(threshold.signal, threshold.written().as_str()))
}

fn instead_of_default(of: &Distance) -> Option<Wanted> {
    let (capacity, default) = (of.capacity?, of.level?);
    let falls = of.falls_per_second();
    if of.signal == Signal::MemoryAvailable {
        return memory(capacity, default, falls);
    }
    let is_disk = [Signal::NodefsAvailable, Signal::ImagefsAvailable].contains(&of.signal);
    let disk = is_disk.then(|| disk(of.signal, capacity, default, falls));
    disk.flatten()
}

/// By the size of the machine, and where memory falls faster by that: two seconds of it, as long
/// as that is no more than a tenth of the machine.
fn memory(capacity: i64, default: i64, falls: i64) -> Option<Wanted> {
    let has = |nominal: i64| capacity >= nominal / 16 * 13; // the kernel keeps some for itself
    let (value, level) = match () {
        () if has(32 * GIB) => ("1Gi", GIB),
        () if has(16 * GIB) => ("500Mi", 500 * MIB),
        () if has(4 * GIB) => ("5%", capacity / 20),
        () if has(256 * MIB) => ("10%", capacity / 10),
        () => ("15%", capacity / 20 * 3),
    };
    let two_seconds = falls.saturating_mul(2).min(capacity / 10);
    let wanted = |value, why| Wanted {
        signal: Signal::MemoryAvailable,
        value,
        minimum_reclaim: None,
        why,
    };
    if two_seconds > level.max(default) {
        let why = format!("two seconds of what memory falls by: {} each", bytes(falls));
        return Some(wanted(format!("{}Mi", two_seconds / MIB), why));
    }
    let is_right = default >= level / 4 * 3 && default <= level / 2 * 3;
    let why = if default > level {
        let percent = default.saturating_mul(100) / capacity.max(1);
        format!("the default, {}, is {percent} % of memory", bytes(default))
    } else {
        format!(
            "the default, {}, is filled by one process in {} ms",
            bytes(default),
            default.saturating_mul(1000) / (6 * GIB)
        )
    };
    (!is_right).then(|| wanted(value.to_owned(), why))
}

/// A share of a large disk is held back for nobody.
fn disk(signal: Signal, capacity: i64, default: i64, falls: i64) -> Option<Wanted> {
    const LARGE: i64 = 60_000_000_000;
    const VAST: i64 = 480_000_000_000;
    let (level, minimum_reclaim) = match capacity {
        VAST.. => (10 * GIB, "5Gi"),
        LARGE.. => (5 * GIB, "1Gi"),
        _ => return None,
    };
    // Twice what falls between two looks of ten seconds.
    let (level, why) = match falls.saturating_mul(20) {
        often if often > level => (often, format!("it fills by {} a second", bytes(falls))),
        _ => (
            level,
            format!("the default holds back {} of this disk", bytes(default)),
        ),
    };
    (level < default).then(|| Wanted {
        signal,
        value: format!("{}Gi", level / GIB),
        minimum_reclaim: Some(minimum_reclaim),
        why,
    })
}

fn swap(swaps: &[Swap]) -> Option<Wanted> {
    let why = match swaps {
        [] => return None,
        swaps if swaps.iter().any(|swap| swap.is_memory) => {
            "this swap lies in memory: once it is full, memory is, too"
        }
        _ => "a machine whose swap is full stalls before its memory is short",
    };
    Some(Wanted {
        signal: Signal::SwapAvailable,
        value: "10%".to_owned(),
        minimum_reclaim: None,
        why: why.to_owned(),
    })
}

/// As a shell takes them; what else is in force stays so.
fn in_flags(wanted: &[Wanted], hard: &[&Threshold], defaults: &Defaults) -> Advice {
    let is_new = |of: &&&Threshold| wanted.iter().all(|new| new.signal != of.signal);
    let has_all = |signal: Signal| {
        let mut all = hard.iter().map(|of| of.signal);
        all.any(|of| of == signal)
    };
    let merges = defaults.iter().all(|(signal, _)| has_all(*signal));
    let others: Vec<&&Threshold> = hard.iter().filter(is_new).collect();
    let is_written = |of: &&&&Threshold| !(merges && is_among(defaults, of));
    let new = wanted
        .iter()
        .map(|new| format!("{}<{}", new.signal, new.value));
    let kept = others.iter().filter(is_written).map(ToString::to_string);
    let list: Vec<String> = new.chain(kept).collect();
    let mut flags = format!("--eviction-hard='{}'", list.join(","));
    let reclaims = wanted
        .iter()
        .filter_map(|new| Some(format!("{}={}", new.signal, new.minimum_reclaim?)));
    let kept = others
        .iter()
        .filter_map(|of| Some(format!("{}={}", of.signal, of.min_reclaim.as_ref()?)));
    let reclaims: Vec<String> = reclaims.chain(kept).collect();
    if !reclaims.is_empty() {
        flags += &format!(" --eviction-minimum-reclaim={}", reclaims.join(","));
    }
    if merges {
        flags += " --merge-default-eviction-settings";
    }
    let why = wanted
        .iter()
        .map(|new| format!("{}: {}", new.signal, new.why));
    let why = why.collect::<Vec<_>>().join("; ");
    Advice { flags, why }
}

fn bytes(value: i64) -> Amount {
    Amount::bytes(u64::try_from(value).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(verdict: Option<Wanted>) -> Option<(String, String)> {
        verdict.map(|of| (of.value, of.why))
    }

    /// Acceptance row 403.
    #[test]
    fn memory_has_its_threshold_by_its_size_and_by_what_it_falls_by() {
        let of = |mib: i64, falls: i64| {
            let wanted = memory(mib * MIB, 100 * MIB, falls * MIB);
            words(wanted).unwrap_or_default()
        };
        assert_eq!(of(59, 0).0, "15%");
        let why = "the default, 100Mi, is 46 % of memory";
        assert_eq!(of(217, 0), ("10%".into(), why.into()));
        assert_eq!(of(972, 0), Default::default(), "the default is right");
        assert_eq!(of(1990, 0).0, "10%");
        assert_eq!(of(3900, 0).0, "5%");
        let why = "the default, 100Mi, is filled by one process in 16 ms";
        assert_eq!(of(15_900, 0), ("500Mi".into(), why.into()));
        assert_eq!(of(64_000, 0).0, "1Gi");
        let why = "two seconds of what memory falls by: 400Mi each";
        assert_eq!(of(15_900, 400), ("800Mi".into(), why.into()));
        assert_eq!(of(972, 400), Default::default(), "a tenth, at most");
    }

    #[test]
    fn a_share_of_a_large_disk_is_held_back_for_nobody() {
        let of = |gib: i64, falls| {
            let wanted = disk(Signal::NodefsAvailable, gib * GIB, gib * GIB / 10, falls);
            words(wanted).map(|(value, _)| value)
        };
        assert_eq!(of(15, 0), None);
        assert_eq!(of(59, 0).as_deref(), Some("5Gi"));
        assert_eq!(of(930, 0).as_deref(), Some("10Gi"));
        assert_eq!(of(930, GIB).as_deref(), Some("20Gi"));
        assert_eq!(
            of(59, GIB),
            None,
            "the default is right where so much is written"
        );
    }
}
