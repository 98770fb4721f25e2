use alloc::sync::Arc;
use core::time::Duration;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use evictd_node::Mono;

use crate::state::files::{occupy, replace, write_pulse};
use crate::state::{Error, TryLock};

/// The thread formats a number and runs a few syscalls.
const STACK_BYTES: usize = 64 << 10;

/// The helper thread that writes, and the lock of the directory.
///
/// A thread, because `fsync` knows no deadline: on a worn SD card it takes
/// seconds, on a dying disk it may never come back, and no memory decision
/// waits for that. It is made with the first text, and if the node is out of process
/// ids then, with a later one. It writes the latest text that it was given; texts that
/// were replaced before it got to them are never written.
#[derive(Debug)]
pub(crate) struct Writer(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    directory: PathBuf,
    lock: File,
    mail: Mutex<Mail>,
    posted: Condvar,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Mail {
    /// The thread is there.
    served: bool,
    text: Option<String>,
    pulse: Option<Mono>,
    /// What became of a write, until it is asked for.
    result: Option<Result<(), Error>>,
    busy: bool,
    closing: bool,
    ended: bool,
}

impl Shared {
    /// The mail is whole after each statement, so a panic of the other side does
    /// it no harm.
    fn lock(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    /// Takes the directory; there is no thread yet.
    pub(crate) fn open(directory: &Path, try_lock: TryLock) -> Result<Self, Error> {
        Ok(Self(Arc::new(Shared {
            directory: directory.to_owned(),
            lock: occupy(directory, try_lock)?,
            mail: Mutex::default(),
            posted: Condvar::new(),
            ended: Condvar::new(),
        })))
    }

    #[inline(never)]
    fn start_thread(&self) -> Result<(), Error> {
        let theirs = Arc::clone(&self.0);
        // Boxed, so that starting a thread is compiled once for all threads.
        let run: Box<dyn FnOnce() + Send> = Box::new(move || serve(&theirs));
        let thread = thread::Builder::new()
            .name("evictd-state".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(run);
        // Never joined: it may hang.
        thread.map(drop).map_err(|error| {
            let why = format!("no thread to write it with: {error}");
            Error::at(&self.0.directory)(io::Error::other(why))
        })
    }

    /// Hands over a text, if there is a new one, and the time as of which it, or
    /// the one before, is true. Never waits.
    pub(crate) fn post(&self, text: Option<String>, pulse: Mono) {
        let mut mail = self.0.lock();
        if text.is_some() {
            mail.text = text;
        }
        mail.pulse = Some(pulse);
        if !mail.served {
            // It finds all that when the mail is no longer locked.
            match self.start_thread() {
                Ok(()) => mail.served = true,
                Err(error) => mail.result = Some(Err(error)),
            }
        }
        self.0.posted.notify_one();
    }

    /// What became of the latest write, if one ended since this was last asked.
    pub(crate) fn result(&self) -> Option<Result<(), Error>> {
        self.0.lock().result.take()
    }

    #[cfg(test)]
    pub(crate) fn is_writing(&self) -> bool {
        let mail = self.0.lock();
        mail.text.is_some() || mail.busy
    }

    /// Waits that long at most until all is written.
    pub(crate) fn close(&self, wait: Duration) {
        let mut mail = self.0.lock();
        mail.closing = true;
        self.0.posted.notify_one();
        let writing = |mail: &mut Mail| mail.served && !mail.ended;
        drop(self.0.ended.wait_timeout_while(mail, wait, writing));
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.lock().closing = true;
        self.0.posted.notify_one();
    }
}

/// The helper thread. The mail is not locked while it writes.
fn serve(shared: &Shared) {
    let mut current = true;
    loop {
        let idle = |mail: &mut Mail| mail.text.is_none() && mail.pulse.is_none() && !mail.closing;
        let waited = shared.posted.wait_while(shared.lock(), idle);
        let mut mail = waited.unwrap_or_else(PoisonError::into_inner);
        let (text, pulse) = (mail.text.take(), mail.pulse.take());
        if text.is_none() && pulse.is_none() {
            mail.ended = true;
            shared.ended.notify_one();
            return;
        }
        mail.busy = true;
        drop(mail);
        if let Some(text) = text {
            let result = replace(&shared.directory, &text);
            current = result.is_ok();
            shared.lock().result = Some(result);
        }
        // A pulse that cannot be written gets old, which says the same.
        drop(write_pulse(&shared.lock, pulse.filter(|_| current)));
        shared.lock().busy = false;
    }
}
