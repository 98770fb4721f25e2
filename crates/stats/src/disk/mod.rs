//! Disk usage of directory trees, measured off the decision's path.

mod level;
mod look;
mod measured;
mod measurer;
mod mounted;
mod names;
mod open_files;
mod quota;
mod scanner;
mod tally;
mod tree;
mod turns;
mod usage;
mod walk;

pub use mounted::MountedOn;
pub use open_files::{Held, OpenFiles, OpenFilesReader, WatchedDisks};
pub use scanner::DiskScanner;
pub use tree::DiskTree;
pub use usage::{Pace, Progress, TreeUsage};
pub use walk::read_tree_usage;

#[cfg(test)]
mod tests;
