use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use evictd_node::Mono;
use rustix::io::Errno;

use crate::error::Cause;
use crate::filesystem::FsSample;
use crate::{Error, clock};

pub(crate) type Answer = core::result::Result<FsSample, Errno>;

/// Each thread runs one statvfs, one stat, and sometimes a few more.
const STACK_BYTES: usize = 64 << 10;

/// An answer from memory takes microseconds. One that takes this long does not come
/// from there.
const LONG: Duration = Duration::from_millis(20);

/// How a filesystem is asked.
pub(crate) trait Ask: Send + Sync + 'static {
    /// Measures what holds `path`. It may hang, for ever if it must.
    fn measure(&self, path: &Path, now: Mono) -> Answer;

    /// Whether measuring answers from memory, whatever devices and servers do,
    /// for as long as no mount changes. It may hang too.
    fn is_local(&self, path: &Path) -> bool;

    /// Measures what [`Ask::is_local`] has said so of; `None` where it fails, or
    /// where something else than `former` is there.
    fn measure_local(&self, path: &Path, former: &FsSample, now: Mono) -> Option<FsSample>;
}

/// One filesystem and the helper thread that asks it.
///
/// A mount whose server is dead lets statfs(2) hang, for ever if it must. Then
/// this thread hangs and nobody else: whoever asks gets the last answer, marked
/// stale. The thread is made with the first question and stays, since a node that is
/// out of process ids cannot make one; where that was so, each further question tries
/// again. Each filesystem has its own, so that a dead one does not hide the others.
///
/// Handing a question over and back costs many times what asking does, so a
/// filesystem that cannot hang is asked by the caller itself. Which one can is the
/// helper's to say: the first question after each change of the mount table is
/// always its own. A caller that does not follow the mount table never asks itself.
#[derive(Debug)]
pub(crate) struct Probe<A> {
    path: PathBuf,
    shared: Arc<Shared<A>>,
    /// Whether the thread is there, or why it is not; `None` before the first question.
    helper: Option<core::result::Result<(), Errno>>,
    /// The previous request was not answered in time. Nothing is waited for
    /// until it is.
    overdue: bool,
    /// When the latest answer was asked for.
    asked_at: Mono,
    /// The first request whose judgement of the filesystem counts: an earlier one is
    /// of mounts that may be gone.
    trusted_from: u64,
    /// The filesystem is asked without the helper; what it was when that began.
    local: Option<FsSample>,
    /// What it said last without the helper.
    latest: Option<FsSample>,
}

#[derive(Debug)]
struct Shared<A> {
    ask: A,
    state: Mutex<State>,
    asked: Condvar,
    answered: Condvar,
}

/// Requests are counted, and the thread says which one it has answered.
#[derive(Debug, Default)]
struct State {
    asked: u64,
    asked_at: Mono,
    /// The request wants to know as well whether the filesystem is local.
    judge: bool,
    answered: u64,
    answer: Option<Answer>,
    /// The latest request with which it was found to be.
    local: Option<u64>,
    quit: bool,
}

impl State {
    const fn is_answered(&self) -> bool {
        self.answered == self.asked
    }
}

impl<A> Shared<A> {
    /// The state is whole after each statement, so a panic of the other side
    /// does it no harm.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: Ask> Probe<A> {
    /// Nobody is asked yet, and there is no thread.
    pub(crate) fn new(path: &Path, ask: A) -> Self {
        let shared = Arc::new(Shared {
            ask,
            state: Mutex::default(),
            asked: Condvar::new(),
            answered: Condvar::new(),
        });
        Self {
            path: path.to_owned(),
            shared,
            helper: None,
            overdue: false,
            asked_at: Mono::ZERO,
            trusted_from: u64::MAX,
            local: None,
            latest: None,
        }
    }

