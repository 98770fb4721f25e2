use rustix::process::Signal;

use super::{SignalFd, block_signals};

/// `raise(3)` sends to the calling thread alone, so that the test harness's
/// other threads, which do not block the signal, are not killed by it.
fn raise(signal: Signal) {
    // SAFETY: takes an integer; the signal is blocked on this thread.
    assert_eq!(unsafe { libc::raise(signal.as_raw()) }, 0);
}

#[test]
fn a_blocked_signal_is_read_once() {
    let signals = [Signal::USR1, Signal::HUP];
    block_signals(&signals).unwrap();
    let fd = SignalFd::new(&signals).unwrap();
    assert_eq!(fd.read(), Ok(None), "nothing is pending yet");

    raise(Signal::USR1);
    assert_eq!(fd.read(), Ok(Some(Signal::USR1)));
    assert_eq!(fd.read(), Ok(None), "taken");
}

#[test]
fn a_signal_sent_twice_is_pending_once() {
    block_signals(&[Signal::HUP]).unwrap();
    let fd = SignalFd::new(&[Signal::HUP]).unwrap();
    raise(Signal::HUP);
    raise(Signal::HUP);
    assert!(fd.read().unwrap().is_some());
    assert_eq!(fd.read(), Ok(None));
}

#[test]
fn a_signal_outside_the_set_is_not_taken() {
    block_signals(&[Signal::USR1, Signal::USR2]).unwrap();
    let one = SignalFd::new(&[Signal::USR1]).unwrap();
    let two = SignalFd::new(&[Signal::USR2]).unwrap();
    raise(Signal::USR2);
    assert_eq!(one.read(), Ok(None));
    assert_eq!(two.read(), Ok(Some(Signal::USR2)));
}

#[test]
fn several_pending_signals_come_one_at_a_time() {
    let signals = [Signal::TERM, Signal::INT];
    block_signals(&signals).unwrap();
    let fd = SignalFd::new(&signals).unwrap();
    raise(Signal::TERM);
    raise(Signal::INT);
    let mut seen = Vec::new();
    while let Some(signal) = fd.read().unwrap() {
        seen.push(signal);
    }
    assert_eq!(
        seen,
        [Signal::INT, Signal::TERM],
        "the kernel gives the lowest number first"
    );
}
