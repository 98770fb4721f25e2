//! Which pods would be evicted first if memory ran out, and why.
//!
//! usage: kubectl get pods -o json | what_if [NAME=MEMORY...]
//!
//! What each pod uses is what `kubectl top pods` prints, as in web=300Mi; a pod whose use is
//! not given ranks as one that could not be measured. Critical pods are never evicted.
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::collections::BTreeMap;

use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;
use evictd_node::{Layout, Policy, Signal};
use evictd_quantity::Quantity;
use evictd_rank::{Candidate, rank};
use serde_json::Value;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let mut usages = BTreeMap::new();
    for argument in std::env::args().skip(1) {
        let (name, memory) = argument.split_once('=').ok_or("write NAME=MEMORY")?;
        let bytes = u64::try_from(Quantity::parse(memory)?.value())?;
        let usage = PodUsage {
            memory_working_set_bytes: Some(bytes),
            ..PodUsage::default()
        };
        usages.insert(name.to_owned(), usage);
    }
    let list: Value = serde_json::from_reader(std::io::stdin())?;
    let items = list.get("items").and_then(Value::as_array);
    let items = items.ok_or("this is no list of pods: kubectl get pods -o json prints one")?;
    let pods: Result<Vec<Pod>, _> = items.iter().map(Pod::from_json).collect();
    let pods = pods?;
    let candidates = pods
        .iter()
        .map(|pod| Candidate::new(pod, usages.get(&pod.metadata.name)));
    let candidates: Vec<_> = candidates.collect();
    let (signal, layout) = (Signal::MemoryAvailable, Layout::OneFilesystem);
    for place in rank(signal, layout, &candidates, &Policy::default()) {
        let Some(Candidate { pod, .. }) = candidates.get(place.candidate) else {
            continue;
        };
        let (name, critical) = (&pod.metadata.name, pod.is_critical());
        println!("{name}: {}{place}", if critical { "never: " } else { "" });
    }
    Ok(())
}
