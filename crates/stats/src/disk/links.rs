use alloc::vec;
use alloc::vec::Vec;

/// Slots of the table at most: with 16 bytes each, 1 MiB.
const MOST_SLOTS: usize = 1 << 16;

/// How far from its own place an inode is looked for.
const PROBES: usize = 64;

/// One inode; number 0 is an empty slot, since no filesystem uses it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Inode {
    number: u64,
    device: u64,
}

/// Whether an inode with several names was met before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    First,
    Again,
    /// There was no room to remember it.
    Unknown,
}

/// The inodes of a tree that have more than one name.
///
/// Bounded: whoever fills a volume with hard links must not fill the daemon's
/// memory.
#[derive(Default)]
pub(crate) struct Links {
    slots: Vec<Inode>,
    used: usize,
}

impl Links {
    pub(crate) fn meet(&mut self, number: u64, device: u64) -> Met {
        let inode = Inode { number, device };
        if number == 0 {
            return Met::Unknown;
        }
        if self.is_crowded() {
            self.grow();
        }
        let crowded = self.is_crowded();
        match find(&mut self.slots, inode) {
            Some(slot) if *slot == inode => Met::Again,
            Some(slot) if !crowded => {
                *slot = inode;
                self.used += 1;
                Met::First
            }
            _ => Met::Unknown,
        }
    }

    fn is_crowded(&self) -> bool {
        self.used >= self.slots.len() / 4 * 3
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() * 4).clamp(64, MOST_SLOTS);
        if slots == self.slots.len() {
            return;
        }
        let former = core::mem::replace(&mut self.slots, vec![Inode::default(); slots]);
        self.used = 0;
        for inode in former.into_iter().filter(|inode| inode.number != 0) {
            if let Some(slot) = find(&mut self.slots, inode) {
                *slot = inode;
                self.used += 1;
            }
        }
    }
}

/// The slot that holds the inode, or the empty one where it belongs.
fn find(slots: &mut [Inode], inode: Inode) -> Option<&mut Inode> {
    // Multiplying by an odd number spreads inode numbers, which come in rows,
    // over the upper bits.
    let mixed = (inode.number ^ inode.device.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mask = slots.len().checked_sub(1)?;
    let place = usize::try_from(mixed >> 40).unwrap_or(0);
    let at = (0..PROBES)
        .map(|probe| (place + probe) & mask)
        .find(|at| matches!(slots.get(*at), Some(slot) if slot.number == 0 || *slot == inode))?;
    slots.get_mut(at)
}

#[cfg(test)]
mod tests;
