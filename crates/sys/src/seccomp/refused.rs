//! The last line of a daemon that made a system call which is not allowed.

use core::fmt::{self, Write};
use core::mem::MaybeUninit;
use core::time::Duration;
use std::os::fd::AsFd;

use libc::{c_int, c_void, siginfo_t};
use rustix::io::Errno;

use crate::error::done;
use crate::writable::is_writable;

/// How long its reader may keep it from ending.
const TO_READ: Duration = Duration::from_secs(1);

/// The part of `siginfo_t` that libc does not name: what SIGSYS says.
#[repr(C)]
struct Refused {
    signal: c_int,
    errno: c_int,
    code: c_int,
    at: *const c_void,
    call: c_int,
    architecture: u32,
}

/// Has a refused call end the process with a line on standard error.
pub(super) fn tell_of_it() -> Result<(), Errno> {
    // SAFETY: a null mask and no flags are a valid `sigaction`.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    let handler: extern "C" fn(c_int, *const siginfo_t, *const c_void) = tell;
    action.sa_sigaction = handler as libc::sighandler_t;
    // The second time, the signal does what it does without us.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESETHAND | libc::SA_ONSTACK;
    // SAFETY: `action` is initialised and outlives the call; the handler makes system
    // calls and nothing else: it holds no lock, and asks for no memory.
    done(unsafe { libc::sigaction(libc::SIGSYS, &raw const action, core::ptr::null_mut()) }.into())
}

extern "C" fn tell(_: c_int, about: *const siginfo_t, _: *const c_void) {
    // SAFETY: the kernel hands a handler with SA_SIGINFO a whole `siginfo_t`, of which
    // this is the beginning.
    let call = unsafe { (*about.cast::<Refused>()).call };
    let mut line = Line::default();
    let _ = writeln!(
        line,
        "evictd ends: it made system call {call} ({}), which its sandbox does not allow: a defect \
         or an attack; --debug=no-sandbox runs without",
        std::env::consts::ARCH
    );
    let stderr = std::io::stderr();
    if is_writable(stderr.as_fd(), TO_READ) {
        let _ = rustix::io::write(stderr, line.text.get(..line.length).unwrap_or_default());
    }
    // SAFETY: the call takes an integer. The handler is no longer set, so the process ends
    // by the signal as soon as this function returns.
    unsafe { libc::raise(libc::SIGSYS) };
}

/// A text on the stack.
struct Line {
    text: [u8; 256],
    length: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            text: [0; 256],
            length: 0,
        }
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let place = self.text.get_mut(self.length..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}
