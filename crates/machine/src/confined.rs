//! A thread that can change files below named directories alone.

use std::io;
use std::os::fd::BorrowedFd;
use std::thread::{self, Builder};

use evictd_sys::write_only_below;

/// A walk keeps a part of a listing for each directory that it is in.
const STACK_BYTES: usize = 256 << 10;

/// Does something on a thread of its own that can change files below these directories alone,
/// whatever names and links it meets. They are open: what it does there, it does by the same
/// descriptors. It ends with what it does: what is mounted at these
/// places the next time may be another filesystem, and no thread gets rights back.
///
/// # Errors
/// Where the kernel gives no thread.
pub(crate) fn confined<Done: Send>(
    directories: &[BorrowedFd<'_>],
    act: impl FnOnce() -> Done + Send,
) -> Result<Done, String> {
    thread::scope(|scope| {
        let thread = Builder::new()
            .name(String::from("evictd-confined"))
            .stack_size(STACK_BYTES);
        let started = thread.spawn_scoped(scope, || {
            // Where the kernel has no Landlock the daemon has said so.
            let _ = write_only_below(directories);
            act()
        });
        let done = started.map_err(no_thread)?.join();
        done.map_err(|_| String::from("a thread of evictd has failed"))
    })
}

/// Why a command that needs a helper thread cannot go on.
pub fn no_thread(error: io::Error) -> String {
    format!("helper thread: {error}")
}
