//! `/proc/PID/stat`, `/proc/loadavg` and lists of process ids: what was found
//! is found again in a line written from it, whatever the name.
#![no_main]
// parses: crates/kerntext/src/proc_pid.rs
// parses: crates/kerntext/src/proc_pid_memory.rs
// parses: crates/kerntext/src/pids.rs

use evictd_kerntext::{parse_loadavg, parse_pid_stat, parse_pss, parse_resident_pages, pids};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    match parse_pid_stat(text) {
        Ok(stat) => {
            let shown = |number: Option<u64>| number.map_or("x".into(), |n| n.to_string());
            let id = |number: Option<i32>| number.map_or("x".into(), |n| n.to_string());
            let mut again = format!("{} (", id(stat.pid)).into_bytes();
            again.extend_from_slice(stat.comm);
            again.extend_from_slice(b") ");
            again.extend_from_slice(&stat.state.map_or(b"xx".to_vec(), |letter| vec![letter]));
            again.extend_from_slice(format!(" {}", id(stat.ppid)).as_bytes());
            again.extend_from_slice(format!(" 0 0 0 0 {}", shown(stat.flags)).as_bytes());
            again.extend_from_slice(" 0".repeat(12).as_bytes());
            let tail = [stat.start_time_ticks, stat.rss_pages].map(shown);
            again.extend_from_slice(format!(" {} 0 {} 0\n", tail[0], tail[1]).as_bytes());
            assert_eq!(parse_pid_stat(&again), Ok(stat));
        }
        Err(error) => assert!(error.position <= text.len()),
    }
    if let Ok(load) = parse_loadavg(text) {
        let running = load.running_tasks.map_or("x".into(), |n| n.to_string());
        let again = format!("0 0 0 {running}/{} 1", load.total_tasks);
        assert_eq!(parse_loadavg(again.as_bytes()), Ok(load));
    }
    if let Ok(pages) = parse_resident_pages(text) {
        let again = format!("0 {pages} 0");
        assert_eq!(parse_resident_pages(again.as_bytes()), Ok(pages));
    }
    if let Ok(Some(bytes)) = parse_pss(text) {
        let again = format!("Pss: {bytes}");
        assert_eq!(parse_pss(again.as_bytes()), Ok(Some(bytes)));
    }
    let mut printed = String::new();
    for pid in pids(text).flatten() {
        assert!(pid >= 0);
        printed.push_str(&format!("{pid}\n"));
    }
    assert!(pids(text).flatten().eq(pids(printed.as_bytes()).flatten()));
});
