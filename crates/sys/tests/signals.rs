//! Signals sent to the process arrive through the set.
//!
//! A program of one thread (`harness = false`): a test harness has threads
//! that do not block the signals and would die of them.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test without a harness")]

use evictd_node::Mono;
use evictd_sys::{Signal, Wake, Watch};
use rustix::process::{getpid, kill_process};

fn main() {
    if evictd_testkit::was_asked_for_tests("signals") {
        return;
    }
    let all = [Signal::TERM, Signal::INT, Signal::HUP, Signal::USR1];
    let mut watch = Watch::new(&all).unwrap();
    for signal in all {
        kill_process(getpid(), signal).unwrap();
        let seen: Vec<_> = watch.wait(Mono::ZERO, None).unwrap().to_vec();
        assert_eq!(seen, [Wake::Signal(signal)]);
    }
    for signal in all {
        kill_process(getpid(), signal).unwrap();
    }
    let pending = watch.wait(Mono::ZERO, None).unwrap();
    assert_eq!(pending.len(), 4, "all pending ones at once");
    let nothing = watch.wait(Mono::ZERO, Some(Mono::ZERO)).unwrap();
    assert_eq!(nothing, [Wake::Deadline]);
    println!("signals: ok");
}
