mod dir;
mod filesystems;
mod hierarchies;
mod machine;
mod node;
mod pods;
mod probes;
pub(crate) mod tree;
