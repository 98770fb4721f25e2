//! Pods over CRI, for the tests.
fn main() {}
