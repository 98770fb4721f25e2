use super::{make_realtime, set_idle_io_priority, set_realtime_priority};

/// The class of a thread, from the upper bits that `ioprio_get(2)` gives.
fn class_of_this_thread() -> libc::c_long {
    // SAFETY: two integers, no pointer.
    let found = unsafe { libc::syscall(libc::SYS_ioprio_get, super::WHO_PROCESS, 0) };
    assert!(found >= 0);
    found >> 13
}

#[test]
fn this_thread_is_idle_and_others_are_not() {
    std::thread::spawn(|| {
        set_idle_io_priority().unwrap();
        assert_eq!(class_of_this_thread(), 3);
    })
    .join()
    .unwrap();
    assert_ne!(class_of_this_thread(), 3);
}

/// The policy of a thread, as `sched_getscheduler(2)` gives it.
fn policy_of_this_thread() -> libc::c_long {
    // SAFETY: an integer, no pointer.
    unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) }
}

/// Without the privilege it is refused and nothing has changed.
#[test]
fn this_thread_goes_first_and_those_it_makes_do_not() {
    std::thread::spawn(|| {
        let expected = match set_realtime_priority(1) {
            Ok(()) => super::FIFO.into(),
            Err(error) => {
                assert_eq!(error, rustix::io::Errno::PERM);
                0
            }
        };
        assert_eq!(policy_of_this_thread(), expected);
        let child = std::thread::spawn(policy_of_this_thread);
        assert_eq!(child.join().unwrap(), 0);
    })
    .join()
    .unwrap();
    assert_eq!(policy_of_this_thread(), 0);
}

/// A thread that is made so need not ask; who made it is what it was, also when that was
/// real-time without its threads being so.
#[test]
fn what_is_made_realtime_begins_so() {
    std::thread::spawn(|| {
        let made = || make_realtime(1, || std::thread::spawn(policy_of_this_thread));
        let usual = made().join().unwrap();
        assert_eq!(policy_of_this_thread(), 0);
        if set_realtime_priority(2) != Ok(()) {
            assert_eq!(usual, 0);
            return;
        }
        let from_realtime = made().join().unwrap();
        let panics = || make_realtime(1, || panic!("on purpose"));
        assert!(std::panic::catch_unwind(panics).is_err());
        let fifo = libc::c_long::from(libc::SCHED_FIFO);
        assert_eq!((usual, from_realtime), (fifo, fifo));
        assert_eq!(policy_of_this_thread(), libc::c_long::from(super::FIFO));
        assert_eq!(priority_of_this_thread(), 2);
    })
    .join()
    .unwrap();
}

fn priority_of_this_thread() -> libc::c_int {
    let mut priority = 0;
    // SAFETY: the kernel writes one int to a local.
    let answer = unsafe { libc::syscall(libc::SYS_sched_getparam, 0, &raw mut priority) };
    assert_eq!(answer, 0);
    priority
}
