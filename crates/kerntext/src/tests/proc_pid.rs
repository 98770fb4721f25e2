use alloc::format;

use super::{alloc, error};
use crate::ParseErrorKind::{Form, Missing, Number};
use crate::{parse_loadavg, parse_pid_stat, parse_pss, parse_resident_pages};

const TAIL: &str = "S 1 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 8812 7667712 1001 \
    18446744073709551615 94 95\n";

#[test]
fn names_may_hold_anything() {
    for name in [
        "sh", "", "a b", "a) S 1", "((", "))", "(sd-pam)", "a\nb", "\u{fc}",
    ] {
        let text = format!("4242 ({name}) {TAIL}");
        let stat = parse_pid_stat(text.as_bytes()).unwrap();
        assert_eq!(stat.comm, name.as_bytes());
        assert_eq!(
            (stat.pid, stat.ppid, stat.state),
            (Some(4242), Some(1), Some(b'S'))
        );
        let numbers = (stat.start_time_ticks, stat.rss_pages);
        assert_eq!(numbers, (Some(8812), Some(1001)));
        assert!(!stat.is_dead());
    }
    let zombie = format!("1 (x) {}", TAIL.replacen('S', "Z", 1));
    assert!(parse_pid_stat(zombie.as_bytes()).unwrap().is_dead());
}

#[test]
fn bad_stat_lines_say_where() {
    for (text, expected) in [
        ("", error(Missing, 0)),
        ("12", error(Missing, 0)),
        ("12 (sh", error(Missing, 4)),
    ] {
        assert_eq!(parse_pid_stat(text.as_bytes()), Err(expected), "{text}");
    }
}

#[test]
fn a_number_that_makes_no_sense_costs_itself() {
    for (text, pid, state, ppid) in [
        ("12 (sh)", Some(12), None, None),
        ("12 (sh) SS 1", Some(12), None, Some(1)),
        ("12 (sh) S", Some(12), Some(b'S'), None),
        ("12 (sh) S -1", Some(12), Some(b'S'), None),
        ("12 (sh) S 2147483648", Some(12), Some(b'S'), None),
        ("x (sh) Z 1 2 3\n", None, Some(b'Z'), Some(1)),
    ] {
        let stat = parse_pid_stat(text.as_bytes()).unwrap();
        assert_eq!(
            (stat.pid, stat.state, stat.ppid),
            (pid, state, ppid),
            "{text}"
        );
        assert_eq!((stat.comm, stat.rss_pages), (&b"sh"[..], None), "{text}");
        assert!(!stat.is_kernel_thread());
    }
    let no_rss = TAIL.rsplitn(5, ' ').last().unwrap();
    let stat = format!("1 (x) {no_rss}");
    let stat = parse_pid_stat(stat.as_bytes()).unwrap();
    assert_eq!((stat.start_time_ticks, stat.rss_pages), (Some(8812), None));
}

#[test]
fn loadavg_counts_tasks() {
    let load = parse_loadavg(b"0.00 0.01 0.05 4/96 5196\n").unwrap();
    assert_eq!((load.running_tasks, load.total_tasks), (Some(4), 96));
    let load = parse_loadavg(b"0.00 0.01 0.05 /96 1\n").unwrap();
    assert_eq!((load.running_tasks, load.total_tasks), (None, 96));
    for (text, expected) in [
        (&b""[..], error(Missing, 0)),
        (b"0.00 0.01 0.05\n", error(Missing, 15)),
        (b"0.00 0.01 0.05 96 1\n", error(Form, 15)),
        (b"0.00 0.01 0.05 4/ 1\n", error(Number, 17)),
    ] {
        assert_eq!(parse_loadavg(text), Err(expected), "{text:?}");
    }
}

#[test]
fn what_a_process_holds_in_memory() {
    let rollup = b"55d0-7ffe ---p 00000000 00:00 0    [rollup]\nRss:     884 kB\nPss:     385 kB\n\
        Pss_Dirty:  68 kB\n";
    assert_eq!(parse_pss(rollup), Ok(Some(385 << 10)));
    assert_eq!(parse_pss(b"Rss: 1 kB\n"), Ok(None));
    assert_eq!(parse_pss(b"Pss: x kB\n"), Err(error(Number, 5)));
    assert_eq!(parse_resident_pages(b"3031 250 133 4 0 360 0\n"), Ok(250));
    assert_eq!(parse_resident_pages(b"3031\n"), Err(error(Missing, 5)));
}
