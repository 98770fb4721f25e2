use core::cmp::Reverse;
use core::mem::take;

use evictd_kerntext::PidStat;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::Target;
use crate::Releaser;
use crate::procs::{Procs, key};

/// Processes that are watched at once. The usual limit is 1024 descriptors; a
/// pod with more processes is worked off in turns.
const AT_ONCE: usize = 512;

/// Processes beyond those that are open for one signal at once.
const TURN: usize = 128;

/// Processes whose end is asked for in one call.
const POLLED: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sent {
    Nothing,
    Term,
    Kill,
}

#[derive(Debug)]
struct Victim {
    pid: Pid,
    pidfd: OwnedFd,
    /// What it held when it was opened, in pages.
    resident: u64,
    sent: Sent,
    released: bool,
    ended: bool,
    /// The kernel did not let us: not tried again (F20).
    denied: bool,
}

/// The processes of a pod that have been opened and not ended, sorted by pid.
#[derive(Debug, Default)]
pub(super) struct Victims {
    alive: Vec<Victim>,
    signalled: usize,
    again: Procs,
    /// Opened and not yet known to be the pod's.
    opened: Vec<Victim>,
    strangers: Vec<Pid>,
    /// Places in `alive`, the largest process first.
    order: Vec<usize>,
}

impl Victims {
    /// With room for so many.
    pub(super) fn for_usual(count: usize) -> Self {
        Self {
            alive: Vec::with_capacity(count),
            opened: Vec::with_capacity(count),
            order: Vec::with_capacity(count),
            again: Procs::for_usual(count),
            ..Self::default()
        }
    }

    pub(super) fn pidfds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.alive.iter().map(|victim| victim.pidfd.as_fd())
    }

    pub(super) const fn signalled(&self) -> usize {
        self.signalled
    }

    /// Closes them all.
    pub(super) fn clear(&mut self) {
        self.alive.clear();
    }

    /// As if nobody had been killed yet.
    pub(super) fn forget(&mut self) {
        self.clear();
        self.opened.clear();
        self.signalled = 0;
    }

    /// Closes the pidfds of those that have ended.
    pub(super) fn sweep(&mut self) {
        let mut any = false;
        for some in self.alive.chunks_mut(POLLED) {
            any |= note_ended(some);
        }
        if any {
            self.alive.retain(|victim| !victim.ended);
        }
    }

    /// Opens the listed processes that are not here yet, as far as there is room.
    pub(super) fn recruit(&mut self, listing: &Procs, target: &Target) -> Result<(), Errno> {
        let room = AT_ONCE.saturating_sub(self.alive.len());
        let mut opened = take(&mut self.opened);
        let strangers = listing.pids().iter().copied();
        let strangers = strangers.filter(|pid| self.find(*pid).is_none());
        let is_done = open(&mut strangers.take(room), target, &mut opened)
            .and_then(|()| verify(&mut opened, target, &mut self.again));
        let is_new = is_done.is_ok() && !opened.is_empty();
        if is_new {
            for victim in opened.drain(..) {
                let before = |other: &Victim| key(&other.pid) < key(&victim.pid);
                let at = self.alive.partition_point(before);
                self.alive.insert(at, victim);
            }
        }
        opened.clear();
        self.opened = opened;
        if is_new {
            // Some kernels list a process that has ended but for its burial: its
            // pidfd would wake the caller at once, again and again.
            self.sweep();
        }
        is_done
    }

    /// Calls `each` for everyone, the largest process first: what it holds is
    /// worth most.
    fn each_by_size(&mut self, each: &mut dyn FnMut(&mut Victim)) {
        let Self { alive, order, .. } = self;
        let resident = |place: usize| alive.get(place).map_or(0, |victim| victim.resident);
        order.clear();
        order.extend(0..alive.len());
        order.sort_unstable_by_key(|place| (Reverse(resident(*place)), *place));
        for place in order {
            alive.get_mut(*place).into_iter().for_each(&mut *each);
        }
    }

    /// SIGKILL to those for whom there was no room, in turns, without keeping
    /// them open: the next listing shows which are still there. Returns to how many.
    pub(super) fn kill_the_rest(
        &mut self,
        listing: &Procs,
        target: &Target,
    ) -> Result<usize, Errno> {
        let mut count: usize = 0;
        if self.alive.len() < AT_ONCE {
            return Ok(count);
        }
        let (mut strangers, mut opened) = (take(&mut self.strangers), take(&mut self.opened));
        strangers.clear();
        let listed = listing.pids().iter().copied();
        strangers.extend(listed.filter(|pid| self.find(*pid).is_none()));
        let mut is_done = Ok(());
        for turn in strangers.chunks(TURN) {
            is_done = open(&mut turn.iter().copied(), target, &mut opened)
                .and_then(|()| verify(&mut opened, target, &mut self.again));
            if is_done.is_err() {
                break;
            }
            for mut victim in opened.drain(..) {
                count = count.saturating_add(usize::from(victim.send(Signal::KILL)));
            }
        }
        opened.clear();
        (self.strangers, self.opened) = (strangers, opened);
        is_done?;
        Ok(count)
    }

    /// Sends `signal` to each that has not had it or a stronger one, to the largest
    /// first; returns to how many.
    pub(super) fn send(&mut self, signal: Signal) -> usize {
        let level = if signal == Signal::KILL {
            Sent::Kill
        } else {
            Sent::Term
        };
        let (mut count, mut new): (usize, usize) = (0, 0);
        self.each_by_size(&mut |victim| {
            if victim.sent < level && !victim.denied && victim.send(signal) {
                new = new.saturating_add(victim.first(level));
                count = count.saturating_add(1);
            }
        });
        self.signalled = self.signalled.saturating_add(new);
        count
    }

    /// Notes that the kernel has killed them all; returns for how many that is new.
    pub(super) fn mark_killed(&mut self) -> usize {
        let mut count: usize = 0;
        for victim in &mut self.alive {
            victim.denied = false;
            count = count.saturating_add(usize::from(victim.sent < Sent::Kill));
            self.signalled = self.signalled.saturating_add(victim.first(Sent::Kill));
        }
        count
    }

    pub(super) fn all_killed(&self) -> bool {
        let killed = |victim: &Victim| victim.sent == Sent::Kill || victim.denied;
        !self.alive.is_empty() && self.alive.iter().all(killed)
    }

    /// Whether any that was sent SIGKILL has not ended: its memory may still be
    /// on its way.
    pub(super) fn any_dying(&self) -> bool {
        self.alive.iter().any(|victim| victim.sent == Sent::Kill)
    }

    /// Hands over whom SIGKILL was sent to, the largest first.
    pub(super) fn release(&mut self, releaser: &Releaser) {
        self.each_by_size(&mut |victim| {
            if victim.sent == Sent::Kill && !victim.released {
                releaser.release(&victim.pidfd);
                victim.released = true;
            }
        });
    }

    pub(super) fn is_denied(&self, pid: Pid) -> bool {
        self.find(pid).is_some_and(|victim| victim.denied)
    }

    /// Whether the end of everyone listed will be told by a pidfd.
    pub(super) fn cover(&self, listing: &Procs) -> bool {
        !listing.has_hidden() && listing.pids().iter().all(|pid| self.find(*pid).is_some())
    }

    fn find(&self, pid: Pid) -> Option<&Victim> {
        let by_pid = |victim: &Victim| key(&victim.pid);
        let at = self.alive.binary_search_by_key(&key(&pid), by_pid);
        self.alive.get(at.ok()?)
    }
}

