//! The one kind of thread beside the loop: for whatever may block.

use core::fmt;
use core::sync::atomic::Ordering;
use core::time::Duration;
use std::io;
use std::sync::{PoisonError, TryLockError};

#[cfg(all(test, loom))]
use loom_tests::sync::{Arc, AtomicBool, Builder, Condvar, Mutex, MutexGuard};
#[cfg(not(all(test, loom)))]
use {
    alloc::sync::Arc,
    core::sync::atomic::AtomicBool,
    std::sync::{Condvar, Mutex, MutexGuard},
    std::thread::Builder,
};

use crate::{Priority, write_nowhere};

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;

/// How a helper thread begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HelperThread {
    /// Its name, as `ps -L` and `top -H` show it: 15 bytes at most.
    pub name: &'static str,
    /// How much stack it has.
    pub stack_bytes: usize,
    /// Its turn among the threads of the machine.
    pub priority: Priority,
    /// What it may write to.
    pub writes: Writes,
}

/// Whether a helper thread may change files. Those that are open already it always may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// None, once the process is in its sandbox: [`write_nowhere`].
    Nowhere,
    /// It says by itself, first of all: [`write_only_below`](crate::write_only_below).
    WhereItSays,
}

impl HelperThread {
    fn spawn(self, begin: Box<dyn FnOnce() + Send>) -> io::Result<()> {
        let Self {
            priority, writes, ..
        } = self;
        let builder = Builder::new()
            .name(self.name.to_owned())
            .stack_size(self.stack_bytes);
        let spawned = priority.make(|| {
            builder.spawn(move || {
                // Refused: then it runs as usual.
                let _ = priority.apply();
                if writes == Writes::Nowhere {
                    // Where the kernel has no filters, the daemon has said so.
                    let _ = write_nowhere();
                }
                begin();
            })
        });
        spawned.map(drop)
    }
}

/// A thread for what may block, and the state that it shares with the loop: jobs on
/// their way in, and results on their way out. What they are is the user's: `State` may
/// hold a queue with a bound, or one slot where the latest job wins.
///
/// The loop changes the state under a lock that the helper holds for moments only, never
/// while it works; the helper takes its next job out with [`Desk::next`]. The thread is
/// never joined, as it may hang for ever: dropping the helper lets it finish what
/// [`Desk::next`] still finds, and end by itself.
///
/// ```
/// use core::time::Duration;
/// use evictd_sys::{Helper, HelperThread, Priority, Writes};
///
/// #[derive(Default)]
/// struct Sums {
///     jobs: Vec<(u64, u64)>,
///     results: Vec<u64>,
/// }
///
/// # fn main() -> std::io::Result<()> {
/// let thread = HelperThread {
///     name: "adder",
///     stack_bytes: 64 << 10,
///     priority: Priority::Usual,
///     writes: Writes::Nowhere,
/// };
/// let adder = Helper::new(thread, Sums::default(), |desk| {
///     while let Some((one, other)) = desk.next(|sums: &mut Sums| sums.jobs.pop()) {
///         let result = one + other; // not under the lock: this may take long
///         desk.show(|sums| sums.results.push(result));
///     }
/// });
/// adder.start()?;
/// adder.change(|sums| sums.jobs.push((2, 3)));
/// let has_result = |sums: &mut Sums| !sums.results.is_empty();
/// assert!(adder.wait_until(Duration::from_secs(60), has_result));
/// assert_eq!(adder.look(|sums| sums.results.pop()), Some(5));
/// # Ok(())
/// # }
/// ```
pub struct Helper<State> {
    shared: Arc<Shared<State>>,
    thread: HelperThread,
}

/// The helper thread's side.
pub struct Desk<State>(Arc<Shared<State>>);

/// What the thread runs.
type Run<State> = Box<dyn FnOnce(Desk<State>) + Send>;

struct Shared<State> {
    inner: Mutex<Inner<State>>,
    /// The helper has something to look at.
    called: Condvar,
    /// The helper has shown something, or has ended.
    shown: Condvar,
    /// As `called`, for a helper that is at work: it looks between two steps.
    has_call: AtomicBool,
}

struct Inner<State> {
    state: State,
    /// Until the thread takes it: a thread that could not be made has not lost it.
    run: Option<Run<State>>,
    is_started: bool,
    is_closing: bool,
    has_ended: bool,
}

impl<State> Shared<State> {
    /// The state is whole after each statement of its user, so a panic of the other
    /// side does it no harm.
    fn lock(&self) -> MutexGuard<'_, Inner<State>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self) {
        self.has_call.store(true, Ordering::Relaxed);
        self.called.notify_one();
    }
}

