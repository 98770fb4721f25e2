use core::mem::MaybeUninit;
use std::os::fd::FromRawFd;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::Signal;

use crate::error::last_errno;

/// The size of `struct signalfd_siginfo`: 128 bytes on every architecture.
const RECORD: usize = 128;

/// Blocks `signals` for the calling thread, and for the threads it makes
/// afterwards: they stay pending until a [`SignalFd`] takes them.
///
/// To be called first thing, while there is one thread: a signal sent to the
/// process is delivered to any thread that does not block it. The mask is kept
/// across `execve`; the standard library's `Command` clears it in children.
///
/// # Errors
///
/// `EINVAL` when a number is no signal.
pub(crate) fn block_signals(signals: &[Signal]) -> Result<(), Errno> {
    let set = signal_set(signals)?;
    // SAFETY: `set` is initialised and outlives the call; a null old set is
    // allowed and means that it is not wanted.
    let error = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, core::ptr::null_mut()) };
    match error {
        0 => Ok(()),
        error => Err(Errno::from_raw_os_error(error)),
    }
}

/// A descriptor that is readable while one of its signals is pending.
///
/// The signals must be blocked, see [`block_signals`]; otherwise they act as
/// they always do and never arrive here. Non-blocking and close-on-exec.
#[derive(Debug)]
pub(crate) struct SignalFd(OwnedFd);

impl SignalFd {
    /// Opens a descriptor for `signals`: `signalfd4(2)`.
    ///
    /// # Errors
    ///
    /// `EINVAL` when a number is no signal, `EMFILE` and `ENFILE` when there
    /// are no descriptors left, `ENODEV` and `ENOMEM` as the kernel gives them.
    pub(crate) fn new(signals: &[Signal]) -> Result<Self, Errno> {
        let set = signal_set(signals)?;
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        // SAFETY: `set` is initialised and outlives the call; -1 asks for a
        // new descriptor.
        let fd = unsafe { libc::signalfd(-1, &set, flags) };
        if fd < 0 {
            return Err(last_errno());
        }
        // SAFETY: the kernel just gave us this descriptor, nobody else owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Takes one pending signal; `None` when there is none.
    ///
    /// # Errors
    ///
    /// What `read(2)` gives, except `EAGAIN`. `EIO` for a record that is too
    /// short or that names no signal, which the kernel does not make.
    pub(crate) fn read(&self) -> Result<Option<Signal>, Errno> {
        let mut record = [0_u8; RECORD];
        match rustix::io::retry_on_intr(|| rustix::io::read(&self.0, &mut record)) {
            Ok(RECORD) => {
                // `ssi_signo`, of 32 bits, is the first field.
                let [a, b, c, d, ..] = record;
                let signal = Signal::from_named_raw(i32::from_ne_bytes([a, b, c, d]));
                signal.map(Some).ok_or(Errno::IO)
            }
            Ok(_) => Err(Errno::IO),
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl AsFd for SignalFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn signal_set(signals: &[Signal]) -> Result<libc::sigset_t, Errno> {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` writes the whole set that it is pointed to, and
    // cannot fail for a valid pointer; it is initialised from there on.
    let mut set = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        set.assume_init()
    };
    for signal in signals {
        // SAFETY: `set` is initialised and exclusively ours.
        if unsafe { libc::sigaddset(&mut set, signal.as_raw()) } != 0 {
            return Err(last_errno());
        }
    }
    Ok(set)
}

#[cfg(test)]
mod tests;
