//! What a kill asks memory for, kept from one to the next: when one is to begin, memory
//! is short.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Kill;
use super::victims::Victims;
use crate::procs::Procs;

/// Processes of a pod that no kill has to ask memory for.
const USUAL: usize = 64;

/// The lists of a kill.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) victims: Victims,
    pub(super) listing: Procs,
}

/// The memory of the next kill; what a kill has used comes back when it is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Spare(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    scratch: Option<Scratch>,
    place: Option<Box<MaybeUninit<Kill>>>,
}

impl Spare {
    pub(crate) fn new() -> Self {
        let scratch = Scratch {
            victims: Victims::for_usual(USUAL),
            listing: Procs::for_usual(USUAL),
        };
        Self(Arc::new(Mutex::new(Kept {
            scratch: Some(scratch),
            place: Some(Box::new_uninit()),
        })))
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
        used.victims.forget();
        used.listing.clear();
        let mut kept = self.lock();
        kept.scratch.get_or_insert(used);
        kept.place.get_or_insert_with(Box::new_uninit);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
