use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::sync::Arc;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use evictd_sys::{make_realtime, process_mrelease};
use rustix::fd::OwnedFd;
use rustix::io::Errno;

use crate::own::go_first;

/// The helper's real-time priority, the lowest: the loop must be above it.
const PRIORITY: i32 = 1;

/// Victims that may wait for the helper, which takes them in the order in which
/// they are handed over; those beyond free their memory by themselves, as every
/// killed process does.
const QUEUE: usize = 64;

/// Enough for one loop around one syscall.
const STACK_BYTES: usize = 32 * 1024;

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
pub struct Releaser(Arc<Sender>);

/// The end that hands over; dropping it ends the thread.
#[derive(Debug)]
struct Sender(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    victims: VecDeque<OwnedFd>,
    /// The thread is there.
    served: bool,
    closed: bool,
}

impl Releaser {
    /// With room for those who wait, and without the thread.
    #[must_use]
    pub fn new() -> Self {
        let shared = Arc::new(Shared::default());
        // The room is there before memory is short.
        shared.lock().victims.reserve(QUEUE);
        Self(Arc::new(Sender(shared)))
    }

    /// Starts the thread, unless it is there. Signals have to be blocked before, see
    /// `evictd_sys::block_signals`. Where it `goes_first`, it runs before all that
    /// is not real-time, as far as that is allowed: on a busy machine it would get
    /// hardly more of the processors than the victims that it is to replace.
    ///
    /// # Errors
    ///
    /// When the kernel gives no thread; it may later.
    pub fn start(&self, goes_first: bool) -> io::Result<()> {
        let shared = &self.0.0;
        if core::mem::replace(&mut shared.lock().served, true) {
            return Ok(());
        }
        let served = Arc::clone(shared);
        // Boxed, so that starting a thread is compiled once for all threads.
        let run: Box<dyn FnOnce() + Send> = Box::new(move || {
            if goes_first {
                let _ = go_first(PRIORITY);
            }
            served.serve();
        });
        let spawn = || {
            let builder = Builder::new().name("evictd-release".into());
            builder.stack_size(STACK_BYTES).spawn(run)
        };
        // It may be needed at once, where nothing else gets a processor for seconds.
        let thread = if goes_first {
            make_realtime(PRIORITY, spawn)
        } else {
            spawn()
        };
        thread
            .map(drop)
            .inspect_err(|_| shared.lock().served = false)
    }

    /// Hands over a victim that has been sent SIGKILL; never waits long: the
    /// helper holds the lock only to take one out.
    pub(crate) fn release(&self, pidfd: &OwnedFd) {
        let Ok(copy) = pidfd.try_clone() else { return };
        self.0.0.change(|queue| {
            // A full queue means that the helper is busy or stuck: not worth
            // waiting for.
            if queue.victims.len() < QUEUE {
                queue.victims.push_back(copy);
            }
        });
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.change(|queue| queue.closed = true);
    }
}

impl Default for Releaser {
    fn default() -> Self {
        Self::new()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Queue)) {
        change(&mut self.lock());
        self.changed.notify_one();
    }

    fn serve(&self) {
        while let Some(victim) = self.next() {
            for _ in 0..ATTEMPTS {
                if process_mrelease(&victim) != Err(Errno::AGAIN) {
                    break;
                }
            }
        }
    }

    /// The next victim; `None` when there will be no more.
    fn next(&self) -> Option<OwnedFd> {
        let mut queue = self.lock();
        loop {
            if let Some(victim) = queue.victims.pop_front() {
                return Some(victim);
            }
            if queue.closed {
                return None;
            }
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
