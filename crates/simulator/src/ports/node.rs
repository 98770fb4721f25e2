use core::time::Duration;

use evictd_engine::ports::{Depth, Disk, Node, Places, Sample};
use evictd_node::{Mono, Readings, Resource, Signal, Unit};

use super::Shared;
use crate::feature::Feature;
use crate::world::World;

/// The node, as the engine reads it.
pub(crate) struct WorldNode(pub(crate) Shared);

impl Node for WorldNode {
    fn read(&mut self, now: Mono, fs_wait: Duration) -> Sample {
        let world = &mut *self.0.borrow_mut();
        // Measured between two steps of a reclaim, it is no round.
        world.given.is_round = fs_wait != Duration::from_millis(100) && !world.stalled;
        let mut sample = Sample::default();
        if world.now_and_then(Feature::Blind, 0, 50) {
            world.given.take(now, &sample.readings);
            return sample;
        }
        // One question asks a filesystem for all that it says.
        let mut disks_missing = [None; 2];
        world.ask_disks();
        for (index, signal) in (1..).zip(Signal::ALL) {
            let missing = world.now_and_then(Feature::Blind, index, 100);
            let disk = world.disk_of(signal);
            let of_disk = disk.and_then(|disk| disks_missing.get_mut(disk));
            let missing = of_disk.map_or(missing, |of| *of.get_or_insert(missing));
            let reading = match disk {
                Some(disk) => answer(world, disk, signal.unit()),
                None => world.truth(signal),
            };
            sample.readings.set(signal, reading.filter(|_| !missing));
        }
        sample.layout = Some(world.layout);
        let disk = |signal| {
            let index = world.disk_of(signal)?;
            let disk = world.disks.get(index)?;
            let (from, until) = disk.hangs;
            Some(Disk {
                device: disk.device,
                stale: disk.is_late || from <= world.now && world.now < until,
            })
        };
        sample.nodefs = disk(Signal::NodefsAvailable);
        sample.imagefs = disk(Signal::ImagefsAvailable);
        sample.containerfs = disk(Signal::ContainerfsAvailable);
        world.given.take(now, &sample.readings);
        sample
    }

    fn read_memory(&mut self, now: Mono, depth: Depth) -> Readings {
        let world = &mut *self.0.borrow_mut();
        let mut readings = Readings::default();
        for signal in Signal::ALL {
            if signal.resource() != Resource::Memory {
                continue;
            }
            let mut reading = world.truth(signal);
            if let (Depth::Bounds, Some(reading)) = (depth, &mut reading) {
                let pods = world.pods.iter().filter(|pod| pod.runs());
                let cache: u64 = pods.map(|pod| pod.held.inactive).sum();
                let cache = i64::try_from(cache).unwrap_or(i64::MAX);
                reading.available = reading.available.saturating_sub(cache);
            }
            readings.set(signal, reading);
        }
        world.given.looked_at = now;
        world.given.memory_looks += 1;
        if depth == Depth::Whole {
            world.given.memory.push((now, readings));
        }
        readings
    }

    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    fn is_near_oom(&self) -> bool {
        self.0.borrow().is_near_oom()
    }

    fn follow(&mut self, _places: Places) -> Result<bool, String> {
        Ok(false)
    }
}

/// What a disk says this time.
fn answer(world: &World, index: usize, unit: Unit) -> Option<evictd_node::Reading> {
    let [bytes, inodes] = world.disks.get(index)?.shown?;
    Some(if unit == Unit::Bytes { bytes } else { inodes })
}
