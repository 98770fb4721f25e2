//! The state that evictd keeps on the disk, as the next one finds it: whole, old, or torn.

use crate::feature::{Feature, Features};
use crate::random::Random;

/// A state, with those whom it says to be protected.
#[derive(Clone, Debug, Default)]
struct Written {
    text: String,
    protected: Vec<String>,
}

/// What was written last, and the one before.
#[derive(Debug, Default)]
pub(crate) struct OnDisk {
    last: Written,
    before: Written,
}

impl OnDisk {
    pub(crate) fn write(&mut self, text: String, protected: &[String]) {
        if self.last.text != text {
            let protected = protected.to_vec();
            self.before = core::mem::replace(&mut self.last, Written { text, protected });
        }
    }

    /// What is read of it, and whom that protects.
    pub(crate) fn read(&self, features: Features, random: &mut Random) -> (String, Vec<String>) {
        let Written { text, protected } = if features.has(Feature::OldState) && random.one_in(3) {
            self.before.clone()
        } else if features.has(Feature::TornState) && random.one_in(3) {
            let half = self.last.text.len() / 2;
            Written {
                text: self.last.text.chars().take(half).collect(),
                protected: Vec::new(),
            }
        } else {
            self.last.clone()
        };
        (text, protected)
    }
}
