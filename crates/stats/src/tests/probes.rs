use core::time::Duration;
use std::path::Path;
use std::sync::mpsc;

use evictd_node::Mono;
use rustix::io::Errno;

use super::filesystems::sample;
use super::tree::LONG;
use crate::error::Cause;
use crate::probe::Probe;
use crate::{FsSample, now};

fn measured(now: Mono) -> FsSample {
    FsSample {
        sampled: now,
        ..sample(1, 0)
    }
}

#[test]
fn a_filesystem_that_hangs_is_stale_and_not_waited_for_again() {
    let (release, held) = mpsc::channel::<()>();
    let measure = move |_: &Path, now| {
        held.recv().unwrap();
        Ok(measured(now))
    };
    let mut probe = Probe::new(Path::new("/dead"), measure);
    let at = Mono::from_nanos;

    release.send(()).unwrap();
    probe.ask(at(1));
    let first = probe.collect(LONG).unwrap().unwrap();
    assert_eq!((first.sampled, first.stale), (at(1), false));

    // It hangs: one short wait, and none in the next round.
    probe.ask(at(2));
    let held = probe.collect(Duration::from_millis(1)).unwrap().unwrap();
    assert_eq!((held.sampled, held.stale), (at(1), true));
    probe.ask(at(3));
    let start = now();
    let held = probe.collect(LONG).unwrap().unwrap();
    assert!(now().since(start) < LONG);
    assert_eq!((held.sampled, held.stale), (at(1), true));

    // It comes back: the late answer, then a fresh one.
    release.send(()).unwrap();
    release.send(()).unwrap();
    let late = loop {
        probe.ask(at(4));
        let found = probe.collect(LONG).unwrap().unwrap();
        if !found.stale {
            break found;
        }
        std::thread::yield_now();
    };
    assert_eq!(late.sampled, at(4));
}

#[test]
fn before_the_first_answer_there_is_nothing() {
    let (_release, held) = mpsc::channel::<()>();
    let measure = move |_: &Path, _| {
        let _ = held.recv();
        Err(Errno::STALE)
    };
    let mut probe = Probe::new(Path::new("/dead"), measure);
    probe.ask(Mono::ZERO);
    assert_eq!(probe.collect(Duration::ZERO), Ok(None));
}

#[test]
fn a_filesystem_that_fails_says_why() {
    let mut probe = Probe::new(Path::new("/dead"), |_, _| Err(Errno::STALE));
    probe.ask(Mono::ZERO);
    let error = probe.collect(LONG).unwrap_err();
    assert_eq!(error.cause, Cause::Errno(Errno::STALE));
    assert_eq!(error.path, Path::new("/dead"));
}

/// Acceptance row 221: until it has answered for the first time a filesystem is late, not
/// unknown, unless it takes too long.
#[test]
fn a_first_answer_is_awaited_for_a_while() {
    let at = |seconds: u64| Mono::from_millis(seconds * 1000);
    let (release, held) = mpsc::channel::<()>();
    let measure = move |_: &Path, now| {
        held.recv().unwrap();
        Ok(measured(now))
    };
    let mut probe = Probe::new(Path::new("/slow"), measure);
    assert!(!probe.is_awaited(at(0)), "nobody has asked");
    probe.ask(at(1));
    assert!(probe.collect(Duration::ZERO).unwrap().is_none());
    assert!(probe.is_awaited(at(1)) && probe.is_awaited(at(10)));
    assert!(!probe.is_awaited(at(11)), "it does not come");
    release.send(()).unwrap();
    assert!(probe.collect(LONG).unwrap().is_some());
    assert!(!probe.is_awaited(at(2)));

    let mut fails = Probe::new(Path::new("/gone"), |_: &Path, _| Err(Errno::NOENT));
    fails.ask(at(1));
    assert!(fails.collect(LONG).is_err());
    assert!(!fails.is_awaited(at(1)), "it has answered");
}
