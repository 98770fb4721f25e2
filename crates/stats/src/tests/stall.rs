use super::node::{at, v2};
use super::tree::LONG;
use crate::NodeReader;

fn full(millis: u64) -> String {
    format!(
        "some avg10=0.00 avg60=0.00 avg300=0.00 total={}\n\
         full avg10=0.00 avg60=0.00 avg300=0.00 total={}\n",
        millis * 2000,
        millis * 1000
    )
}

/// Acceptance row 305: with rounds and with looks between them.
#[test]
fn where_nothing_counts_lost_time_it_is_unknown() {
    let (tree, mut settings) = v2();
    settings.stall = true;
    let mut reader = NodeReader::open(settings).unwrap();
    assert_eq!(reader.read(at(1), LONG).stall, None);
    assert_eq!(reader.errors(), [], "a kernel without it is no failure");
    assert!(!reader.is_stall_awaited());

    tree.put("proc/pressure/memory", &full(5000));
    assert_eq!(reader.read_memory_signals(at(2)).stall, None);
    assert!(reader.is_stall_awaited(), "of one look nothing follows");
    tree.put("proc/pressure/memory", &full(5500));
    let stall = reader.read_memory_bounds(at(3)).stall.unwrap();
    assert_eq!((stall.sampled, stall.percent()), (at(3), 50));

    tree.put("proc/pressure/memory", "nothing\n");
    assert_eq!(reader.read(at(5), LONG).stall, None);
    assert_eq!(reader.errors().len(), 1);
}

/// A `/proc/vmstat` with so much read back in all, by as many faults, of 1000 pages of page
/// cache, and all of it taken by the node's reclaim.
fn vmstat(read_back: u64) -> String {
    format!(
        "nr_inactive_file 400\nnr_active_file 600\npgmajfault {read_back}\n\
         pgscan_kswapd {read_back}\npgscan_direct 0\nworkingset_refault {read_back}\n"
    )
}

/// Acceptance row 420.
#[test]
fn without_pressure_what_is_read_back_says_how_much_is_lost() {
    let (tree, mut settings) = v2();
    settings.stall = true;
    tree.put("proc/vmstat", &vmstat(0));
    let mut reader = NodeReader::open(settings).unwrap();
    assert_eq!(reader.read(at(1), LONG).stall, None);
    assert!(reader.is_stall_awaited());
    tree.put("proc/vmstat", &vmstat(1010));
    let stall = reader.read(at(2), LONG).stall.unwrap();
    assert_eq!((stall.percent(), stall.is_estimated), (100, true));
    let stall = reader.read(at(3), LONG).stall.unwrap();
    assert_eq!(stall.percent(), 34, "half a second of one and a half");

    // A third of the page cache in a second is a stretch lost where the loop comes late.
    tree.put("proc/vmstat", &vmstat(1410));
    assert_eq!(reader.read(at(4), LONG).stall.unwrap().percent(), 0);
    tree.put("proc/vmstat", &vmstat(1810));
    reader.note_late(LONG);
    assert_eq!(reader.read(at(5), LONG).stall.unwrap().percent(), 67);
    assert_eq!(reader.errors(), []);

    // What the kernel counts by itself counts anew.
    tree.put("proc/pressure/memory", &full(5000));
    assert_eq!(reader.read(at(6), LONG).stall, None);
    tree.put("proc/pressure/memory", &full(5100));
    tree.put("proc/vmstat", &vmstat(9000));
    let stall = reader.read(at(7), LONG).stall.unwrap();
    assert_eq!((stall.percent(), stall.is_estimated), (10, false));
}

/// Acceptance row 422.
#[test]
fn where_neither_is_told_lost_time_is_unknown() {
    let (tree, mut settings) = v2();
    settings.stall = true;
    let mut reader = NodeReader::open(settings).unwrap();
    for text in [
        "pgscan_kswapd 1\n",
        "workingset_refault_anon 5\n",
        "x\n",
        "",
    ] {
        tree.put("proc/vmstat", text);
        for seconds in 1..4 {
            assert_eq!(reader.read(at(seconds), LONG).stall, None, "{text:?}");
        }
        assert!(!reader.is_stall_awaited());
    }
    assert_eq!(reader.errors(), []);
}
