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

/// `SCHED_FIFO` with `SCHED_RESET_ON_FORK` of `linux/sched.h`.
const FIFO: libc::c_int = 1 | 0x4000_0000;

/// Lets the calling thread run before every thread that is not a real-time one:
/// `sched_setscheduler(2)`, first in first out, at `priority`: 1, the lowest, to 99.
/// Threads and processes that it makes run as usual.
///
/// The kernel leaves the others a twentieth of each second whatever such a thread
/// does (`/proc/sys/kernel/sched_rt_runtime_us`). musl has no such call, so it is
/// made without libc.
///
/// # Errors
///
/// `EPERM` without `CAP_SYS_NICE` or `RLIMIT_RTPRIO`, and in a cgroup without
/// real-time budget (`CONFIG_RT_GROUP_SCHED`). `EINVAL` for a priority that is none.
pub fn set_realtime_priority(priority: i32) -> Result<(), Errno> {
    // SAFETY: the kernel reads one `struct sched_param`, which is one int, from a
    // local that outlives the call.
    let answer =
        unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, FIFO, &raw const priority) };
    if answer == 0 {
        Ok(())
    } else {
        Err(last_errno())
    }
}

#[cfg(test)]
mod tests;
