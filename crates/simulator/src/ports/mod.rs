//! The engine's ports, on the world.

mod flight;
mod ladder;
mod node;
mod pods;
mod reclaim;

use alloc::rc::Rc;
use core::cell::RefCell;

pub(crate) use ladder::say;
pub(crate) use node::WorldNode;
pub(crate) use pods::{WorldPods, shown_exactly};
pub(crate) use reclaim::WorldReclaim;

use crate::world::World;

/// The world, as its ports share it.
pub(crate) type Shared = Rc<RefCell<World>>;
