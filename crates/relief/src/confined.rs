//! A thread that can change files below named directories alone.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::thread::{self, Builder};

use evictd_cgroup::{KnobJournal, KnobPlaces};
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

/// This thread changes settings of cgroups, and writes them down, and can change no other file
/// from now on.
pub fn confine_to_knobs(places: &KnobPlaces, journal: Option<&KnobJournal>) {
    let hierarchies = [&places.memory, &places.cpu].into_iter().flatten();
    let roots = hierarchies.filter_map(|of| of.open(Path::new("")).ok().flatten());
    let roots: Vec<OwnedFd> = roots.collect();
    let directory = journal.map(|journal| journal.directory.as_fd());
    let all: Vec<BorrowedFd<'_>> = roots.iter().map(AsFd::as_fd).chain(directory).collect();
    // Where the kernel has no Landlock, the daemon has said so.
    let _ = write_only_below(&all);
}

/// Why a command that needs a helper thread cannot go on.
pub fn no_thread(error: io::Error) -> String {
    format!("helper thread: {error}")
}
