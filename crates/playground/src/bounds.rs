//! How much of a recording is taken: a page has no operator who would end it.

use evictd_recording::Line;

/// Pods are compared with pods; so often takes some seconds.
const MOST_COMPARISONS: usize = 300_000_000;

/// All of a moment may be evicted in it, each with the order of all.
const MOST_PODS: usize = 1000;

/// Lines, and what pods used in each: some hundred megabytes, and more than 64 MiB of a real
/// recording have.
const MOST_PARTS: usize = 400_000;

/// What a recording costs, as it is read.
#[derive(Default)]
pub(crate) struct Cost {
    known: usize,
    comparisons: usize,
    parts: usize,
}

impl Cost {
    /// A line that was read.
    pub(crate) fn of(&mut self, line: &Line) -> Result<(), &'static str> {
        self.line()?;
        match line {
            Line::Pod(_) => self.pod(),
            Line::Seen(seen) => self.moment(seen.pods.len()),
            Line::Begun(_) | Line::Decided(_) | _ => Ok(()),
        }
    }

    /// A line, whatever it says.
    pub(crate) const fn line(&mut self) -> Result<(), &'static str> {
        self.parts = self.parts.saturating_add(1);
        if self.parts > MOST_PARTS {
            return Err(TOO_LARGE);
        }
        Ok(())
    }

    /// A pod is looked for among those that are known.
    pub(crate) const fn pod(&mut self) -> Result<(), &'static str> {
        self.known = self.known.saturating_add(1);
        self.compare(1)
    }

    /// Each of those that are known is looked for among `pods`.
    pub(crate) fn moment(&mut self, pods: usize) -> Result<(), &'static str> {
        self.parts = self.parts.saturating_add(pods);
        self.compare(pods)?;
        self.known = self.known.min(pods);
        if pods > MOST_PODS || self.parts > MOST_PARTS {
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
