use rustix::io::Errno;

use crate::mrelease::last_errno;

/// `IOPRIO_WHO_PROCESS` of `linux/ioprio.h`; with 0 the calling thread.
const WHO_PROCESS: libc::c_int = 1;

/// `IOPRIO_CLASS_IDLE`, in the upper three of sixteen bits.
const IDLE: libc::c_int = 3 << 13;

/// Lets the calling thread's disk reads wait for everybody else's:
/// `ioprio_set(2)`, class idle. Only this thread, since threads have I/O
/// priorities of their own.
///
/// It is a hint: the schedulers bfq and mq-deadline heed it, `none` does not.
///
/// # Errors
///
/// `ENOSYS` where the kernel was built without block devices, `EPERM` where it
/// is older than 2.6.25 and the caller is not root.
pub fn set_idle_io_priority() -> Result<(), Errno> {
    // SAFETY: the call takes three integers and no pointer.
    let answer = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, IDLE) };
    if answer == 0 {
        Ok(())
    } else {
        Err(last_errno())
    }
}

#[cfg(test)]
mod tests;
