use alloc::vec::Vec;

use super::{alloc, error};
use crate::ParseErrorKind::{Form, Number, Range};
use crate::{
    CgroupEvents, MemoryStat, flat_keyed, nested_keyed, parse_cgroup_events, parse_memory_events,
    parse_memory_stat, pids,
};

#[test]
fn memory_stat_of_v1() {
    let stat = parse_memory_stat(
        b"cache 331341824\nrss 18972672\nrss_huge 0\ninactive_file 281739264\n\
          hierarchical_memory_limit 9223372036854771712\ntotal_cache 5\ntotal_rss 4096\n\
          total_inactive_file 281739265\n",
    )
    .unwrap();
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
    )
    .unwrap();
    let expected = MemoryStat {
        anon_bytes: Some(1),
        file_bytes: Some(2),
        shmem_bytes: Some(3),
        inactive_file_bytes: Some(4),
        slab_reclaimable_bytes: Some(5),
        slab_bytes: Some(6),
        ..MemoryStat::default()
    };
    assert_eq!(stat, expected);
}

#[test]
fn bad_values_count_only_under_known_keys() {
    for (text, expected) in [
        (&b""[..], None),
        (b"\n\n", None),
        (b"new_key what ever\n", None),
        (b"anonymous x\n", None),
        (b"file 1\nanon\n", Some(error(Number, 11))),
        (b"anon \n", Some(error(Number, 5))),
        (b"anon -1\n", Some(error(Number, 5))),
        (b"anon 1 2\n", Some(error(Number, 5))),
        (b"anon  1\n", Some(error(Number, 5))),
        (b"anon 1\r\n", Some(error(Number, 5))),
        (b"anon 18446744073709551616\n", Some(error(Range, 5))),
    ] {
        assert_eq!(parse_memory_stat(text).err(), expected, "{text:?}");
    }
}

#[test]
fn memory_events_by_kernel() {
    let old = parse_memory_events(b"low 0\nhigh 1\nmax 2\noom 3\noom_kill 4\n").unwrap();
    assert_eq!((old.max, old.oom_kill), (Some(2), Some(4)));
    assert_eq!(old.oom_group_kill, None);
    let new = parse_memory_events(b"oom 3\noom_group_kill 5\nsock_throttled 6\n").unwrap();
    assert_eq!((new.oom, new.oom_group_kill), (Some(3), Some(5)));
    assert_eq!(
        parse_memory_events(b"oom max\n").err(),
        Some(error(Number, 4))
    );
}

#[test]
fn cgroup_events_are_switches() {
    for (text, populated, frozen) in [
        (&b"populated 1\nfrozen 0\n"[..], Some(true), Some(false)),
        (b"populated 0\n", Some(false), None),
        (b"", None, None),
    ] {
        let expected = CgroupEvents { populated, frozen };
        assert_eq!(parse_cgroup_events(text), Ok(expected), "{text:?}");
    }
    assert_eq!(parse_cgroup_events(b"populated 2\n"), Err(error(Form, 10)));
}

#[test]
fn flat_keyed_gives_every_line() {
    let all: Vec<_> = flat_keyed(b"max 7\n\nhalf\noom_kill 0").collect();
    let keys: Vec<_> = all.iter().map(|entry| entry.key()).collect();
    assert_eq!(keys, [&b"max"[..], b"half", b"oom_kill"]);
    assert_eq!(all[0].number(), Ok(7));
    assert_eq!(all[1].value(), b"");
    assert_eq!(all[1].number(), Err(error(Number, 11)));
    assert_eq!(all[2].switch(), Ok(false));
}

#[test]
fn nested_keyed_gives_every_pair() {
    let text = b"254:0 rbytes=1 wbytes=22 odd\n254:1\n   \n";
    let all: Vec<_> = nested_keyed(text).collect();
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].key(), b"254:0");
    let pairs: Vec<_> = all[0].pairs().collect();
    assert_eq!(pairs[1].key(), b"wbytes");
    assert_eq!(pairs[1].number(), Ok(22));
    assert_eq!((pairs[2].key(), pairs[2].value()), (&b"odd"[..], &b""[..]));
    assert_eq!(all[1].pairs().count(), 0);
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
