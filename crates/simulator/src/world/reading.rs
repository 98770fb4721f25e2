//! What can be measured of the world: the truth.

use evictd_node::{Filesystem, Reading, Signal, Unit, Usage};

use super::disk::{held_on_disk, places, used};
use super::machine::World;
use super::pod::Held;
use crate::feature::Feature;

impl World {
    /// Each filesystem is asked what is left of it. One that hangs says what it said before,
    /// and so does one that is late: then the next time, where `LateAnswers` is on, what it
    /// would have said now.
    pub(crate) fn ask_disks(&mut self) {
        let comes_late = self.has(Feature::LateAnswers);
        let now = self.now;
        let truths = [0, 1].map(|index| self.disk_truth(index));
        let late = [0, 1].map(|index| self.now_and_then(Feature::LateDisk, index, 3));
        let all = self.disks.iter_mut().zip(truths).zip(late);
        for ((disk, truth), is_late) in all {
            disk.is_late = is_late;
            let before = disk.answer;
            let is_late = disk.is_late && before.is_some();
            let (from, until) = disk.hangs;
            let hangs = from <= now && now < until;
            if !hangs && (!is_late || comes_late) {
                disk.answer = truth;
            }
            disk.shown = if is_late { before } else { disk.answer };
        }
    }

    /// What is left of a signal now; `None` where this world has no such thing.
    pub(crate) fn truth(&self, signal: Signal) -> Option<Reading> {
        let reading = |left: u64, of: u64| Reading {
            available: signed(left),
            capacity: signed(of),
            sampled: Some(self.now),
        };
        Some(match signal {
            Signal::MemoryAvailable => {
                let total = self.memory.total;
                let left = total.saturating_sub(self.working_set());
                let mut reading = reading(left, total);
                reading.available = reading.available.saturating_sub(self.disagrees_by());
                reading.available = reading.available.clamp(0, signed(total));
                reading
            }
            Signal::SwapAvailable => {
                let total = self.memory.swap;
                if total == 0 {
                    return None;
                }
                reading(total.saturating_sub(self.swap_used()), total)
            }
            Signal::PidAvailable => {
                reading(self.pid_max.saturating_sub(self.pids_used()), self.pid_max)
            }
            Signal::AllocatableMemoryAvailable | Signal::MemoryStall => return None,
            Signal::NodefsAvailable
            | Signal::NodefsInodesFree
            | Signal::ImagefsAvailable
            | Signal::ImagefsInodesFree
            | Signal::ContainerfsAvailable
            | Signal::ContainerfsInodesFree => {
                let [bytes, inodes] = self.disk_truth(self.disk_of(signal)?)?;
                if signal.unit() == Unit::Bytes {
                    bytes
                } else {
                    inodes
                }
            }
        })
    }

    pub(crate) fn disk_of(&self, signal: Signal) -> Option<usize> {
        let [nodefs, imagefs, containerfs] = places(self.layout);
        Some(match signal.filesystem()? {
            Filesystem::Nodefs => nodefs,
            Filesystem::Imagefs => imagefs,
            Filesystem::Containerfs => containerfs,
        })
    }

    pub(crate) fn disk_truth(&self, index: usize) -> Option<[Reading; 2]> {
        let disk = self.disks.get(index)?;
        let (bytes, inodes) = used(index, disk, places(self.layout), &self.pods, &self.things);
        let reading = |used: u64, of: u64| Reading {
            available: signed(of.saturating_sub(used)),
            capacity: signed(of),
            sampled: Some(self.now),
        };
        let has_inodes = self.inodes_where(bytes, disk);
        Some([reading(bytes, disk.capacity), reading(inodes, has_inodes)])
    }

    /// How much of what a signal watches would be free without what a pod holds.
    pub(crate) fn held_of(&self, signal: Signal, held: &Held) -> u64 {
        match signal.usage() {
            Usage::Memory => held.working_set(),
            Usage::MemoryAndSwap => held.working_set() + held.swap,
            Usage::Processes => held.pids,
            Usage::Disk | Usage::Inodes => held_on_disk(signal, self.layout, held).unwrap_or(0),
        }
    }
}

pub(crate) fn signed(of: u64) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}
