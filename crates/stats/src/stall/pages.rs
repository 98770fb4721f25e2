//! What `/proc/vmstat` says of pages that the node's reclaim scans, and of those read back.

use evictd_kerntext::flat_keyed;

/// The node's own reclaim scans more pages a second where it is what stalls: a slow card reads
/// some hundred back.
pub(super) const FEW: u64 = 100;

/// Pages since the kernel began: those that the node's reclaim scanned, which is not that of a
/// cgroup at its limit, and those that were missed and read back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pages {
    /// Not those that it took: while all of them are in use it scans for a second and more,
    /// everybody waits, and it takes hardly one (seen with Linux 6.1: 53 pages in 1.2 s, of
    /// which 84 % was lost).
    pub(super) scanned: u64,
    pub(super) read_back: u64,
    /// Of these, pages of files.
    pub(super) read_back_of_files: u64,
    /// Faults that had to wait for a device. Reading a file makes none.
    pub(super) major_faults: u64,
    /// What there is of page cache now; `None` where that is not told.
    pub(super) cache: Option<u64>,
}

impl Pages {
    /// From `/proc/vmstat`; `None` where the kernel does not count these. Before Linux 4.8 it
    /// counts what was scanned by zones, and before 5.9 what was read back of files alone.
    pub(super) fn of(vmstat: &[u8]) -> Option<Self> {
        let (mut scanned, mut of_files) = (None, None);
        let mut anonymous = 0;
        let (mut major_faults, mut cache) = (None, None);
        for entry in flat_keyed(vmstat) {
            let sum = match entry.key() {
                b"pgscan_direct_throttle" => continue, // how often somebody had to wait
                key if key.starts_with(b"pgscan_kswapd") || key.starts_with(b"pgscan_direct") => {
                    &mut scanned
                }
                b"workingset_refault_anon" => {
                    anonymous = entry.number().ok()?;
                    continue;
                }
                key if key.starts_with(b"workingset_refault") => &mut of_files,
                b"pgmajfault" => &mut major_faults,
                b"nr_inactive_file" | b"nr_active_file" => &mut cache,
                _ => continue,
            };
            *sum = Some(sum.unwrap_or(0_u64).saturating_add(entry.number().ok()?));
        }
        Some(Self {
            scanned: scanned?,
            read_back: of_files?.saturating_add(anonymous),
            read_back_of_files: of_files?,
            major_faults: major_faults.unwrap_or(0),
            cache,
        })
    }

    /// What was counted since then. Of page cache, how much there was then.
    pub(super) fn since(self, then: Self) -> Self {
        Self {
            scanned: self.scanned.saturating_sub(then.scanned),
            read_back: self.read_back.saturating_sub(then.read_back),
            read_back_of_files: self
                .read_back_of_files
                .saturating_sub(then.read_back_of_files),
            major_faults: self.major_faults.saturating_sub(then.major_faults),
            cache: then.cache,
        }
    }

    /// Whether it was not the node's reclaim that took them, in that time.
    pub(super) const fn were_taken_within_limits(self, millis: u64) -> bool {
        let few = FEW.saturating_mul(millis) / 1000;
        self.scanned < few || self.scanned < self.read_back / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 421: as Linux 4.4 and 6.1 write it.
    #[test]
    fn pages_are_counted_by_kernels_old_and_new() {
        let old = b"nr_inactive_file 30\nnr_active_file 12\npgmajfault 4\npgscan_kswapd_dma 1\n\
            pgscan_kswapd_normal 20\npgscan_direct_normal 300\npgscan_direct_throttle 8\n\
            pgsteal_direct_normal 290\nworkingset_refault 7\n\
            workingset_activate 3\nworkingset_nodereclaim 9\npswpin 1000\n";
        let new = b"nr_inactive_file 30\nnr_active_file 12\npgmajfault 4\npgscan_kswapd 21\n\
            pgscan_direct 300\npgscan_khugepaged 5\npgscan_file 99\npgscan_direct_throttle 8\n\
            pgsteal_direct 290\nworkingset_refault_anon 5\n\
            workingset_refault_file 7\nworkingset_restore_file 2\n";
        let expected = Pages {
            scanned: 321,
            read_back: 7,
            read_back_of_files: 7,
            major_faults: 4,
            cache: Some(42),
        };
        assert_eq!(Pages::of(old), Some(expected));
        let with_swap = Pages {
            read_back: 12,
            ..expected
        };
        assert_eq!(Pages::of(new), Some(with_swap));
    }
}
