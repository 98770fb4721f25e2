use alloc::sync::Arc;

use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::{Errno, read, write};

/// Wakes the loop from another thread: an `eventfd(2)`, readable from the first ring
/// until it is silenced. Its copies are the same bell; neither end ever waits.
#[derive(Clone, Debug)]
pub struct Bell(Arc<OwnedFd>);

impl Bell {
    /// One that does not ring.
    ///
    /// # Errors
    ///
    /// When the kernel gives no descriptor.
    pub fn new() -> Result<Self, Errno> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Self(Arc::new(eventfd(0, flags)?)))
    }

    /// Makes it readable, for [`Watch::add`](crate::Watch::add).
    pub fn ring(&self) {
        // EAGAIN after 2^64 rings: it rings already.
        let _ = write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Forgets how often it rang. To be called before looking at what it rang for.
    pub fn silence(&self) {
        let _ = read(&self.0, &mut [0_u8; 8]);
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests;
