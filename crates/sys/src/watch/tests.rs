#![expect(
    clippy::disallowed_methods,
    reason = "waiting is what is measured here"
)]

use core::time::Duration;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::Instant;

use evictd_node::Mono;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};

use crate::{Token, Wake, Watch};

fn watch() -> Watch {
    // No test here is sent this signal: the harness's threads do not block it.
    // tests/signals.rs has one thread and is sent all of them.
    Watch::new(&[Signal::USR2]).unwrap()
}

#[test]
fn an_empty_set_reaches_its_deadline() {
    let mut watch = watch();
    let now = Mono::from_millis(1000);
    let until = now + Duration::from_millis(3);
    assert_eq!(watch.wait(now, Some(until)).unwrap(), [Wake::Deadline]);
}

#[test]
fn a_deadline_in_the_past_does_not_wait() {
    let mut watch = watch();
    let past = Some(Mono::from_millis(1));
    assert_eq!(
        watch.wait(Mono::from_millis(9), past).unwrap(),
        [Wake::Deadline]
    );
}

#[test]
fn a_readable_descriptor_wakes_with_its_token_until_it_is_removed() {
    let mut watch = watch();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    watch.add(&theirs, Token(7)).unwrap();
    assert_eq!(
        watch.wait(Mono::ZERO, Some(Mono::ZERO)).unwrap(),
        [Wake::Deadline]
    );

    ours.write_all(b"x").unwrap();
    assert_eq!(
        watch.wait(Mono::ZERO, None).unwrap(),
        [Wake::Ready(Token(7))]
    );

    watch.add(&theirs, Token(8)).unwrap();
    assert_eq!(
        watch.wait(Mono::ZERO, None).unwrap(),
        [Wake::Ready(Token(8))]
    );

    watch.remove(&theirs).unwrap();
    watch.remove(&theirs).unwrap();
    assert_eq!(
        watch.wait(Mono::ZERO, Some(Mono::ZERO)).unwrap(),
        [Wake::Deadline]
    );
}

#[test]
fn a_closed_descriptor_leaves_the_set() {
    let mut watch = watch();
    let (ours, theirs) = UnixStream::pair().unwrap();
    watch.add(&theirs, Token(1)).unwrap();
    drop(ours);
    assert_eq!(
        watch.wait(Mono::ZERO, None).unwrap(),
        [Wake::Ready(Token(1))],
        "hung up"
    );
    drop(theirs);
    assert_eq!(
        watch.wait(Mono::ZERO, Some(Mono::ZERO)).unwrap(),
        [Wake::Deadline]
    );
}

#[test]
fn a_process_that_ends_wakes_through_its_pidfd() {
    let mut watch = watch();
    let mut child = Command::new("true").spawn().unwrap();
    let pidfd = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).unwrap();
    watch.add(&pidfd, Token(3)).unwrap();
    assert_eq!(
        watch.wait(Mono::ZERO, None).unwrap(),
        [Wake::Ready(Token(3))]
    );
    child.wait().unwrap();
}

#[test]
fn more_ready_descriptors_than_one_batch_all_come() {
    let mut watch = watch();
    let mut pairs = Vec::new();
    for number in 0..50_u32 {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(b"x").unwrap();
        watch.add(&theirs, Token(number)).unwrap();
        pairs.push((ours, theirs));
    }
    let mut seen = [false; 50];
    while seen.iter().any(|seen| !seen) {
        for wake in watch.wait(Mono::ZERO, Some(Mono::ZERO)).unwrap() {
            let Wake::Ready(Token(number)) = wake else {
                panic!("{wake:?}");
            };
            seen[usize::try_from(*number).unwrap()] = true;
        }
    }
}

#[test]
fn what_cannot_be_polled_is_refused_by_name() {
    let mut watch = watch();
    let dir = std::fs::File::open("/").unwrap();
    let error = watch.add(&dir, Token(0)).unwrap_err();
    assert!(
        error.to_string().starts_with("cannot watch a descriptor: "),
        "{error}"
    );
}

#[test]
fn the_time_is_waited_for_and_never_less() {
    let mut watch = watch();
    for nanos in [0, 1, 1_700_000] {
        let before = Instant::now();
        let until = Some(Mono::from_nanos(nanos));
        assert_eq!(watch.wait(Mono::ZERO, until).unwrap(), [Wake::Deadline]);
        assert!(before.elapsed() >= Duration::from_nanos(nanos), "{nanos}");
    }
}

#[test]
fn a_deadline_out_of_all_reach_wakes_nobody() {
    let mut watch = watch();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    watch.add(&theirs, Token(5)).unwrap();
    ours.write_all(b"x").unwrap();
    let never = Some(Mono::ZERO + Duration::MAX);
    assert_eq!(
        watch.wait(Mono::ZERO, never).unwrap(),
        [Wake::Ready(Token(5))]
    );
}
