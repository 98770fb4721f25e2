use core::fmt;
use core::time::Duration;

use crate::signals::{SignalFd, block_signals};
use evictd_node::Mono;
use rustix::event::{Timespec, epoll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::Signal;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use crate::{Error, Trigger};

/// Events taken from the kernel at once; more stay ready for the next wait.
const BATCH: usize = 32;

/// Marks the signalfd; no [`Token`] reaches it.
const SIGNALS: u64 = u64::MAX;

/// Marks the timer.
const TIMER: u64 = u64::MAX - 1;

/// The caller's name for a descriptor of the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u32);

/// One reason why [`Watch::wait`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// A signal arrived.
    Signal(Signal),
    /// The descriptor with this token is readable, or broken: reading tells.
    /// For a pidfd: its process has ended.
    Ready(Token),
    /// The time given to [`Watch::wait`] has come and nothing else happened.
    Deadline,
}

/// The pollable set: an epoll instance with a signalfd and a timer in it.
///
/// `epoll_wait` alone waits for it: whoever polls the set as a descriptor of its own asks each
/// of its files a second time, and a trigger on memory pressure says but once that it fired.
///
/// It is not `Send`: the signals are blocked for the thread that made it, and that thread
/// waits.
pub struct Watch {
    epoll: OwnedFd,
    timer: OwnedFd,
    signals: SignalFd,
    events: Vec<epoll::Event>,
    wakes: Vec<Wake>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("epoll", &self.epoll)
            .field("timer", &self.timer)
            .field("signals", &self.signals)
            .field("wakes", &self.wakes)
            .finish_non_exhaustive()
    }
}

impl Watch {
    /// Makes the set, and blocks `signals` for the calling thread, so that from
    /// here on they only arrive through [`Watch::wait`].
    ///
    /// To be called before other threads are made: they inherit the mask, and a
    /// thread without it would take the signals away.
    ///
    /// # Errors
    ///
    /// When the kernel refuses a descriptor (`EMFILE`, `ENFILE`, `ENOMEM`).
    pub fn new(signals: &[Signal]) -> Result<Self, Error> {
        block_signals(signals).map_err(Error::doing("block signals"))?;
        let signals = SignalFd::new(signals).map_err(Error::doing("open a signalfd"))?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)
            .map_err(Error::doing("create an epoll set"))?;
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)
            .map_err(Error::doing("open a timer"))?;
        for (fd, mark) in [(signals.as_fd(), SIGNALS), (timer.as_fd(), TIMER)] {
            let data = epoll::EventData::new_u64(mark);
            epoll::add(&epoll, fd, data, epoll::EventFlags::IN)
                .map_err(Error::doing("add the signalfd and the timer"))?;
        }
        Ok(Self {
            epoll,
            timer,
            signals,
            events: Vec::with_capacity(BATCH),
            wakes: Vec::with_capacity(BATCH),
        })
    }

    /// Adds a descriptor: while it is readable, [`Watch::wait`] reports
    /// `token`. Adding it again only changes the token.
    ///
    /// The set does not own it; when its last copy is closed it leaves by
    /// itself. A pidfd stays readable for good once its process has ended, so
    /// it has to be closed or removed then.
    ///
    /// # Errors
    ///
    /// `EPERM` for a descriptor that cannot be polled (a regular file),
    /// `ENOSPC` and `ENOMEM` as the kernel gives them.
    pub fn add(&mut self, fd: impl AsFd, token: Token) -> Result<(), Error> {
        self.set(fd.as_fd(), token, epoll::EventFlags::IN)
    }

    /// Lets a trigger fire once: [`Watch::wait`] reports `token`, and nothing more
    /// of it until it is armed again. So one that fires without end, or whose
    /// cgroup is gone, cannot keep the loop busy.
    ///
    /// # Errors
    ///
    /// As [`Watch::add`].
    pub fn arm(&mut self, trigger: &Trigger, token: Token) -> Result<(), Error> {
        self.set(trigger.as_fd(), token, trigger.flags())
    }

    fn set(&self, fd: BorrowedFd<'_>, token: Token, flags: epoll::EventFlags) -> Result<(), Error> {
        let data = epoll::EventData::new_u64(u64::from(token.0));
        match epoll::add(&self.epoll, fd, data, flags) {
            Err(Errno::EXIST) => epoll::modify(&self.epoll, fd, data, flags),
            other => other,
        }
        .map_err(Error::doing("watch a descriptor"))
    }

    /// Takes a descriptor out again; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// What `epoll_ctl(2)` gives, except `ENOENT`.
    pub fn remove(&mut self, fd: impl AsFd) -> Result<(), Error> {
        match epoll::delete(&self.epoll, fd) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(Error::doing("forget a descriptor")(errno)),
        }
    }

    /// Waits until something happens, or until `until` on the caller's clock,
    /// which shows `now`; without `until`, as long as it takes.
    ///
    /// Returns what happened. Empty when the wait was cut short (the process
    /// was stopped and continued): the caller looks at its clock and comes back.
    /// Never returns before `until` with [`Wake::Deadline`]. While the machine sleeps the
    /// time stands still.
    ///
    /// # Errors
    ///
    /// What `timerfd_settime(2)`, `epoll_wait(2)` and reading the signalfd give twice in a
    /// row, except `EINTR`.
    pub fn wait(&mut self, now: Mono, until: Option<Mono>) -> Result<&[Wake], Error> {
        self.wakes.clear();
        let left = until.map(|until| until.since(now));
        // What was not taken the first time is still there.
        self.wait_once(left).or_else(|_| self.wait_once(left))?;
        Ok(&self.wakes)
    }

    fn wait_once(&mut self, left: Option<Duration>) -> Result<(), Error> {
        match self.wait_for_events(left) {
            Ok(()) => self.take_events(),
            Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(Error::doing("wait")(errno)),
        }
    }

    /// Until anything is ready or the time is over, which `epoll_wait` counts in whole
    /// milliseconds and the timer in nanoseconds.
    fn wait_for_events(&mut self, left: Option<Duration>) -> Result<(), Errno> {
        self.events.clear();
        let at_once = left == Some(Duration::ZERO);
        if !at_once {
            // A timer of zero is none.
            let timer = Itimerspec {
                it_interval: Timespec::default(),
                it_value: left.map(timespec).unwrap_or_default(),
            };
            timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &timer)?;
        }
        let spare = rustix::buffer::spare_capacity(&mut self.events);
        let timeout = at_once.then(Timespec::default);
        epoll::wait(&self.epoll, spare, timeout.as_ref())?;
        Ok(())
    }

    fn take_events(&mut self) -> Result<(), Error> {
        // Nothing is ready where it did not wait.
        let mut is_over = self.events.is_empty();
        for event in &self.events {
            let mark = event.data.u64();
            match u32::try_from(mark) {
                Ok(token) => self.wakes.push(Wake::Ready(Token(token))),
                Err(_) if mark == TIMER => is_over = true,
                Err(_) => take_signals(&self.signals, &mut self.wakes)?,
            }
        }
        if is_over && self.wakes.is_empty() {
            self.wakes.push(Wake::Deadline);
        }
        Ok(())
    }
}

fn take_signals(signals: &SignalFd, wakes: &mut Vec<Wake>) -> Result<(), Error> {
    while let Some(signal) = signals.read().map_err(Error::doing("read a signal"))? {
        wakes.push(Wake::Signal(signal));
    }
    Ok(())
}

pub(crate) fn timespec(left: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests;
