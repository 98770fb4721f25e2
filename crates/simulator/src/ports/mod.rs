//! The engine's ports, on the world.

mod flight;
mod node;
mod pods;
mod reclaim;
mod relief;

use alloc::rc::Rc;
use core::cell::RefCell;

pub(crate) use node::WorldNode;
pub(crate) use pods::{WorldPods, shown_exactly};
pub(crate) use reclaim::WorldReclaim;
pub(crate) use relief::say;

use crate::world::World;

/// The world, as its ports share it.
pub(crate) type Shared = Rc<RefCell<World>>;
