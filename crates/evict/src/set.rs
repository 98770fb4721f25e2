/// A set of thresholds by their index: no allocation, whatever the round finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThresholdSet(u32);

impl ThresholdSet {
    /// How many thresholds there can be. Two lists of ten signals, two copies
    /// for the cgroup of all pods and four derived ones make 26.
    pub(crate) const CAPACITY: usize = 32;

    pub(crate) fn insert(&mut self, index: usize) {
        self.0 |= bit(index);
    }

    pub(crate) fn remove(&mut self, index: usize) {
        self.0 &= !bit(index);
    }

    pub(crate) fn has(self, index: usize) -> bool {
        self.0 & bit(index) != 0
    }

    /// The same thresholds in another list, of which each was at that index in this one.
    pub(crate) fn rearranged(self, former: &[Option<usize>]) -> Self {
        let mut set = Self::default();
        for (index, former) in former.iter().enumerate() {
            if former.is_some_and(|former| self.has(former)) {
                set.insert(index);
            }
        }
        set
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The indices in it, lowest first.
    pub(crate) fn each(self) -> impl Iterator<Item = usize> {
        (0..Self::CAPACITY).filter(move |index| self.has(*index))
    }
}

fn bit(index: usize) -> u32 {
    u32::try_from(index)
        .ok()
        .and_then(|index| 1_u32.checked_shl(index))
        .unwrap_or(0)
}
