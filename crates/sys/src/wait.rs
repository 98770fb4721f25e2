use core::time::Duration;

use rustix::event::epoll::Event;
use rustix::fd::{AsFd, AsRawFd};
use rustix::io::Errno;

use crate::mrelease::last_errno;

/// `struct __kernel_timespec` of `linux/time_types.h`: 64 bits each on every machine.
#[repr(C)]
struct KernelTimespec {
    seconds: i64,
    nanoseconds: i64,
}

/// Waits for a set's descriptors to the nanosecond, `epoll_pwait2(2)`, since Linux
/// 5.11; `epoll_wait(2)` knows whole milliseconds only. Replaces what `events` holds by
/// what is ready, as many as there is room for. A `timeout` of `None` waits for ever.
///
/// rustix makes this call only where it is promised that no older kernel is met.
///
/// # Errors
///
/// * `ENOSYS`: the kernel is older than 5.11; `EPERM` where a seccomp filter is.
/// * `EINTR`: a signal came, or the process was stopped and continued.
/// * `EINVAL`: not an epoll set, or `events` has no room at all.
pub fn wait_precisely(
    epoll: impl AsFd,
    events: &mut Vec<Event>,
    timeout: Option<Duration>,
) -> Result<(), Errno> {
    events.clear();
    let timeout = timeout.map(|timeout| KernelTimespec {
        seconds: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        nanoseconds: timeout.subsec_nanos().into(),
    });
    let timeout = timeout
        .as_ref()
        .map_or(core::ptr::null(), |timeout| timeout);
    let room = libc::c_int::try_from(events.capacity()).unwrap_or(libc::c_int::MAX);
    // SAFETY: the kernel reads one timespec from a local, and writes at most `room`
    // events, whose layout is its own, into memory of the vector; no signal mask.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_epoll_pwait2,
            epoll.as_fd().as_raw_fd(),
            events.as_mut_ptr(),
            room,
            timeout,
            core::ptr::null::<libc::sigset_t>(),
            0,
        )
    };
    let ready = usize::try_from(answer).map_err(|_| last_errno())?;
    // SAFETY: that many events has the kernel written, and no more than there is room.
    unsafe { events.set_len(ready) };
    Ok(())
}

#[cfg(test)]
mod tests;
