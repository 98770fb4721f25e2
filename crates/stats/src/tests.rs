mod hierarchies;
mod tree;
