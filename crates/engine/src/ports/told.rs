use core::time::Duration;

use evictd_node::Mono;

/// How long one list that was told for keeps the next one waiting.
const BETWEEN: Duration = Duration::from_millis(100);

/// How long to wait for what is told where nothing was.
const LONGEST: Duration = Duration::from_secs(10);

/// When what a runtime tells by itself leads to a list of what it holds: at once, and what is
/// told soon after that together. For who implements [`Runtimes`](super::Runtimes).
///
/// Nothing of what is told is believed: so it matters little what it is, whether something is
/// lost, or how much comes.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    is_pending: bool,
    /// Not before that.
    from: Mono,
}

impl Told {
    /// What it tells is heard from now on. What has happened before may be in no list yet: one
    /// is due soon.
    #[must_use]
    pub fn since(now: Mono) -> Self {
        Self {
            is_pending: true,
            from: now + BETWEEN,
        }
    }

    /// How long to wait for it to tell more.
    #[must_use]
    pub fn at_most(&self, now: Mono) -> Duration {
        if self.is_pending {
            self.from.since(now)
        } else {
            LONGEST
        }
    }

    /// It has told something, or nothing in that time. Returns whether a list is due; the next
    /// one is due a while later.
    pub fn hear(&mut self, now: Mono, anything: bool) -> bool {
        self.is_pending |= anything;
        let is_due = self.is_pending && now >= self.from;
        if is_due {
            *self = Self {
                is_pending: false,
                from: now + BETWEEN,
            };
        }
        is_due
    }

    /// The list that was due is not asked for: one that goes on may have been begun too early.
    pub const fn again(&mut self) {
        self.is_pending = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Mono {
        Mono::from_millis(millis)
    }

    /// Acceptance row 250.
    #[test]
    fn many_events_lead_to_ten_lists_a_second() {
        let mut told = Told::since(at(0));
        assert!(
            !told.hear(at(99), false),
            "the subscription itself is young"
        );
        assert!(told.hear(at(100), false));
        assert_eq!(told.at_most(at(100)), LONGEST);
        assert!(
            told.hear(at(5000), true),
            "the first of them leads to a list at once"
        );
        let lists = (5001..6001).filter(|millis| told.hear(at(*millis), true));
        assert_eq!(lists.count(), 10);
        // The last of them is in a list too, though nothing comes after it.
        assert!(!told.hear(at(6050), true));
        assert_eq!(told.at_most(at(6050)), Duration::from_millis(50));
        assert!(told.hear(at(6100), false) && !told.hear(at(9000), false));
        // Nor is it lost where the list that goes on was begun before it.
        told.again();
        assert!(told.hear(at(9001), false));
    }
}
