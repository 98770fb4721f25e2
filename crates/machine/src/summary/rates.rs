use core::mem::take;
use std::collections::HashMap;

use evictd_node::Mono;

/// Processor time by what used it, as of the last look and of this one.
#[derive(Default)]
pub(super) struct Rates {
    last: HashMap<String, u64>,
    last_at: Option<Mono>,
    this: HashMap<String, u64>,
    this_at: Option<Mono>,
}

impl Rates {
    /// A look begins.
    pub(super) fn begin(&mut self, at: Mono) {
        self.this_at = Some(at);
    }

    /// Notes what was used of processor time, and returns how many billionths of a processor
    /// that is since the last look. `None` in the first one, and for what was not there or
    /// counts anew.
    pub(super) fn nano_cores(&mut self, id: &str, used: u64) -> Option<u64> {
        self.this.insert(id.to_owned(), used);
        let before = self.last.get(id)?;
        let between = self.this_at?.since(self.last_at?).as_nanos();
        let more = u128::from(used.checked_sub(*before)?);
        let rate = more.saturating_mul(1_000_000_000).checked_div(between)?;
        u64::try_from(rate).ok()
    }

    /// The look is over: the next is compared with this one.
    pub(super) fn end(&mut self) {
        self.last = take(&mut self.this);
        self.last_at = self.this_at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_needs_two_looks() {
        let mut rates = Rates::default();
        rates.begin(Mono::from_millis(10_000));
        assert_eq!(rates.nano_cores("a", 5_000), None);
        rates.end();
        rates.begin(Mono::from_millis(12_000));
        assert_eq!(
            rates.nano_cores("a", 5_000 + 3_000_000_000),
            Some(1_500_000_000)
        );
        assert_eq!(rates.nano_cores("b", 7), None);
        rates.end();
        rates.begin(Mono::from_millis(13_000));
        // It was made anew, under the same name.
        assert_eq!(rates.nano_cores("a", 1), None);
    }
}
