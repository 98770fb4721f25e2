//! `/proc/meminfo`: a key that nobody knows changes nothing, and what is found
//! is found again in a file of plain counts.
#![no_main]
// parses: crates/kerntext/src/meminfo.rs

use evictd_kerntext::parse_meminfo;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let info = parse_meminfo(text);
    let longer = [text, b"\nNoSuchKey: x y z\n"].concat();
    assert_eq!(info, parse_meminfo(&longer));
    let mut printed = String::new();
    for (key, value) in [
        ("MemTotal", info.mem_total_bytes),
        ("MemFree", info.mem_free_bytes),
        ("MemAvailable", info.mem_available_bytes),
        ("Cached", info.cached_bytes),
        ("AnonPages", info.anon_bytes),
        ("SwapTotal", info.swap_total_bytes),
        ("SwapFree", info.swap_free_bytes),
        ("HugePages_Total", info.huge_pages_total),
        ("Hugepagesize", info.huge_page_size_bytes),
        ("Hugetlb", info.hugetlb_bytes),
        ("SUnreclaim", info.unreclaimable_slab_bytes),
        ("Zswap", info.zswap_bytes),
        ("PageTables", info.page_tables_bytes),
    ] {
        if let Some(value) = value {
            printed.push_str(&format!("{key}:   {value}\n"));
        }
    }
    for key in info.bad_fields() {
        printed.push_str(&format!("{key}: x\n"));
    }
    assert_eq!(parse_meminfo(printed.as_bytes()), info);
    let pool = info.huge_page_pool_bytes();
    assert!(info.hugetlb_bytes.is_none() || pool == info.hugetlb_bytes);
});
