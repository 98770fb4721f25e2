use alloc::collections::VecDeque;
use alloc::sync::Arc;
use std::io;

use evictd_sys::{Helper, HelperThread, Priority, Writes, process_mrelease};
use rustix::fd::OwnedFd;
use rustix::io::Errno;

/// Victims that may wait for the helper, which takes them in the order in which
/// they are handed over; those beyond free their memory by themselves, as every
/// killed process does.
const QUEUE: usize = 64;

/// Attempts for one victim: `EAGAIN` says that some memory was skipped.
const ATTEMPTS: u32 = 3;

/// A helper thread that calls `process_mrelease(2)` for killed processes.
///
/// Their memory then comes back even if they are stuck or get no processor.
/// The call waits for the victim's `mmap_lock`, which a task in D state may
/// hold, hence the thread. It is to be started early: with the process table full no
/// thread can be made, and a victim that has begun to exit, as it does when it gets a
/// processor, cannot be helped any more. Victims wait for the thread, and free their
/// memory by themselves meanwhile, as every killed process does. It ends when the last
/// copy is dropped. On kernels before 5.15 it does nothing.
#[derive(Clone, Debug)]
pub struct Releaser(Arc<Helper<VecDeque<OwnedFd>>>);

impl Releaser {
    /// With room for those that wait, and without the thread. Where it `goes_first`, it has
    /// nice -20, as far as that is allowed: on a busy machine it would get hardly more of the
    /// processors than the victims that it is to replace. It is not real-time: one call takes
    /// a second for some GiB on a slow processor, in which nobody could do anything else.
    #[must_use]
    pub fn new(goes_first: bool) -> Self {
        let thread = HelperThread {
            name: "evictd-release",
            stack_bytes: 32 << 10,
            priority: if goes_first {
                Priority::High
            } else {
                Priority::Usual
            },
            writes: Writes::Nowhere,
        };
        // The room is there before memory is short.
        let queue = VecDeque::with_capacity(QUEUE);
        Self(Arc::new(Helper::new(thread, queue, |desk| {
            while let Some(victim) = desk.next(VecDeque::pop_front) {
                release_memory(&victim);
            }
        })))
    }

    /// Starts the thread, unless it is there. Signals have to be blocked before, see
    /// [`Helper::start`](evictd_sys::Helper::start).
    ///
    /// # Errors
    ///
    /// When the kernel gives no thread; it may later.
    pub fn start(&self) -> io::Result<()> {
        self.0.start()
    }

    /// Hands over a victim that has been sent SIGKILL.
    pub(crate) fn release(&self, victim: OwnedFd) {
        self.0.change(|queue| {
            // A full queue means that the helper is busy or stuck: not worth
            // waiting for.
            if queue.len() < QUEUE {
                queue.push_back(victim);
            }
        });
    }
}

fn release_memory(victim: &OwnedFd) {
    for _ in 0..ATTEMPTS {
        if process_mrelease(victim) != Err(Errno::AGAIN) {
            break;
        }
    }
}