impl Victim {
    fn send(&mut self, signal: Signal) -> bool {
        match pidfd_send_signal(&self.pidfd, signal) {
            Ok(()) => true,
            // It has just ended; its pidfd tells.
            Err(Errno::SRCH) => false,
            Err(_) => {
                self.denied = true;
                false
            }
        }
    }

    /// Notes what was sent; 1 if it was the first, for counting.
    fn first(&mut self, level: Sent) -> usize {
        let first = self.sent == Sent::Nothing;
        self.sent = level;
        usize::from(first)
    }
}

/// Notes which of these, [`POLLED`] at most, has ended; returns whether anyone has.
fn note_ended(some: &mut [Victim]) -> bool {
    let Some(first) = some.first() else {
        return false;
    };
    // In place of those that are missing the first is asked for, and passed over.
    let fds = |at: usize| {
        let pidfd = &some.get(at).unwrap_or(first).pidfd;
        PollFd::new(pidfd, PollFlags::IN)
    };
    let mut fds: [PollFd<'_>; POLLED] = core::array::from_fn(fds);
    let asked = fds.get_mut(..some.len()).unwrap_or_default();
    let at_once = Timespec::default();
    if !matches!(retry_on_intr(|| poll(asked, Some(&at_once))), Ok(1..)) {
        return false;
    }
    let ended = fds.map(|fd| !fd.revents().is_empty());
    for (victim, ended) in some.iter_mut().zip(ended) {
        victim.ended = ended;
    }
    true
}

/// Opens processes until there are no more descriptors; kernel threads, which
/// take no signal, are left alone.
fn open(
    pids: &mut dyn Iterator<Item = Pid>,
    target: &Target,
    opened: &mut Vec<Victim>,
) -> Result<(), Errno> {
    for pid in pids {
        let known = |stat: PidStat<'_>| (stat.is_kernel_thread(), stat.rss_pages);
        let (is_kernels, resident) = target.proc().stat(pid, known).unwrap_or_default();
        if is_kernels {
            continue;
        }
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => opened.push(Victim {
                pid,
                pidfd,
                resident,
                sent: Sent::Nothing,
                released: false,
                ended: false,
                denied: false,
            }),
            // Ended, or only a thread by now.
            Err(Errno::SRCH | Errno::INVAL) => {}
            // Those that are open come first; the others' turn comes.
            Err(Errno::MFILE | Errno::NFILE) if !opened.is_empty() => break,
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Keeps those that are still listed after they were opened: these, and no
/// others with the same numbers, are the pod's.
fn verify(opened: &mut Vec<Victim>, target: &Target, again: &mut Procs) -> Result<(), Errno> {
    if !opened.is_empty() {
        again.list(target.members())?;
        opened.retain(|victim| again.contains(victim.pid));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
