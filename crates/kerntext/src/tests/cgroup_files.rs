use alloc::vec::Vec;

use super::{alloc, error};
use crate::ParseErrorKind::{Number, Range};
use crate::{MemoryStat, flat_keyed, parse_memory_stat, pids};

#[test]
fn memory_stat_of_v1() {
    let stat = parse_memory_stat(
        b"cache 331341824\nrss 18972672\nrss_huge 0\ninactive_file 281739264\n\
          hierarchical_memory_limit 9223372036854771712\ntotal_cache 5\ntotal_rss 4096\n\
          total_inactive_file 281739265\n",
    );
    assert_eq!(stat.inactive_file_bytes, Some(281_739_264));
    assert_eq!(stat.total_inactive_file_bytes, Some(281_739_265));
    assert_eq!(stat.total_rss_bytes, Some(4096));
    assert_eq!(stat.total_cache_bytes, Some(5));
    assert_eq!(stat.anon_bytes, None);
}

#[test]
fn memory_stat_of_v2() {
    let stat = parse_memory_stat(
        b"anon 1\nfile 2\nkernel_stack 9\nshmem 3\ninactive_file 4\nslab_reclaimable 5\nslab 6\n",
    );
    let expected = MemoryStat {
        anon_bytes: Some(1),
        file_bytes: Some(2),
        inactive_file_bytes: Some(4),
        ..MemoryStat::default()
    };
    assert_eq!(stat, expected);
}

#[test]
fn bad_values_cost_only_known_keys_and_name_them() {
    for (text, expected) in [
        (&b""[..], None),
        (b"\n\n", None),
        (b"new_key what ever\n", None),
        (b"anonymous x\n", None),
        (b"file 1\nanon\n", Some("anon")),
        (b"anon \n", Some("anon")),
        (b"anon -1\n", Some("anon")),
        (b"anon 1 2\n", Some("anon")),
        (b"anon  1\n", Some("anon")),
        (b"anon 1\r\n", Some("anon")),
        (b"anon 18446744073709551616\n", Some("anon")),
    ] {
        let text = [text, b"inactive_file 3\n"].concat();
        let stat = parse_memory_stat(&text);
        assert_eq!(stat.bad_fields().next(), expected, "{text:?}");
        assert_eq!((stat.anon_bytes, stat.inactive_file_bytes), (None, Some(3)));
    }
}

#[test]
fn pages_read_back_are_unknown_where_one_kind_is() {
    let stat = parse_memory_stat(b"workingset_refault_anon 3\nworkingset_refault_file 4\n");
    assert_eq!(stat.refaulted_pages, Some(7));
    let stat = parse_memory_stat(b"workingset_refault_anon x\nworkingset_refault_file 4\n");
    assert_eq!(stat.refaulted_pages, None);
    let stat = parse_memory_stat(b"workingset_refault 5\ntotal_workingset_refault 8\n");
    assert_eq!(
        (stat.refaulted_pages, stat.total_refaulted_pages),
        (Some(5), Some(8))
    );
}

#[test]
fn flat_keyed_gives_every_line() {
    let all: Vec<_> = flat_keyed(b"max 7\n\nhalf\noom_kill 0").collect();
    let keys: Vec<_> = all.iter().map(|entry| entry.key()).collect();
    assert_eq!(keys, [&b"max"[..], b"half", b"oom_kill"]);
    assert_eq!(all[0].number(), Ok(7));
    assert_eq!(all[1].value(), b"");
    assert_eq!(all[1].number(), Err(error(Number, 11)));
    assert_eq!(all[2].number(), Ok(0));
}

#[test]
fn pid_lists() {
    let all: Vec<_> = pids(b"1\n0\n2147483647\n2147483648\n-1\n\nx").collect();
    assert_eq!(
        all,
        [
            Ok(1),
            Ok(0),
            Ok(i32::MAX),
            Err(error(Range, 15)),
            Err(error(Number, 26)),
            Err(error(Number, 29)),
            Err(error(Number, 30)),
        ]
    );
    assert_eq!(pids(b"").count(), 0);
}
