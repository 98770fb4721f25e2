//! What a kill asks memory for, kept from one to the next: when one is to begin, memory
//! is short.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pod::PodKill;
use super::victims::Victims;
use crate::procs::Procs;

/// Processes of a pod that no kill has to ask memory for.
const USUAL: usize = 64;

/// Cgroups of a pod that no kill has to ask memory for: a container runtime may keep
/// each container in one of its own.
pub(crate) const SEVERAL: usize = 4;

/// The lists of a kill.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(super) victims: Victims,
    pub(super) listing: Procs,
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            victims: Victims::for_usual(USUAL),
            listing: Procs::for_usual(USUAL),
        }
    }
}

/// The memory of the next kill; what a kill has used comes back when it is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Spare(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    /// One for each cgroup that a pod has.
    scratches: Vec<Scratch>,
    /// How many of them.
    at_once: usize,
    place: Option<Box<MaybeUninit<PodKill>>>,
}

impl Spare {
    /// For a pod of one cgroup.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Kept {
            scratches: Vec::from([Scratch::new()]),
            at_once: 1,
            place: Some(Box::new_uninit()),
        })))
    }

    /// Makes room for a pod of so many cgroups, now that there is memory.
    pub(crate) fn prepare_for(&self, cgroups: usize) {
        let mut kept = self.lock();
        while kept.at_once < cgroups.min(SEVERAL) {
            kept.at_once += 1;
            kept.scratches.push(Scratch::new());
        }
    }

    pub(crate) fn take(&self) -> Scratch {
        let kept = self.lock().scratches.pop();
        kept.unwrap_or_else(Scratch::new)
    }

    /// Puts a kill that has begun where it stays.
    pub(crate) fn boxed(&self, kill: PodKill) -> Box<PodKill> {
        let place = self.lock().place.take();
        match place {
            Some(place) => Box::write(place, kill),
            None => Box::new(kill),
        }
    }

    /// Takes back what a kill of a pod has used. Its place is lost with it, so there is
    /// another: by now there is memory.
    pub(super) fn put_back(&self, used: impl Iterator<Item = Scratch>) {
        let mut kept = self.lock();
        for mut scratch in used {
            if kept.scratches.len() < kept.at_once {
                scratch.victims.forget();
                scratch.listing.clear();
                kept.scratches.push(scratch);
            }
        }
        kept.place.get_or_insert_with(Box::new_uninit);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
