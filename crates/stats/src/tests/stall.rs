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
    let stall = reader.read_memory_bounds(at(4)).stall.unwrap();
    assert_eq!((stall.since, stall.percent()), (at(2), 25));

    tree.put("proc/pressure/memory", "nothing\n");
    assert_eq!(reader.read(at(5), LONG).stall, None);
    assert_eq!(reader.errors().len(), 1);
}
