use alloc::vec::Vec;

use super::alloc;
use crate::{Meminfo, parse_meminfo};

#[test]
fn kibibytes_become_bytes_and_counts_stay() {
    let info = parse_meminfo(
        b"MemTotal:       24684084 kB\nMemFree:        24252292 kB\nMemAvailable:   24374488 kB\n\
          Active(file):      42408 kB\nInactive(file):   275140 kB\nAnonPages:  18532 kB\n\
          SwapTotal:             0 kB\nSwapFree:              0 kB\n\
          HugePages_Total:      16\nHugePages_Free:        8\nHugepagesize:       2048 kB\n\
          Hugetlb:         1081344 kB\nDirectMap4k:       28672 kB\n",
    );
    assert_eq!(info.mem_total_bytes, Some(24_684_084 * 1024));
    assert_eq!(info.mem_free_bytes, Some(24_252_292 * 1024));
    assert_eq!(info.mem_available_bytes, Some(24_374_488 * 1024));
    assert_eq!(info.swap_total_bytes, Some(0));
    assert_eq!(info.huge_pages_total, Some(16));
    assert_eq!(info.huge_page_size_bytes, Some(2 << 20));
    // Hugetlb holds pools of all sizes, here one of 1 GiB besides.
    assert_eq!(info.huge_page_pool_bytes(), Some((32 << 20) + (1 << 30)));
}

#[test]
fn old_kernels_have_fewer_keys() {
    let info = parse_meminfo(b"MemTotal: 1024 kB\nHugePages_Total: 3\nHugepagesize: 2048 kB\n");
    assert_eq!(info.huge_page_pool_bytes(), Some(6 << 20));
    let info = parse_meminfo(b"MemTotal: 1024 kB\nHugePages_Total: 3\n");
    assert_eq!(info.mem_available_bytes, None);
    assert_eq!(info.huge_page_pool_bytes(), None);
    assert_eq!(parse_meminfo(b""), Meminfo::default());
    assert_eq!(parse_meminfo(b"no colon\nNew:\n"), Meminfo::default());
}

#[test]
fn a_bad_field_costs_that_field_and_is_named() {
    for (bad, key) in [
        ("MemTotal: x kB", "MemTotal"),
        ("MemTotal:", "MemTotal"),
        ("MemTotal:   ", "MemTotal"),
        ("MemTotal: 1 MB", "MemTotal"),
        ("MemFree: -1 kB", "MemFree"),
        ("MemFree: 18014398509481984 kB", "MemFree"),
        ("HugePages_Total: 18446744073709551616", "HugePages_Total"),
        ("SwapFree: 18446744073709551488 kB", "SwapFree"),
    ] {
        let text = alloc::format!("Cached: 7 kB\n{bad}\nMemAvailable: 5 kB\n");
        let info = parse_meminfo(text.as_bytes());
        assert_eq!(info.bad_fields().collect::<Vec<_>>(), [key], "{bad}");
        let good = (info.cached_bytes, info.mem_available_bytes);
        assert_eq!(good, (Some(7 << 10), Some(5 << 10)), "{bad}");
        assert_eq!((info.mem_total_bytes, info.mem_free_bytes), (None, None));
    }
    let largest = parse_meminfo(b"MemFree: 18014398509481983 kB");
    assert_eq!(largest.mem_free_bytes, Some(u64::MAX - 1023));
    let twice = parse_meminfo(b"MemFree: 1 kB\nMemFree: 2 kB\nCached: x\nCached: 1 kB\n");
    assert_eq!(
        (twice.mem_free_bytes, twice.cached_bytes),
        (Some(1024), None)
    );
}

#[test]
fn a_bad_pool_of_huge_pages_is_not_an_empty_one() {
    let none = parse_meminfo(b"MemTotal: 1024 kB\n");
    assert!(!none.has_bad_huge_page_pool());
    let bad = parse_meminfo(b"HugePages_Total: x\nHugepagesize: 2048 kB\n");
    assert!(bad.has_bad_huge_page_pool());
    let other = parse_meminfo(b"Hugetlb: x\nHugePages_Total: 1\nHugepagesize: 2048 kB\n");
    assert!(!other.has_bad_huge_page_pool(), "that of the default size");
}
