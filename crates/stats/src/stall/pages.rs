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
    pub(super) scanned: Option<u64>,
    pub(super) read_back: Option<u64>,
    /// Of these, pages of files.
    pub(super) read_back_of_files: Option<u64>,
    /// Faults that had to wait for a device. Reading a file makes none.
    pub(super) major_faults: Option<u64>,
    /// What there is of page cache now; `None` where that is not told.
    pub(super) cache: Option<u64>,
}

impl Pages {
    /// From `/proc/vmstat`; what the kernel does not count, or not in numbers, is `None`. Before
    /// Linux 4.8 it counts what was scanned by zones, and before 5.9 what was read back of files
    /// alone.
    pub(super) fn of(vmstat: &[u8]) -> Self {
        let (mut scanned, mut of_files, mut cache) = (Sum::None, Sum::None, Sum::None);
        let (mut anonymous, mut major_faults) = (Sum::Of(0), Sum::None);
        for entry in flat_keyed(vmstat) {
            let sum = match entry.key() {
                b"pgscan_direct_throttle" => continue, // how often somebody had to wait
                key if key.starts_with(b"pgscan_kswapd") || key.starts_with(b"pgscan_direct") => {
                    &mut scanned
                }
                b"workingset_refault_anon" => &mut anonymous,
                key if key.starts_with(b"workingset_refault") => &mut of_files,
                b"pgmajfault" => &mut major_faults,
                b"nr_inactive_file" | b"nr_active_file" => &mut cache,
                _ => continue,
            };
            sum.add(entry.number().ok());
        }
        Self {
            scanned: scanned.known(),
            read_back: both(of_files.known(), anonymous.known(), u64::saturating_add),
            read_back_of_files: of_files.known(),
            major_faults: major_faults.known(),
            cache: cache.known(),
        }
    }

    /// What was counted since then. Of page cache, how much there was then.
    pub(super) fn since(self, then: Self) -> Self {
        let since = |now, then| both(now, then, u64::saturating_sub);
        Self {
            scanned: since(self.scanned, then.scanned),
            read_back: since(self.read_back, then.read_back),
            read_back_of_files: since(self.read_back_of_files, then.read_back_of_files),
            major_faults: since(self.major_faults, then.major_faults),
            cache: then.cache,
        }
    }

    /// Whether it is known that it was not the node's reclaim that took them, in that time.
    pub(super) fn were_taken_within_limits(self, millis: u64) -> bool {
        let few = FEW.saturating_mul(millis) / 1000;
        let is_much_less = |scanned| self.read_back.is_some_and(|back| scanned < back / 2);
        self.scanned
            .is_some_and(|scanned| scanned < few || is_much_less(scanned))
    }
}

fn both(one: Option<u64>, other: Option<u64>, then: fn(u64, u64) -> u64) -> Option<u64> {
    one.zip(other).map(|(one, other)| then(one, other))
}

/// A sum that is unknown once a part of it is.
enum Sum {
    None,
    Of(u64),
    Unknown,
}

impl Sum {
    fn add(&mut self, more: Option<u64>) {
        *self = match (&*self, more) {
            (Self::Unknown, _) | (_, None) => Self::Unknown,
            (Self::None, Some(more)) => Self::Of(more),
            (Self::Of(sum), Some(more)) => Self::Of(sum.saturating_add(more)),
        };
    }

    const fn known(&self) -> Option<u64> {
        match self {
            Self::Of(sum) => Some(*sum),
            Self::None | Self::Unknown => None,
        }
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
            scanned: Some(321),
            read_back: Some(7),
            read_back_of_files: Some(7),
            major_faults: Some(4),
            cache: Some(42),
        };
        assert_eq!(Pages::of(old), expected);
        let with_swap = Pages {
            read_back: Some(12),
            ..expected
        };
        assert_eq!(Pages::of(new), with_swap);
        // One that makes no sense costs itself.
        let new = core::str::from_utf8(new).unwrap();
        let bad = new.replace("refault_anon 5", "refault_anon -5");
        let without_anon = Pages {
            read_back: None,
            ..expected
        };
        assert_eq!(Pages::of(bad.as_bytes()), without_anon);
        let bad = new.replace("pgscan_kswapd 21", "pgscan_kswapd 18446744073709551616");
        let without_scans = Pages {
            scanned: None,
            ..with_swap
        };
        assert_eq!(Pages::of(bad.as_bytes()), without_scans);
    }
}
