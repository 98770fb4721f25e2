use super::*;

#[test]
fn a_lock_excludes_others_until_its_file_is_closed() {
    let own_binary = std::env::current_exe().unwrap();
    let open = || File::open(&own_binary).unwrap();
    let (first, second) = (open(), open());
    assert!(try_lock(&first, false).unwrap());
    assert!(try_lock(&second, false).unwrap());
    assert!(!try_lock(&second, true).unwrap());
    drop(first);
    assert!(try_lock(&second, true).unwrap());
    assert!(!try_lock(&open(), false).unwrap());
}

#[test]
fn a_stranger_is_no_parent() {
    assert_eq!(end_with_parent(-1), Err(Errno::SRCH));
    // Undone, so that the test runner's own end is not ours.
    set_parent_process_death_signal(None).unwrap();
}

/// Acceptance row 277.
#[test]
fn more_descriptors_are_allowed_and_never_fewer() {
    let soft = || getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let before = soft();
    assert_eq!(allow_descriptors(before.min(1 << 20)), Ok(()));
    assert!(soft() >= before);
    // No kernel has a table of so many.
    let refused = allow_descriptors(u64::MAX - 1);
    assert_eq!(refused, Err(soft()));
}
