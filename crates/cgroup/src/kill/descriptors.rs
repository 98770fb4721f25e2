use alloc::sync::Arc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fd::{AsFd, OwnedFd};
use smallvec::SmallVec;

/// So many are held for a kill: a cgroup in three hierarchies, the kernel's notice, listing,
/// and a process. Listing pods and reading what they use takes fewer.
pub(crate) const HELD: usize = 8;

/// Where there are too few, so many are left to what else takes one for a moment.
const FOR_OTHERS: usize = 4;

/// Descriptors that are held so that the next kill, and a listing or look that lacks one,
/// has them when there are no others (acceptance row 187). The kills in flight share them
/// with whoever begins the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Descriptors(Arc<Mutex<SmallVec<[OwnedFd; HELD]>>>);

impl Descriptors {
    /// Holds as many as there are to have, copies of this one.
    pub(crate) fn hold(&self, copied: impl AsFd) {
        let mut held = self.lock();
        while held.len() < HELD {
            let Ok(copy) = copied.as_fd().try_clone_to_owned() else {
                let left = held.len().saturating_sub(FOR_OTHERS);
                return held.truncate(left);
            };
            held.push(copy);
        }
    }

    /// Lets them go: they are needed now.
    pub(crate) fn let_go(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, SmallVec<[OwnedFd; HELD]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
