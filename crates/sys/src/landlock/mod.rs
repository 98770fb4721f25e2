use core::mem::size_of;
use std::os::fd::FromRawFd;

use rustix::fd::{AsRawFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::thread::no_new_privs;

use crate::error::{done, last_errno};

/// `struct landlock_ruleset_attr` as the first version of Landlock knows it.
#[repr(C)]
struct Ruleset {
    handled: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct Beneath {
    allowed: u64,
    directory: i32,
}

/// `LANDLOCK_RULE_PATH_BENEATH`.
const BENEATH: libc::c_int = 1;

/// `LANDLOCK_CREATE_RULESET_VERSION`.
const VERSION: libc::c_uint = 1;

/// Opening for writing, removing files and directories, and making any kind of them:
/// `LANDLOCK_ACCESS_FS_WRITE_FILE` and `_REMOVE_DIR` to `_MAKE_SYM`.
const WRITE: u64 = 1 << 1 | 0b1_1111_1111 << 4;

/// `LANDLOCK_ACCESS_FS_REFER`: moving between directories, which the first version always
/// forbids.
const REFER: u64 = 1 << 13;

/// `LANDLOCK_ACCESS_FS_TRUNCATE`, which only the third version knows.
const TRUNCATE: u64 = 1 << 14;

/// Which version of Landlock the kernel has: at least the second, of Linux 5.19.
///
/// # Errors
///
/// `ENOSYS` where it was built without, `EOPNOTSUPP` where it was booted without or knows
/// only the first, which forbids all moving between directories.
pub fn landlock_version() -> Result<u64, Errno> {
    let nothing = core::ptr::null::<Ruleset>();
    // SAFETY: a null pointer of length 0 is what this question wants.
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, VERSION) };
    match u64::try_from(answer) {
        Ok(0..=1) => Err(Errno::OPNOTSUPP),
        Ok(version) => Ok(version),
        Err(_) => Err(last_errno()),
    }
}

/// From now on the calling thread, and those that it makes, can write, make, move and delete
/// files below `directories` alone, whatever names and links lead it elsewhere. Files that
/// are open already stay writable. The directories are open: a path could lead to another
/// one by now.
///
/// It is part of the sandbox: nothing is done where
/// [`keep_capabilities`](crate::keep_capabilities) was not called.
///
/// A thread that is confined so can no longer look into other processes (`/proc/PID/fd`,
/// `smaps_rollup`), since Landlock forbids tracing: not for the whole process therefore.
///
/// # Errors
///
/// Those of [`landlock_version`]; then nothing is confined.
pub fn write_only_below(directories: &[BorrowedFd<'_>]) -> Result<(), Errno> {
    if !no_new_privs()? {
        return Ok(());
    }
    let rights = if landlock_version()? < 3 {
        WRITE | REFER
    } else {
        WRITE | REFER | TRUNCATE
    };
    let rules = Ruleset { handled: rights };
    let length = size_of::<Ruleset>();
    // SAFETY: the kernel reads so many bytes of a local that outlives the call.
    let made = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &raw const rules,
            length,
            0_u32,
        )
    };
    let made = i32::try_from(made)
        .ok()
        .filter(|fd| *fd >= 0)
        .ok_or_else(last_errno)?;
    // SAFETY: the kernel just gave us this descriptor, nobody else owns it.
    let rules = unsafe { OwnedFd::from_raw_fd(made) };
    for directory in directories {
        allow_below(&rules, *directory, rights)?;
    }
    // SAFETY: the call takes two integers and no pointer.
    done(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) })
}

fn allow_below(rules: &OwnedFd, directory: BorrowedFd<'_>, rights: u64) -> Result<(), Errno> {
    let rule = Beneath {
        allowed: rights,
        directory: directory.as_raw_fd(),
    };
    let rules = rules.as_raw_fd();
    // SAFETY: the kernel reads one such rule from a local that outlives the call.
    done(unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            rules,
            BENEATH,
            &raw const rule,
            0,
        )
    })
}

#[cfg(test)]
mod tests;
