use core::cell::Cell;

use rustix::io::Errno;

std::thread_local! {
    static LACKED: Cell<bool> = const { Cell::new(false) };
}

/// Notes an error of opening something: `EMFILE` (`RLIMIT_NOFILE`) and `ENFILE`
/// (`fs.file-max`) say nothing of what was to be opened.
///
/// Noted beside the error, and not in it: of what cannot be read many readers rightly make
/// `None`, but a decision must know that it was not read for want of a descriptor.
#[must_use]
pub fn noted_lack(errno: Errno) -> Errno {
    if matches!(errno, Errno::MFILE | Errno::NFILE) {
        LACKED.set(true);
    }
    errno
}

/// Whether this thread has lacked a descriptor since [`take_lack`] was last called: of what
/// it has read since, anything may be missing.
#[must_use]
pub fn has_lacked() -> bool {
    LACKED.get()
}

/// As [`has_lacked`], and begins anew.
pub fn take_lack() -> bool {
    LACKED.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_of_descriptors_is_noted_until_it_is_asked_for() {
        assert!(!take_lack());
        assert_eq!(noted_lack(Errno::NOENT), Errno::NOENT);
        assert!(!has_lacked());
        for errno in [Errno::MFILE, Errno::NFILE] {
            assert_eq!(noted_lack(errno), errno);
            assert!(has_lacked());
            assert!(take_lack());
            assert!(!has_lacked());
        }
    }
}
