use rustix::io::Errno;
use rustix::process::setpriority_process;

use crate::error::done;

/// A thread's turn among all threads of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Priority {
    /// As the thread that makes it, or as any other where that one is real-time.
    Usual,
    /// Nice 19, and the disk's idle class: after everybody else.
    ///
    /// Not `SCHED_IDLE`: a thread that gets no processor for minutes may hold a
    /// directory's lock meanwhile, and the pod that works there waits for it.
    Background,
    /// Nice -20: most of a processor, and others wait for milliseconds.
    High,
    /// Before all that is not real-time, so that a busy machine does not delay it; 1 is
    /// the lowest. Where that is refused, the best of the common priorities.
    RealTime(i32),
}

impl Priority {
    /// Gives it to the calling thread alone; threads that it makes run as usual, but for
    /// [`Priority::Background`], which they inherit.
    ///
    /// # Errors
    ///
    /// `EPERM` or `EACCES` where more than usual is not allowed (`CAP_SYS_NICE`);
    /// `ENOSYS` where the kernel was built without block devices.
    pub fn apply(self) -> Result<(), Errno> {
        match self {
            Self::Usual => Ok(()),
            Self::Background => setpriority_process(None, 19).and(set_idle_io_priority()),
            Self::High => setpriority_process(None, -20),
            Self::RealTime(priority) => {
                set_realtime_priority(priority).or_else(|_| setpriority_process(None, -20))
            }
        }
    }

    /// Calls `make`, whose threads begin with it where it is real-time: they need not
    /// get a processor first to ask for it, which on a busy machine takes seconds.
    pub(crate) fn make<T>(self, make: impl FnOnce() -> T) -> T {
        match self {
            Self::RealTime(priority) => make_realtime(priority, make),
            Self::Usual | Self::High | Self::Background => make(),
        }
    }
}

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
fn set_idle_io_priority() -> Result<(), Errno> {
    // SAFETY: the call takes three integers and no pointer.
    done(unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, IDLE) })
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
fn set_realtime_priority(priority: i32) -> Result<(), Errno> {
    set_policy(FIFO.into(), priority)
}

/// Calls `make` with the calling thread at the real-time `priority`, without what
/// [`set_realtime_priority`] says of threads that it makes: those that `make` makes begin
/// with that priority, and need not get a processor first to ask for it. Where it is
/// refused, `make` is called all the same. Afterwards the thread is what it was, also when
/// `make` panics.
fn make_realtime<T>(priority: i32, make: impl FnOnce() -> T) -> T {
    let mut former_priority: libc::c_int = 0;
    // SAFETY: the kernel writes one `struct sched_param`, which is one int, to a local.
    let (policy, known) = unsafe {
        let policy = libc::syscall(libc::SYS_sched_getscheduler, 0);
        let asked = &raw mut former_priority;
        (policy, libc::syscall(libc::SYS_sched_getparam, 0, asked))
    };
    if policy < 0 || known != 0 || set_policy(libc::SCHED_FIFO.into(), priority).is_err() {
        return make();
    }
    let _former = Former(policy, former_priority);
    make()
}

/// The policy and priority that a thread gets back.
struct Former(libc::c_long, libc::c_int);

impl Drop for Former {
    fn drop(&mut self) {
        // What it was is never refused: it is no more than it has.
        let _ = set_policy(self.0, self.1);
    }
}

fn set_policy(policy: libc::c_long, priority: libc::c_int) -> Result<(), Errno> {
    // SAFETY: the kernel reads one `struct sched_param`, which is one int, from a
    // local that outlives the call.
    done(unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const priority) })
}

#[cfg(test)]
mod tests;
