//! Keyed files: entries lie in the text, keys that nobody knows change
//! nothing, and a printed `memory.stat` is parsed again as it was.
#![no_main]

use evictd_kerntext::{
    flat_keyed, nested_keyed, parse_cgroup_events, parse_memory_events, parse_memory_stat,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    for entry in flat_keyed(text) {
        let length = entry.key().len() + entry.value().len();
        assert!(length <= text.len());
        if let Err(error) = entry.number() {
            assert!(error.position <= text.len());
        }
    }
    let pairs: usize = nested_keyed(text).map(|line| line.pairs().count()).sum();
    assert!(pairs <= text.len());

    let longer = [text, b"\nno_such_key x\n"].concat();
    assert_eq!(parse_memory_stat(text), parse_memory_stat(&longer));
    assert_eq!(parse_memory_events(text), parse_memory_events(&longer));
    assert_eq!(parse_cgroup_events(text), parse_cgroup_events(&longer));

    let Ok(stat) = parse_memory_stat(text) else {
        return;
    };
    let mut printed = String::new();
    for (key, value) in [
        ("anon", stat.anon_bytes),
        ("file", stat.file_bytes),
        ("shmem", stat.shmem_bytes),
        ("inactive_file", stat.inactive_file_bytes),
        ("slab", stat.slab_bytes),
        ("slab_reclaimable", stat.slab_reclaimable_bytes),
        ("total_rss", stat.total_rss_bytes),
        ("total_cache", stat.total_cache_bytes),
        ("total_inactive_file", stat.total_inactive_file_bytes),
        (
            "hierarchical_memory_limit",
            stat.hierarchical_memory_limit_bytes,
        ),
    ] {
        if let Some(value) = value {
            printed.push_str(&format!("{key} {value}\n"));
        }
    }
    assert_eq!(parse_memory_stat(printed.as_bytes()), Ok(stat));
});
