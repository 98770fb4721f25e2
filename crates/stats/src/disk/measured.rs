use super::quota::Project;
use super::turns::Turn;
use super::usage::TreeUsage;

/// A tree to be measured.
#[derive(Clone, Default)]
pub(super) struct Tree {
    /// The last measurement that went to the end.
    pub(super) last: Option<TreeUsage>,
    /// The quota project that it was told by, or could have been.
    pub(super) project: Option<Project>,
    /// What a walk had found that made way for others, where that is more.
    pub(super) partial: Option<TreeUsage>,
    /// Its turn, while it is still to be measured in this cycle.
    pub(super) due: Option<Turn>,
}

impl Tree {
    pub(super) const fn is_due(&self) -> bool {
        self.due.is_some()
    }

    /// It is to be measured in this cycle, from its first turn on.
    pub(super) fn make_due(&mut self) {
        self.due = self.due.or(Some(Turn::first(self.last.is_some())));
    }

    /// What is known of it, with what a walk under way has found.
    pub(super) fn usage(&self, walked: Option<TreeUsage>) -> Option<TreeUsage> {
        let parts = [self.partial, walked].into_iter().flatten();
        let most = parts.max_by_key(|part| (part.used_bytes, part.inodes_used));
        let is_whole =
            |last: &TreeUsage| most.is_none_or(|most| last.used_bytes >= most.used_bytes);
        self.last.filter(is_whole).or(most).or(self.last)
    }
}
