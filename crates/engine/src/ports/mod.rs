//! What the engine asks of the machine: the node, its pods in four parts, and what can be
//! reclaimed. Time is an argument everywhere, and no port speaks of files or sockets: its
//! implementation does.

mod killing;
mod listing;
mod node;
mod reclaim;
mod runtimes;
mod told;
mod usage;

pub use killing::{Begun, Killing, OomKill};
pub use listing::{Heard, Listing};
pub use node::{Depth, Disk, Node, Place, Sample};
pub use reclaim::{Collect, Collected, Deletion, Job, Reclaim, Relief, Relieved};
pub use runtimes::{News, Places, Runtimes};
pub use told::Told;
pub use usage::{Holder, Usage};

/// All that the engine asks of pods. One type implements the four parts, as what is listed,
/// used, killed and known to a runtime is one pod.
pub trait Pods: Listing + Usage + Killing + Runtimes {}

impl<P: Listing + Usage + Killing + Runtimes> Pods for P {}
