//! On filesystems made for the tests, with writers that go on.

mod cutting;
mod disk;
mod relieving;
