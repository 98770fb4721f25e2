use rustix::io::Errno;

use super::twice;

/// What comes of a call that fails so often, and how often it is made.
fn of(failures: &[Errno]) -> (Result<(), Errno>, usize) {
    let mut calls = 0;
    let done = twice(|| {
        calls += 1;
        failures.get(calls - 1).map_or(Ok(()), |errno| Err(*errno))
    });
    (done, calls)
}

/// Acceptance row 178.
#[test]
fn a_call_that_fails_once_is_made_again_once() {
    assert_eq!(of(&[]), (Ok(()), 1));
    for errno in [
        Errno::IO,
        Errno::PERM,
        Errno::NOMEM,
        Errno::MFILE,
        Errno::INVAL,
    ] {
        assert_eq!(of(&[errno]), (Ok(()), 2));
        assert_eq!(of(&[errno, errno]), (Err(errno), 2));
    }
    assert_eq!(of(&[Errno::NOENT]), (Err(Errno::NOENT), 1), "it is gone");
}
