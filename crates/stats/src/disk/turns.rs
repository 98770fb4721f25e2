//! Whose turn it is to be walked: a tree of millions of entries, which any pod can make, keeps
//! no other waiting.

/// Entries of the first turn. Each further turn is [`LONGER`] times as long as the one before. Small trees are done
/// first, and a large one costs a third more than in one go.
const FIRST: u64 = 16 << 10;
const LONGER: u64 = 4;

/// The turn of a tree in this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// So many entries it has.
    entries: u64,
    /// It was measured to its end before.
    is_known: bool,
}

impl Turn {
    pub(super) const fn first(is_known: bool) -> Self {
        Self {
            entries: FIRST,
            is_known,
        }
    }

    /// Whether a walk that has come so far makes way for one of these.
    pub(super) fn makes_way(self, entries: u64, mut others: impl Iterator<Item = Self>) -> bool {
        entries >= self.entries && others.any(|other| other.entries <= self.entries)
    }

    /// The walk begins again when it is its turn again, and may come further then.
    pub(super) const fn longer(self) -> Self {
        Self {
            entries: self.entries.saturating_mul(LONGER),
            ..self
        }
    }

    /// Who is next: the shortest turn, and of these one without a result.
    pub(super) const fn order(self) -> (u64, bool) {
        (self.entries, self.is_known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In which order trees of these sizes are done, and after how many entries in all.
    fn done(sizes: &[u64]) -> Vec<(usize, u64)> {
        const STEP: u64 = 1024;
        let mut turns: Vec<Option<Turn>> = sizes.iter().map(|_| Some(Turn::first(false))).collect();
        let (mut done, mut all) = (Vec::new(), 0);
        while let Some((index, turn)) = (0..)
            .zip(&turns)
            .filter_map(|(index, turn)| Some((index, (*turn)?)))
            .min_by_key(|(_, turn)| turn.order())
        {
            let mut entries = 0;
            turns[index] = loop {
                let step = STEP.min(sizes[index] - entries);
                (entries, all) = (entries + step, all + step);
                let others = turns.iter().enumerate().filter(|(at, _)| *at != index);
                if entries == sizes[index] {
                    done.push((index, all));
                    break None;
                } else if turn.makes_way(entries, others.filter_map(|(_, turn)| *turn)) {
                    break Some(turn.longer());
                }
            };
        }
        done
    }

    #[test]
    fn tree_of_millions_of_entries_delays_no_other() {
        let millions = 6_000_000;
        let order = |sizes: &[u64]| -> Vec<usize> {
            done(sizes).into_iter().map(|(index, _)| index).collect()
        };
        assert_eq!(order(&[millions, 10, 500_000, 7]), [1, 3, 2, 0]);
        for (index, after) in done(&[millions, 10, 500_000, 7]) {
            let most = [8_500_000, 40_000, 1_500_000, 40_000][index];
            assert!(after <= most, "{index}: {after}");
        }
        assert_eq!(done(&[millions]), [(0, millions)], "alone it goes on");
        // Whoever has several of them delays the others by as much again each.
        let (_, after) = done(&[millions, millions, millions, 50_000])[0];
        assert!(after <= 4 * 65_536 + 4 * 16_384, "{after}");
    }
}
