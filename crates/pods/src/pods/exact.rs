//! The exact usage of those pods that may still be chosen: read before one is evicted, and
//! kept for each container until the eviction has been told.

use evictd_node::pod::usage::PodUsage;

use super::described::{Described, containers};
use super::listed::Listed;
use super::tree::Tree;
use super::usage::{Gone, Reading, container_usage, name_only_container, running_in};

impl Listed {
    /// Reads what is known of a pod by a bound alone. One that has vanished meanwhile
    /// is taken out, so that those behind it move up.
    pub(super) fn read_exactly(&mut self, index: usize, tree: &mut Tree, described: &Described) {
        let (Some(found), Some(candidate), Some(is_bound)) = (
            self.listing.pods.get(index),
            self.candidates.get_mut(index),
            self.bounds.get_mut(index),
        ) else {
            return;
        };
        let (of, reader) = (&tree.hierarchies, &mut tree.reader);
        let mut reading = Reading::new(of, reader, &described.held, &mut self.problems);
        let of_containers = &mut self.of_containers;
        of_containers.retain(|(pod, _)| *pod != index);
        let before = of_containers.len();
        let mut note = |bytes| of_containers.push((index, bytes));
        let read = match reading.memory(found, &mut note) {
            Ok(Some(bytes)) => Ok(Some(PodUsage {
                memory_working_set_bytes: Some(bytes),
                ..PodUsage::default()
            })),
            // What failed is a problem, which is told.
            Ok(None) | Err(Gone) => reading.whole(found, None).map(|mut whole| {
                if reading.by_processes
                    && let Some(usage) = &mut whole
                {
                    let told_apart = reading.resident(found);
                    let at_most = usage.memory_working_set_bytes;
                    usage.memory_working_set_bytes = told_apart.or(at_most);
                }
                whole
            }),
        };
        if let Ok(mut read) = read {
            // What it holds on disk is read with all the rest alone.
            if let (Some(read), Some(former)) = (&mut read, candidate.usage.take()) {
                read.undescribed = former.undescribed;
                read.stalls = former.stalls;
                take_disk(read, former);
            }
            (candidate.usage, *is_bound) = (read, false);
            return;
        }
        self.of_containers.truncate(before);
        self.listing.pods.remove(index);
        self.candidates.remove(index);
        self.bounds.remove(index);
        for (pod, _) in &mut self.of_containers {
            *pod -= usize::from(*pod > index);
        }
    }

    /// Adds what the containers of a pod use to what it uses itself, where it was read
    /// exactly: their names take memory, so this is for when it is being killed.
    pub(super) fn name_containers(&mut self, index: usize, described: &Described) {
        let (found, candidate) = (self.listing.pods.get(index), self.candidates.get_mut(index));
        let usage = candidate.and_then(|candidate| candidate.usage.as_mut());
        let (Some(found), Some(usage)) = (found, usage) else {
            return;
        };
        if !usage.containers.is_empty() {
            return; // read whole
        }
        let read = self.of_containers.iter().filter(|(pod, _)| *pod == index);
        let mut read = read.map(|(_, bytes)| *bytes);
        let mut any = false;
        for container in containers(&described.held, found) {
            any = true;
            let runs = running_in(container).is_some();
            let bytes = runs.then(|| read.next().flatten()).flatten();
            usage.containers.extend(container_usage(container, bytes));
        }
        if !any {
            name_only_container(&found.pod, usage);
        }
    }
}

/// What was known of the pod's disk is known of it still.
fn take_disk(read: &mut PodUsage, former: PodUsage) {
    read.disk_in_part = former.disk_in_part;
    read.ephemeral_storage_bytes = former.ephemeral_storage_bytes;
    read.volumes = former.volumes;
    read.mounts = former.mounts;
    if !former.containers.is_empty() {
        read.containers = former.containers;
    }
}
