use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Builder;

use evictd_rawsys::process_mrelease;
use rustix::fd::OwnedFd;
use rustix::io::Errno;

/// Victims that may wait for the helper; those beyond free their memory by
/// themselves, as every killed process does.
const QUEUE: usize = 64;

/// Enough for one loop around one syscall.
const STACK_BYTES: usize = 32 * 1024;

/// Attempts for one victim: `EAGAIN` says that some memory was skipped.
const ATTEMPTS: u32 = 3;

/// A helper thread that calls `process_mrelease(2)` for killed processes.
///
/// Their memory then comes back even if they are stuck or get no processor.
/// The call waits for the victim's `mmap_lock`, which a task in D state may
/// hold, hence the thread; it is made at start-up, because with the process
/// table full no thread can be made. It ends when the last copy is dropped.
/// On kernels before 5.15 it does nothing.
#[derive(Clone, Debug)]
pub struct Releaser(SyncSender<OwnedFd>);

impl Releaser {
    /// Starts the thread. Signals have to be blocked before, see
    /// `evictd_rawsys::block_signals`.
    ///
    /// # Errors
    ///
    /// When the kernel gives no thread.
    pub fn start() -> io::Result<Self> {
        let (sender, receiver) = sync_channel(QUEUE);
        Builder::new()
            .name("evictd-release".into())
            .stack_size(STACK_BYTES)
            .spawn(move || serve(&receiver))?;
        Ok(Self(sender))
    }

    /// Hands over a victim that has been sent SIGKILL; never waits.
    pub(crate) fn release(&self, pidfd: &OwnedFd) {
        if let Ok(copy) = pidfd.try_clone() {
            // A full queue means that the helper is busy or stuck: not worth
            // waiting for.
            drop(self.0.try_send(copy));
        }
    }
}

fn serve(victims: &Receiver<OwnedFd>) {
    for pidfd in victims {
        for _ in 0..ATTEMPTS {
            if process_mrelease(&pidfd) != Err(Errno::AGAIN) {
                break;
            }
        }
    }
}
