use crate::set_idle_io_priority;

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
