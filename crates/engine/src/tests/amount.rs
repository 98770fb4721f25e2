use evictd_node::Signal;

use crate::amount::Amount;

#[test]
fn amounts_keep_three_digits_and_never_exaggerate() {
    for (signal, value, text) in [
        (Signal::MemoryAvailable, 0, "0"),
        (Signal::MemoryAvailable, 1023, "1023"),
        (Signal::MemoryAvailable, 1024, "1Ki"),
        (Signal::MemoryAvailable, 1536, "1.5Ki"),
        (Signal::MemoryAvailable, (1 << 30) - 1, "1023Mi"),
        (Signal::NodefsAvailable, -(3 << 29), "-1.5Gi"),
        (Signal::NodefsInodesFree, 5_249_999, "5.2M"),
        (Signal::PidAvailable, 812, "812"),
        (Signal::PidAvailable, i64::MIN, "-9.2E"),
    ] {
        assert_eq!(Amount::of(signal, value).to_string(), text);
    }
}