    // One copy for all filesystems.
    #[inline(never)]
    fn start_helper(&self) -> core::result::Result<(), Errno> {
        let (theirs, place) = (Arc::clone(&self.shared), self.path.clone());
        // Boxed, so that starting a thread is compiled once for all threads.
        let run: Box<dyn FnOnce() + Send> = Box::new(move || serve(&theirs, &place));
        let thread = thread::Builder::new()
            .name("statfs".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(run);
        // Never joined: it may hang. It ends by itself once this is dropped.
        match thread {
            Ok(_) => Ok(()),
            Err(error) => Err(Errno::from_io_error(&error).unwrap_or(Errno::AGAIN)),
        }
    }

    /// The mount table is followed, and may have changed just now: the helper is
    /// asked next, and is believed again.
    pub(crate) fn mounts_changed(&mut self) {
        self.local = None;
        self.trusted_from = self.shared.lock().asked.wrapping_add(1);
    }

    /// Asks for a measurement, unless an earlier one still is under way.
    pub(crate) fn ask(&mut self, now: Mono) {
        self.asked_at = now;
        if self.local.is_some() {
            return;
        }
        if self.helper != Some(Ok(())) {
            self.helper = Some(self.start_helper());
        }
        if self.helper != Some(Ok(())) {
            return;
        }
        let mut state = self.shared.lock();
        self.overdue = !state.is_answered();
        if self.overdue {
            return;
        }
        if state.local.is_some_and(|found| found >= self.trusted_from) {
            self.local = state.answer.and_then(core::result::Result::ok);
            self.latest = self.local;
            return;
        }
        let failed = matches!(state.answer, Some(Err(_)));
        state.asked = state.asked.wrapping_add(1);
        // Once, and after what failed: it may be there now.
        state.judge = state.asked == self.trusted_from || failed;
        state.asked_at = now;
        self.shared.asked.notify_one();
    }

    /// The answer to the latest request, waiting for it that long at most; the
    /// answer before, marked stale, when it does not come. Without a wait nothing
    /// is asked here.
    pub(crate) fn collect(
        &mut self,
        wait: Duration,
    ) -> core::result::Result<Option<FsSample>, Error> {
        if let Some(former) = self.local {
            if wait.is_zero() {
                return Ok(self.latest.map(|sample| FsSample {
                    stale: true,
                    ..sample
                }));
            }
            let start = clock::now();
            self.latest = self
                .shared
                .ask
                .measure_local(&self.path, &former, self.asked_at);
            if clock::now().since(start) > LONG {
                // Not again before the mounts have changed.
                (self.local, self.trusted_from) = (None, u64::MAX);
            }
            if self.latest.is_some() {
                return Ok(self.latest);
            }
            self.mounts_changed();
            self.ask(self.asked_at);
        }
        self.collect_from_helper(wait)
    }

    fn collect_from_helper(&self, wait: Duration) -> core::result::Result<Option<FsSample>, Error> {
        if let Some(Err(errno)) = self.helper {
            return Err(Cause::NoThread(errno).at(&self.path));
        }
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

    /// Whether one question does for both: they lie on one device and showed the
    /// same space of it, and no mount has changed since.
    pub(crate) fn is_answered_by(&self, other: &Self) -> bool {
        let pair = self.local.as_ref().zip(other.local.as_ref());
        pair.is_some_and(|(one, other)| one.device == other.device && one.same_space(other))
    }
}

impl<A> Drop for Probe<A> {
    fn drop(&mut self) {
        self.shared.lock().quit = true;
        self.shared.asked.notify_one();
    }
}

/// The helper thread. The lock is not held while the filesystem is asked.
fn serve<A: Ask>(shared: &Shared<A>, path: &Path) {
    loop {
        let idle = |state: &mut State| state.is_answered() && !state.quit;
        let waited = shared.asked.wait_while(shared.lock(), idle);
        let state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.quit {
            return;
        }
        let (request, now, judge) = (state.asked, state.asked_at, state.judge);
        drop(state);
        let answer = shared.ask.measure(path, now);
        let mut state = shared.lock();
        state.answer = Some(answer);
        state.answered = request;
        shared.answered.notify_one();
        drop(state);
        // Nobody waits for this.
        if judge && answer.is_ok() && shared.ask.is_local(path) {
            shared.lock().local = Some(request);
        }
    }
}
