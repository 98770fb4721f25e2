mod dir;
mod filesystems;
mod hierarchies;
mod machine;
mod node;
mod pods;
pub(crate) mod tree;
