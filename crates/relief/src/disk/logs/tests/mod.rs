//! On filesystems made for the tests, with writers that go on.

mod cutting;
mod disk;
mod half_done;
mod links;
mod relieving;
mod writers;
