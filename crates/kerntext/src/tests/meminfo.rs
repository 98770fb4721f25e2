use super::error;
use crate::ParseErrorKind::{Form, Missing, Number, Range};
use crate::{Meminfo, parse_meminfo};

#[test]
fn kibibytes_become_bytes_and_counts_stay() {
    let info = parse_meminfo(
        b"MemTotal:       24684084 kB\nMemFree:        24252292 kB\nMemAvailable:   24374488 kB\n\
          Active(file):      42408 kB\nInactive(file):   275140 kB\nAnonPages:  18532 kB\n\
          SwapTotal:             0 kB\nSwapFree:              0 kB\n\
          HugePages_Total:      16\nHugePages_Free:        8\nHugepagesize:       2048 kB\n\
          Hugetlb:         1081344 kB\nDirectMap4k:       28672 kB\n",
    )
    .unwrap();
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
    assert_eq!(info.unwrap().huge_page_pool_bytes(), Some(6 << 20));
    let info = parse_meminfo(b"MemTotal: 1024 kB\nHugePages_Total: 3\n").unwrap();
    assert_eq!(info.mem_available_bytes, None);
    assert_eq!(info.huge_page_pool_bytes(), None);
    assert_eq!(parse_meminfo(b""), Ok(Meminfo::default()));
    assert_eq!(parse_meminfo(b"no colon\nNew:\n"), Ok(Meminfo::default()));
}

#[test]
fn bad_values_say_where() {
    for (text, expected) in [
        (&b"MemTotal: x kB\n"[..], error(Number, 10)),
        (b"MemTotal:\n", error(Missing, 9)),
        (b"MemTotal:   \n", error(Missing, 12)),
        (b"MemTotal: 1 MB\n", error(Form, 12)),
        (b"A: 1\nMemFree: -1 kB\n", error(Number, 14)),
        (b"MemFree: 18014398509481984 kB\n", error(Range, 9)),
        (b"HugePages_Total: 18446744073709551616\n", error(Range, 17)),
    ] {
        assert_eq!(parse_meminfo(text), Err(expected), "{text:?}");
    }
    let largest = parse_meminfo(b"MemFree: 18014398509481983 kB").unwrap();
    assert_eq!(largest.mem_free_bytes, Some(u64::MAX - 1023));
}
