//! What came of a run.

use core::fmt;

use evictd_node::{ConditionSet, Mono};

use crate::coverage::Coverage;
use crate::plan::Plan;
use crate::violation::Violation;

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was run.
    pub plan: Plan,
    /// What must never happen, and did: the run ends with the first.
    pub violation: Option<Violation>,
    /// What happened, line by line, where that was wanted.
    pub story: Vec<String>,
    /// What the run has met.
    pub coverage: Coverage,
    /// The pods that evictd began to evict, and when.
    pub evictions: Vec<(Mono, String)>,
}

/// A run, and what can be seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// What came of it, with its story.
    pub report: Report,
    /// What `evictd record` would have written meanwhile.
    pub recording: String,
    /// The conditions of the daemon itself, at each moment of the recording.
    pub held: Vec<ConditionSet>,
}

impl Report {
    /// A number for all that it says, by which stories of two machines are compared.
    #[must_use]
    pub fn digest(&self) -> u64 {
        digest(&self.to_string())
    }

    /// A number for which pods were evicted and when, whatever is said of it, by which two
    /// builds are compared.
    #[must_use]
    pub fn digest_of_evictions(&self) -> u64 {
        digest(&format!("{:?} {:?}", self.evictions, self.violation))
    }

    /// Of a run that never ended.
    pub(crate) fn of_no_world(plan: &Plan, oracle: &'static str, text: &str) -> Self {
        let text = text.into();
        Self {
            plan: plan.clone(),
            violation: Some(Violation::new(oracle, Mono::ZERO, text)),
            story: Vec::new(),
            coverage: Coverage::default(),
            evictions: Vec::new(),
        }
    }
}

/// FNV-1a.
fn digest(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |digest: u64, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.plan)?;
        writeln!(f, "a world with {}", self.plan.features)?;
        for line in &self.story {
            writeln!(f, "{line}")?;
        }
        match &self.violation {
            None => writeln!(f, "nothing went wrong"),
            Some(violation) => writeln!(f, "VIOLATION: {violation}"),
        }
    }
}
