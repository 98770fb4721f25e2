use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use evictd_node::Mono;
use rustix::io::Errno;

use crate::error::Cause;
use crate::filesystem::FsSample;
use crate::{Error, Result};

type Answer = core::result::Result<FsSample, Errno>;

/// Each thread runs one statvfs and one stat.
const STACK_BYTES: usize = 64 << 10;

/// One filesystem and the helper thread that asks it.
///
/// A mount whose server is dead lets statfs(2) hang, for ever if it must. Then
/// this thread hangs and nobody else: whoever asks gets the last answer, marked
/// stale. The thread exists from the start, since a node that is out of process
/// ids cannot make one; each filesystem has its own, so that a dead one does
/// not hide the others.
#[derive(Debug)]
pub(crate) struct Probe {
    path: PathBuf,
    shared: Arc<Shared>,
    /// The previous request was not answered in time. Nothing is waited for
    /// until it is.
    overdue: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    asked: Condvar,
    answered: Condvar,
}

/// Requests are counted, and the thread says which one it has answered.
#[derive(Debug, Default)]
struct State {
    asked: u64,
    asked_at: Mono,
    answered: u64,
    answer: Option<Answer>,
    quit: bool,
}

impl State {
    const fn is_answered(&self) -> bool {
        self.answered == self.asked
    }
}

impl Shared {
    /// The state is whole after each statement, so a panic of the other side
    /// does it no harm.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Probe {
    pub(crate) fn start(
        path: &Path,
        measure: impl Fn(&Path, Mono) -> Answer + Send + 'static,
    ) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let (theirs, place) = (Arc::clone(&shared), path.to_owned());
        // Boxed, so that starting a thread is compiled once for all threads.
        let run: Box<dyn FnOnce() + Send> =
            Box::new(move || serve(&theirs, |now| measure(&place, now)));
        let thread = thread::Builder::new()
            .name("statfs".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(run);
        // Never joined: it may hang. It ends by itself once this is dropped.
        thread.map_err(|error| {
            Cause::from(Errno::from_io_error(&error).unwrap_or(Errno::AGAIN)).at(path)
        })?;
        Ok(Self {
            path: path.to_owned(),
            shared,
            overdue: false,
        })
    }

    /// Asks for a measurement, unless an earlier one still is under way.
    pub(crate) fn ask(&mut self, now: Mono) {
        let mut state = self.shared.lock();
        self.overdue = !state.is_answered();
        if !self.overdue {
            state.asked = state.asked.wrapping_add(1);
            state.asked_at = now;
            self.shared.asked.notify_one();
        }
    }

    /// The answer to the latest request, waiting for it that long at most; the
    /// answer before, marked stale, when it does not come.
    pub(crate) fn collect(
        &mut self,
        wait: Duration,
    ) -> core::result::Result<Option<FsSample>, Error> {
        let wait = if self.overdue { Duration::ZERO } else { wait };
        let pending = |state: &mut State| !state.is_answered();
        let waited = self
            .shared
            .answered
            .wait_timeout_while(self.shared.lock(), wait, pending);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let stale = self.overdue || !state.is_answered();
        match state.answer {
            None => Ok(None),
            Some(Ok(sample)) => Ok(Some(FsSample { stale, ..sample })),
            Some(Err(errno)) => Err(Cause::from(errno).at(&self.path)),
        }
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.shared.lock().quit = true;
        self.shared.asked.notify_one();
    }
}

/// The helper thread. The lock is not held while the filesystem is asked.
fn serve(shared: &Shared, measure: impl Fn(Mono) -> Answer) {
    loop {
        let idle = |state: &mut State| state.is_answered() && !state.quit;
        let waited = shared.asked.wait_while(shared.lock(), idle);
        let state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.quit {
            return;
        }
        let (request, now) = (state.asked, state.asked_at);
        drop(state);
        let answer = measure(now);
        let mut state = shared.lock();
        state.answer = Some(answer);
        state.answered = request;
        shared.answered.notify_one();
    }
}
