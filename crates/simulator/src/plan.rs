//! What a run is made of: a seed, and what was left out of its world to make it smaller.

use core::fmt;

use crate::feature::{Feature, Features};

/// A run of the simulator. Two runs of one plan are the same to the byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Decides everything.
    pub seed: u64,
    /// What the world has.
    pub features: Features,
    /// Pods that are left out, by their numbers.
    pub without: u32,
    /// How long there is chaos, in seconds.
    pub seconds: u64,
}

/// So many pods a world has at most at its start.
pub const MOST_PODS: u32 = 12;

impl Plan {
    /// All that a seed decides.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        Self {
            seed,
            features: Features::of(seed),
            without: 0,
            seconds: 30 + seed % 60,
        }
    }

    /// Whether the world has the pod of that number.
    #[must_use]
    pub const fn has_pod(&self, number: u32) -> bool {
        self.without >> number & 1 == 0
    }

    /// Reads what [`Plan`] prints.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut plan = None;
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=')?;
            if key == "seed" {
                plan = Some(Self::of(value.parse().ok()?));
                continue;
            }
            let plan: &mut Self = plan.as_mut()?;
            match key {
                "without-pods" => plan.without = value.parse().ok()?,
                "seconds" => plan.seconds = value.parse().ok()?,
                "without" => {
                    for name in value.split(',') {
                        let mut all = Feature::ALL.iter();
                        let feature = all.find(|feature| format!("{feature:?}") == name)?;
                        plan.features.set(*feature, false);
                    }
                }
                _ => return None,
            }
        }
        plan
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = Self::of(self.seed);
        write!(f, "seed={}", self.seed)?;
        let missing = whole.features.each().filter(|one| !self.features.has(*one));
        let missing: Vec<String> = missing.map(|one| format!("{one:?}")).collect();
        if !missing.is_empty() {
            write!(f, " without={}", missing.join(","))?;
        }
        if self.without != 0 {
            write!(f, " without-pods={}", self.without)?;
        }
        if self.seconds != whole.seconds {
            write!(f, " seconds={}", self.seconds)?;
        }
        Ok(())
    }
}
