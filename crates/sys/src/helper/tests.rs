use core::time::Duration;
use std::sync::mpsc;

use super::{Helper, HelperThread, Writes};
use crate::Priority;

const LONG: Duration = Duration::from_secs(60);

const THREAD: HelperThread = HelperThread {
    name: "evictd-test",
    stack_bytes: 64 << 10,
    priority: Priority::Usual,
    writes: Writes::Nowhere,
};

/// Takes numbers, and shows their sum.
fn adder(thread: HelperThread) -> Helper<(Vec<u64>, u64)> {
    Helper::new(thread, (Vec::new(), 0), |desk| {
        while let Some(number) = desk.next(|state: &mut (Vec<u64>, u64)| state.0.pop()) {
            desk.show(|state| state.1 += number);
        }
    })
}

#[test]
fn jobs_wait_for_a_thread_that_could_not_be_made() {
    let no_machine_has_that_much = usize::MAX / 2 + 1;
    let mut helper = adder(HelperThread {
        stack_bytes: no_machine_has_that_much,
        ..THREAD
    });
    helper.change(|state| state.0.push(1));
    assert!(helper.start().is_err());
    assert!(!helper.wait_until(Duration::ZERO, |state| state.1 == 1));
    assert!(helper.close(LONG), "there is nobody to wait for");

    helper.thread.stack_bytes = THREAD.stack_bytes;
    helper.start().unwrap();
    helper.start().unwrap(); // it is there
    assert!(helper.close(LONG));
    assert_eq!(helper.look(|state| state.1), 1);
}

#[test]
fn nobody_waits_for_a_helper_that_hangs() {
    let (release, held) = mpsc::channel::<()>();
    let helper = Helper::new(THREAD, Some(()), move |desk| {
        while let Some(()) = desk.next(Option::take) {
            desk.show(|_| ());
            let _ = held.recv();
        }
    });
    helper.start().unwrap();
    assert!(helper.wait_until(LONG, |job| job.is_none()));
    assert!(!helper.close(Duration::from_millis(1)), "it hangs");
    assert_eq!(helper.try_look(|job| *job), Some(None));
    drop(release);
    assert!(helper.close(LONG));
}

#[test]
fn a_wait_for_jobs_has_an_end_too() {
    let helper = Helper::new(THREAD, None, |desk| {
        let within = Duration::from_millis(1);
        let none = desk.next_within(within, |_: &mut Option<bool>| None::<()>);
        desk.show(|state| *state = Some(none.is_none()));
    });
    helper.start().unwrap();
    assert!(helper.wait_until(LONG, |state| *state == Some(true)));
}

/// The name is what an operator sees, and it is the thread's own before it runs.
#[test]
fn it_has_its_name_and_its_priority() {
    let thread = HelperThread {
        priority: Priority::Background,
        ..THREAD
    };
    let helper = Helper::new(thread, None, |desk| {
        let name = std::thread::current().name().map(str::to_owned);
        let nice = rustix::process::getpriority_process(None).unwrap();
        desk.show(|state| *state = Some((name, nice)));
    });
    helper.start().unwrap();
    assert!(helper.wait_until(LONG, |state| state.is_some()));
    let expected = Some((Some("evictd-test".to_owned()), 19));
    assert_eq!(helper.look(|state| state.clone()), expected);
    assert_ne!(rustix::process::getpriority_process(None).unwrap(), 19);
}

#[test]
fn whoever_waits_hears_that_it_has_ended() {
    let helper = Helper::new(THREAD, (), drop);
    helper.start().unwrap();
    assert!(!helper.wait_until(LONG, |()| false), "it can never be so");
}
