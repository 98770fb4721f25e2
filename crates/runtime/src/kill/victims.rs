use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::Target;
use crate::Releaser;
use crate::procs::Procs;

/// Processes that are watched at once. The usual limit is 1024 descriptors; a
/// pod with more processes is worked off in turns.
const AT_ONCE: usize = 512;

/// Processes beyond those that are open for one signal at once.
const TURN: usize = 128;

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
    sent: Sent,
    released: bool,
    /// The kernel did not let us: not tried again (F20).
    denied: bool,
}

/// The processes of a pod that have been opened and not ended, sorted by pid.
#[derive(Debug, Default)]
pub(super) struct Victims {
    alive: Vec<Victim>,
    signalled: usize,
    again: Procs,
}

impl Victims {
    pub(super) fn pidfds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.alive.iter().map(|victim| victim.pidfd.as_fd())
    }

    pub(super) const fn signalled(&self) -> usize {
        self.signalled
    }

    pub(super) fn clear(&mut self) {
        self.alive.clear();
    }

    /// Closes the pidfds of those that have ended.
    pub(super) fn sweep(&mut self) {
        if self.alive.is_empty() {
            return;
        }
        let mut fds: Vec<_> = self
            .alive
            .iter()
            .map(|victim| PollFd::new(&victim.pidfd, PollFlags::IN))
            .collect();
        let at_once = Timespec::default();
        if !matches!(retry_on_intr(|| poll(&mut fds, Some(&at_once))), Ok(1..)) {
            return;
        }
        let ended: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut ended = ended.into_iter();
        self.alive.retain(|_| !ended.next().unwrap_or(false));
    }

    /// Opens who is listed and not here yet, as far as there is room; returns
    /// how many.
    pub(super) fn recruit(&mut self, listing: &Procs, target: &Target) -> Result<usize, Errno> {
        let room = AT_ONCE.saturating_sub(self.alive.len());
        let strangers = listing.pids().iter().copied();
        let strangers = strangers.filter(|pid| self.find(*pid).is_none());
        let opened = open(strangers.take(room), target)?;
        let mut opened = verify(opened, target, &mut self.again)?;
        let count = opened.len();
        self.alive.append(&mut opened);
        self.alive.sort_unstable_by_key(|victim| key(victim.pid));
        // Some kernels list a process that has ended but for its burial: its
        // pidfd would wake the caller at once, again and again.
        self.sweep();
        Ok(count)
    }

    /// SIGKILL to those for whom there was no room, in turns, without keeping
    /// them open: the next listing shows who is still there.
    pub(super) fn kill_the_rest(&mut self, listing: &Procs, target: &Target) -> Result<(), Errno> {
        if self.alive.len() < AT_ONCE {
            return Ok(());
        }
        let strangers: Vec<Pid> = listing
            .pids()
            .iter()
            .copied()
            .filter(|pid| self.find(*pid).is_none())
            .collect();
        for turn in strangers.chunks(TURN) {
            let opened = open(turn.iter().copied(), target)?;
            for mut victim in verify(opened, target, &mut self.again)? {
                victim.send(Signal::KILL);
            }
        }
        Ok(())
    }

    /// Sends `signal` to each who has not had it or a stronger one; returns to
    /// how many.
    pub(super) fn send(&mut self, signal: Signal) -> usize {
        let level = if signal == Signal::KILL {
            Sent::Kill
        } else {
            Sent::Term
        };
        let mut count: usize = 0;
        for victim in &mut self.alive {
            if victim.sent < level && !victim.denied && victim.send(signal) {
                self.signalled = self.signalled.saturating_add(victim.first(level));
                count = count.saturating_add(1);
            }
        }
        count
    }

    /// Notes that the kernel has killed them all.
    pub(super) fn mark_killed(&mut self) {
        for victim in &mut self.alive {
            victim.denied = false;
            self.signalled = self.signalled.saturating_add(victim.first(Sent::Kill));
        }
    }

    pub(super) fn all_killed(&self) -> bool {
        let killed = |victim: &Victim| victim.sent == Sent::Kill || victim.denied;
        !self.alive.is_empty() && self.alive.iter().all(killed)
    }

    pub(super) fn release(&mut self, releaser: &Releaser) {
        for victim in &mut self.alive {
            if victim.sent == Sent::Kill && !victim.released {
                releaser.release(&victim.pidfd);
                victim.released = true;
            }
        }
    }

    pub(super) fn is_denied(&self, pid: Pid) -> bool {
        self.find(pid).is_some_and(|victim| victim.denied)
    }

    /// Whether the end of everyone listed will be told by a pidfd.
    pub(super) fn cover(&self, listing: &Procs) -> bool {
        !listing.has_hidden() && listing.pids().iter().all(|pid| self.find(*pid).is_some())
    }

    fn find(&self, pid: Pid) -> Option<&Victim> {
        let by_pid = |victim: &Victim| key(victim.pid);
        let at = self.alive.binary_search_by_key(&key(pid), by_pid);
        self.alive.get(at.ok()?)
    }
}

impl Victim {
    const fn new(pid: Pid, pidfd: OwnedFd) -> Self {
        Self {
            pid,
            pidfd,
            sent: Sent::Nothing,
            released: false,
            denied: false,
        }
    }

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

fn key(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}

/// Opens processes until there are no more descriptors; kernel threads, which
/// take no signal, are left alone.
fn open(pids: impl Iterator<Item = Pid>, target: &Target) -> Result<Vec<Victim>, Errno> {
    let mut opened = Vec::new();
    for pid in pids.filter(|pid| !target.proc().is_kernel_thread(*pid)) {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => opened.push(Victim::new(pid, pidfd)),
            // Ended, or only a thread by now.
            Err(Errno::SRCH | Errno::INVAL) => {}
            // What we have goes first; the others' turn comes.
            Err(Errno::MFILE | Errno::NFILE) if !opened.is_empty() => break,
            Err(errno) => return Err(errno),
        }
    }
    Ok(opened)
}

/// Keeps those who are still listed after they were opened: these, and no
/// others with the same numbers, are the pod's.
fn verify(
    mut opened: Vec<Victim>,
    target: &Target,
    again: &mut Procs,
) -> Result<Vec<Victim>, Errno> {
    let Some(members) = target.members().filter(|_| !opened.is_empty()) else {
        return Ok(Vec::new());
    };
    again.list(members)?;
    opened.retain(|victim| again.contains(victim.pid));
    Ok(opened)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::{Pid, Procs, Target, open, verify};
    use crate::testkit::{TestPod, v2};

    #[test]
    fn a_number_that_was_given_to_another_process_is_not_ours() {
        let hierarchies = v2();
        let mut pod = TestPod::new(&hierarchies);
        let ours = pod.run("", "echo ready; exec sleep 600");
        let mut other = Command::new("sleep").arg("600").spawn().unwrap();
        let stranger = Pid::from_child(&other);
        let target = Target::open(&hierarchies, Path::new("/proc"), &pod.path).unwrap();
        // As if the listing had shown both, and the second had been reused.
        let listed = [Pid::from_raw(ours).unwrap(), stranger];
        let opened = open(listed.into_iter(), &target).unwrap();
        assert_eq!(opened.len(), 2);
        let kept = verify(opened, &target, &mut Procs::default()).unwrap();
        let kept: Vec<_> = kept.iter().map(|victim| victim.pid).collect();
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(kept, [listed[0]]);
    }
}
