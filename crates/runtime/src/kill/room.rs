//! What a kill asks memory for, kept from one to the next: when one is to begin, memory
//! is short.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::mem::{MaybeUninit, take};
use std::sync::{Mutex, PoisonError};

use super::Kill;
use super::victims::Victims;
use crate::procs::Procs;

/// Processes of a pod that no kill has to ask memory for.
const USUAL: usize = 64;

/// The lists of a kill.
#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) victims: Victims,
    pub(super) listing: Procs,
}

impl Room {
    pub(super) fn for_usual() -> Self {
        Self {
            victims: Victims::for_usual(USUAL),
            listing: Procs::for_usual(USUAL),
        }
    }
}

/// Room for the next kill; what a kill has used comes back when it is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Spare(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    room: Option<Room>,
    place: Option<Box<MaybeUninit<Kill>>>,
}

impl Spare {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Kept {
            room: Some(Room::for_usual()),
            place: Some(Box::new_uninit()),
        })))
    }

    pub(super) fn take(&self) -> Room {
        self.change(|kept| kept.room.take())
            .unwrap_or_else(Room::for_usual)
    }

    /// Where the kill that has begun is kept.
    pub(crate) fn boxed(&self, kill: Kill) -> Box<Kill> {
        match self.change(|kept| kept.place.take()) {
            Some(place) => Box::write(place, kill),
            None => Box::new(kill),
        }
    }

    pub(super) fn put_back(&self, room: &mut Room) {
        room.victims.forget();
        room.listing.clear();
        self.change(|kept| {
            kept.room = Some(take(room));
            kept.place.get_or_insert_with(Box::new_uninit);
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
