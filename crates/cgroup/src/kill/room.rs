//! What a kill asks memory for, kept from one to the next: when one is to begin, memory
//! is short.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::{MaybeUninit, take};
use std::sync::{Mutex, PoisonError};

use super::victims::Victims;
use super::{Kill, Kills};
use crate::procs::Procs;

/// Processes of a pod that no kill has to ask memory for.
const USUAL: usize = 64;

/// Cgroups of a pod that no kill has to ask memory for: a container runtime may keep
/// each container in one of its own.
pub(crate) const SEVERAL: usize = 4;

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
    /// How many kills may begin at once.
    at_once: usize,
    rooms: Vec<Room>,
    place: Option<Box<MaybeUninit<Kill>>>,
    place_of_several: Option<Box<MaybeUninit<Kills>>>,
}

impl Spare {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Kept {
            at_once: 1,
            rooms: Vec::from([Room::for_usual()]),
            place: Some(Box::new_uninit()),
            place_of_several: None,
        })))
    }

    /// Makes room for a pod of so many cgroups, now that there is memory.
    pub(crate) fn prepare_for(&self, cgroups: usize) {
        self.change(|kept| {
            let more = cgroups.min(SEVERAL).saturating_sub(kept.at_once);
            if more > 0 {
                kept.at_once += more;
                for _ in 0..more {
                    kept.rooms.push(Room::for_usual());
                }
                kept.place_of_several.get_or_insert_with(Box::new_uninit);
            }
        });
    }

    pub(super) fn take(&self) -> Room {
        self.change(|kept| kept.rooms.pop())
            .unwrap_or_else(Room::for_usual)
    }

    /// Where the kill that has begun is kept.
    pub(crate) fn boxed(&self, kill: Kill) -> Box<Kill> {
        match self.change(|kept| kept.place.take()) {
            Some(place) => Box::write(place, kill),
            None => Box::new(kill),
        }
    }

    /// The same for a pod in several cgroups.
    pub(crate) fn boxed_several(&self, kills: Kills) -> Box<Kills> {
        match self.change(|kept| kept.place_of_several.take()) {
            Some(place) => Box::write(place, kills),
            None => Box::new(kills),
        }
    }

    pub(super) fn put_back(&self, room: &mut Room) {
        room.victims.forget();
        room.listing.clear();
        self.change(|kept| {
            if kept.rooms.len() < kept.at_once {
                kept.rooms.push(take(room));
            }
            kept.place.get_or_insert_with(Box::new_uninit);
            if kept.at_once > 1 {
                kept.place_of_several.get_or_insert_with(Box::new_uninit);
            }
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Kept) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