impl<State: Send + 'static> Helper<State> {
    /// Without the thread, which [`Helper::start`] makes; jobs wait for it.
    #[must_use]
    pub fn new(
        thread: HelperThread,
        state: State,
        run: impl FnOnce(Desk<State>) + Send + 'static,
    ) -> Self {
        let inner = Inner {
            state,
            run: Some(Box::new(run)),
            is_started: false,
            is_closing: false,
            has_ended: false,
        };
        let shared = Arc::new(Shared {
            inner: Mutex::new(inner),
            called: Condvar::new(),
            shown: Condvar::new(),
            has_call: AtomicBool::new(false),
        });
        Self { shared, thread }
    }

    /// Makes the thread, unless it is there. It inherits the signal mask: signals that
    /// only the main thread is to get have to be blocked before.
    ///
    /// # Errors
    ///
    /// When the kernel gives no thread, as it does where the process table is full. It
    /// may later: the next call tries again.
    pub fn start(&self) -> io::Result<()> {
        if core::mem::replace(&mut self.shared.lock().is_started, true) {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let begin = move || {
            let run = shared.lock().run.take();
            if let Some(run) = run {
                run(Desk(shared));
            }
        };
        let spawned = self.thread.spawn(Box::new(begin));
        if spawned.is_err() {
            self.shared.lock().is_started = false;
        }
        spawned
    }
}

impl<State> Helper<State> {
    /// Changes the state, and wakes the helper.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.shared.lock().state);
        self.shared.call();
        changed
    }

    /// Looks at the state, and takes results out of it, without waking the helper.
    pub fn look<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.shared.lock().state)
    }

    /// As [`Helper::look`], unless the helper holds the lock: one in the
    /// background ([`Priority::Background`]) may be kept from the processor for seconds
    /// at any place. [`Helper::wake`] tells it of a change.
    pub fn try_look<T>(&self, look: impl FnOnce(&mut State) -> T) -> Option<T> {
        match self.shared.inner.try_lock() {
            Ok(mut inner) => Some(look(&mut inner.state)),
            Err(TryLockError::Poisoned(poisoned)) => Some(look(&mut poisoned.into_inner().state)),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Has the helper look at the state.
    pub fn wake(&self) {
        self.shared.call();
    }

    /// Waits until the state is as wanted, that long at most, and returns whether it is.
    /// Also ends when the helper does.
    pub fn wait_until(&self, at_most: Duration, mut is_so: impl FnMut(&mut State) -> bool) -> bool {
        let waits = |inner: &mut Inner<State>| !is_so(&mut inner.state) && !inner.has_ended;
        let inner = self.shared.lock();
        let waited = self.shared.shown.wait_timeout_while(inner, at_most, waits);
        let (mut inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
        is_so(&mut inner.state)
    }

    /// Lets the helper do what it still finds, waits until it has ended, that long at
    /// most, and returns whether it has. One that was never started has.
    pub fn close(&self, at_most: Duration) -> bool {
        let mut inner = self.shared.lock();
        inner.is_closing = true;
        self.shared.call();
        let runs = |inner: &mut Inner<State>| inner.is_started && !inner.has_ended;
        let waited = self.shared.shown.wait_timeout_while(inner, at_most, runs);
        let (mut inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !runs(&mut inner)
    }
}

impl<State> Drop for Helper<State> {
    fn drop(&mut self) {
        self.shared.lock().is_closing = true;
        self.shared.call();
    }
}

impl<State> Desk<State> {
    /// The next job, as `take` finds it in the state; waits for one as long as it takes.
    /// `None` when there is none and will be no more.
    pub fn next<Job>(&self, take: impl FnMut(&mut State) -> Option<Job>) -> Option<Job> {
        self.next_within(Duration::MAX, take)
    }

    /// As [`Desk::next`], but waits that long at most.
    pub fn next_within<Job>(
        &self,
        at_most: Duration,
        mut take: impl FnMut(&mut State) -> Option<Job>,
    ) -> Option<Job> {
        let mut job = None;
        let waits = |inner: &mut Inner<State>| {
            // The call is heard before the state is looked at: one that comes later is set
            // again.
            self.0.has_call.store(false, Ordering::Relaxed);
            job = take(&mut inner.state);
            job.is_none() && !inner.is_closing
        };
        let inner = self.0.lock();
        let waited = self.0.called.wait_timeout_while(inner, at_most, waits);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        job
    }

    /// Shows something: changes the state, and wakes the caller that waits for that.
    pub fn show<T>(&self, show: impl FnOnce(&mut State) -> T) -> T {
        let shown = show(&mut self.0.lock().state);
        self.0.shown.notify_all();
        shown
    }

    /// Whether the helper was called since it last looked for a job: it may leave what
    /// it does where it is, and look.
    #[must_use]
    pub fn is_called(&self) -> bool {
        self.0.has_call.load(Ordering::Relaxed)
    }

    /// Whether nobody is there any more to work for.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.0.lock().is_closing
    }
}

impl<State> Drop for Desk<State> {
    fn drop(&mut self) {
        self.0.lock().has_ended = true;
        self.0.shown.notify_all();
    }
}

impl<State> fmt::Debug for Helper<State> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Helper")
            .field("thread", &self.thread)
            .finish_non_exhaustive()
    }
}
