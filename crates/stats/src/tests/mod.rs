mod dir;
mod filesystems;
mod hierarchies;
mod machine;
mod node;
mod pods;
mod probes;
mod stall;
pub(crate) mod tree;
