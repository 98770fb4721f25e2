//! What a kill asks memory for, kept from one to the next: when one is to begin, memory
//! is short.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fd::{AsFd, OwnedFd};
use smallvec::SmallVec;

use super::Kill;
use super::struck::Struck;
use super::turn::Turn;
use crate::procs::Procs;

/// Processes of a pod that no kill has to ask memory for.
const USUAL: usize = 64;

/// Descriptors that are held for a kill: a cgroup in three hierarchies, the kernel's notice,
/// listing, and a process. Listing pods and reading what they use takes fewer.
pub(crate) const RESERVED: usize = 8;

/// Where there are too few, so many are left to what else takes one for a moment.
const FOR_OTHERS: usize = 4;

/// The lists of a kill.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) listing: Procs,
    /// Whose turn it is.
    pub(super) turn: Turn,
    /// Who has had it in this pass.
    pub(super) struck: Struck,
    /// Who was sent any signal.
    pub(super) seen: Struck,
}

/// The memory of the next kill; what a kill has used comes back when it is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Spare(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    reserve: SmallVec<[OwnedFd; RESERVED]>,
    scratch: Option<Scratch>,
    place: Option<Box<MaybeUninit<Kill>>>,
}

impl Spare {
    pub(crate) fn new() -> Self {
        let scratch = Scratch {
            listing: Procs::for_usual(USUAL),
            turn: Turn::for_usual(USUAL),
            struck: Struck::for_usual(USUAL),
            seen: Struck::for_usual(USUAL),
        };
        Self(Arc::new(Mutex::new(Kept {
            reserve: SmallVec::new(),
            scratch: Some(scratch),
            place: Some(Box::new_uninit()),
        })))
    }

    /// Holds descriptors, copies of this one, so that the next kill, and a listing or look
    /// that lacks one, has them when there are no others (acceptance row 187).
    pub(crate) fn reserve(&self, copied: impl AsFd) {
        let mut kept = self.lock();
        while kept.reserve.len() < RESERVED {
            let Ok(copy) = copied.as_fd().try_clone_to_owned() else {
                let left = kept.reserve.len().saturating_sub(FOR_OTHERS);
                return kept.reserve.truncate(left);
            };
            kept.reserve.push(copy);
        }
    }

    /// Lets them go: they are needed now.
    pub(crate) fn release(&self) {
        self.lock().reserve.clear();
    }

    pub(super) fn take(&self) -> Scratch {
        self.lock().scratch.take().unwrap_or_default()
    }

    /// Puts a kill that has begun where it stays.
    pub(crate) fn boxed(&self, kill: Kill) -> Box<Kill> {
        let place = self.lock().place.take();
        match place {
            Some(place) => Box::write(place, kill),
            None => Box::new(kill),
        }
    }

    /// Takes back what a kill has used. Its place is lost with it, so there is another: by
    /// now there is memory.
    pub(super) fn put_back(&self, mut used: Scratch) {
        used.listing.clear();
        used.turn.clear();
        used.struck.clear();
        used.seen.clear();
        let mut kept = self.lock();
        kept.scratch.get_or_insert(used);
        kept.place.get_or_insert_with(Box::new_uninit);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
