//! How much of a recording is taken: a page has no operator who would end it.

/// Pods are compared with pods; so often takes some seconds.
const MOST_COMPARISONS: usize = 300_000_000;

/// What pods used, over all moments: some hundred megabytes.
const MOST_USES: usize = 1_000_000;

/// What a recording costs, as it is read.
#[derive(Default)]
pub(crate) struct Cost {
    known: usize,
    comparisons: usize,
    uses: usize,
}

impl Cost {
    /// A pod is looked for among those that are known.
    pub(crate) const fn pod(&mut self) -> Result<(), &'static str> {
        self.known = self.known.saturating_add(1);
        self.compare(1)
    }

    /// Each of those that are known is looked for among `pods`.
    pub(crate) fn moment(&mut self, pods: usize) -> Result<(), &'static str> {
        self.uses = self.uses.saturating_add(pods);
        self.compare(pods)?;
        self.known = self.known.min(pods);
        if self.uses > MOST_USES {
            return Err(TOO_LARGE);
        }
        Ok(())
    }

    const fn compare(&mut self, with: usize) -> Result<(), &'static str> {
        let more = self.known.saturating_mul(with);
        self.comparisons = self.comparisons.saturating_add(more);
        if self.comparisons > MOST_COMPARISONS {
            return Err(TOO_LARGE);
        }
        Ok(())
    }
}

const TOO_LARGE: &str = "more pods and moments than a page should decide on: take fewer moments, \
                         or evictd replay, which has no such limit";
