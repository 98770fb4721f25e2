use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

/// Wakes the loop from another thread: a socket pair that holds at most a few
/// bytes.
pub(super) struct Bell {
    hear: UnixStream,
    ring: UnixStream,
}

/// The end that a thread pulls.
pub(super) struct Rope(UnixStream);

impl Bell {
    pub(super) fn new() -> io::Result<Self> {
        let (hear, ring) = UnixStream::pair()?;
        hear.set_nonblocking(true)?;
        ring.set_nonblocking(true)?;
        Ok(Self { hear, ring })
    }

    pub(super) fn rope(&self) -> io::Result<Rope> {
        self.ring.try_clone().map(Rope)
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.hear.as_fd()
    }

    /// Forgets how often it rang.
    pub(super) fn silence(&mut self) {
        let mut heard = [0_u8; 64];
        while matches!(self.hear.read(&mut heard), Ok(1..)) {}
    }
}

impl Rope {
    pub(super) fn pull(&self) {
        // Full means that it rings already.
        let _ = (&self.0).write(&[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::Bell;

    #[test]
    fn it_rings_until_it_is_silenced_and_never_blocks() {
        let mut bell = Bell::new().unwrap();
        let rope = bell.rope().unwrap();
        for _ in 0..1_000_000 {
            rope.pull();
        }
        bell.silence();
        let mut byte = [0];
        let quiet = std::io::Read::read(&mut bell.hear, &mut byte).unwrap_err();
        assert_eq!(quiet.kind(), std::io::ErrorKind::WouldBlock);
    }
}
