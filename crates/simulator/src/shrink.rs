//! A smaller world in which the same still goes wrong.

use crate::plan::{MOST_PODS, Plan};
use crate::run::run;

/// Leaves out features, pods and time as long as the same oracle is violated.
#[must_use]
pub fn shrink(plan: &Plan) -> Plan {
    let Some(violation) = run(plan, false).violation else {
        return plan.clone();
    };
    let fails = |plan: &Plan| {
        let found = run(plan, false).violation;
        found.is_some_and(|found| found.oracle == violation.oracle)
    };
    let mut best = plan.clone();
    loop {
        let before = best.clone();
        for smaller in smaller(&best) {
            if fails(&smaller) {
                best = smaller;
                break;
            }
        }
        if best == before {
            return best;
        }
    }
}

/// All that is one step smaller.
fn smaller(plan: &Plan) -> Vec<Plan> {
    let mut all = Vec::new();
    for feature in plan.features.each() {
        let mut smaller = plan.clone();
        smaller.features.set(feature, false);
        all.push(smaller);
    }
    for pod in (0..MOST_PODS).filter(|pod| plan.has_pod(*pod)) {
        let mut smaller = plan.clone();
        smaller.without |= 1 << pod;
        all.push(smaller);
    }
    if plan.seconds > 5 {
        let mut smaller = plan.clone();
        smaller.seconds = plan.seconds * 3 / 4;
        all.push(smaller);
    }
    all
}
