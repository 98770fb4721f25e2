//! Node-pressure eviction for machines that have no kubelet.
fn main() {}
