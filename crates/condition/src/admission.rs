use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use evictd_node::pod::{Pod, Toleration};
use evictd_node::{Condition, Policy, QosClass};

/// Why a pod may not start. Its text is the kubelet's message, trailing blank
/// included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    conditions: String,
}

impl Rejection {
    /// The reason that pod status carries.
    pub const REASON: &'static str = "Evicted";
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The node had condition: [{}]. ", self.conditions)
    }
}

impl core::error::Error for Rejection {}

/// Whether a pod may start while these conditions hold (K: `Admit`; acceptance
/// rows 123 to 127, decision D34).
///
/// A critical pod always may. Under memory pressure alone every pod may but a
/// BestEffort one that does not tolerate it. Any other condition, alone or
/// together, refuses all.
///
/// # Errors
/// The rejection names the conditions in the order given.
pub fn admit(conditions: &[Condition], pod: &Pod, policy: &Policy) -> Result<(), Rejection> {
    if conditions.is_empty() || pod.is_critical() {
        return Ok(());
    }
    if conditions == [Condition::MemoryPressure] {
        let tolerates =
            |t: &Toleration| t.tolerates(Condition::MemoryPressure.taint(), "", "NoSchedule");
        if pod.qos_class(policy) != QosClass::BestEffort
            || pod.spec.tolerations.iter().any(tolerates)
        {
            return Ok(());
        }
    }
    let names: Vec<&str> = conditions.iter().map(|c| c.name()).collect();
    Err(Rejection {
        conditions: names.join(" "),
    })
}
