//! What must hold of each kill at the moment at which it begins.

use core::time::Duration;

use evictd_engine::Decision;
use evictd_engine::ports::Heard;

use super::case::{Case, MARGIN, STUCK_FOR};
use super::last::Lasts;
use super::limits::keeps_to_its_limits;
use crate::strike::Strike;
use crate::violation::Violation;
use crate::world::World;

/// All that is wrong with a kill.
pub(super) fn judge(
    lasts: &mut Lasts,
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
    let is_known = victim.looks_sacred || victim.is_described || spares(world, &victim.uid);
    if victim.is_sacred && is_known {
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
        if let Some(text) = keeps_to_its_limits(world, victim) {
            wrong("limit", text);
        }
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
    if let Some(text) = case.is_from_before_a_standstill() {
        wrong("standstill", format!("{threshold}: {text}"));
    }
    if let Some(text) = case.was_unread_within_its_grace() {
        wrong("unread", format!("{threshold}: {text}"));
    }
    if let Some(text) = case.lacks_evidence(lasts) {
        wrong("evidence", format!("{threshold}: {text}"));
    }
    case.remember(lasts);
    found
}

/// It was protected by the state that evictd has read.
fn spares(world: &World, uid: &String) -> bool {
    world.describing.spared.contains(uid)
}

/// Nothing is evicted before those who describe pods were heard (docs/dev/decisions.md, D65).
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
