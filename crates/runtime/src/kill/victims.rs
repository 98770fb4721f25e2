use core::cmp::Reverse;

use evictd_kerntext::PidStat;
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
    /// What it held when it was opened, in pages.
    resident: u64,
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
    /// Places in `alive`, the largest process first.
    order: Vec<usize>,
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

    /// Opens who is listed and not here yet, as far as there is room.
    pub(super) fn recruit(&mut self, listing: &Procs, target: &Target) -> Result<(), Errno> {
        let room = AT_ONCE.saturating_sub(self.alive.len());
        let strangers = listing.pids().iter().copied();
        let strangers = strangers.filter(|pid| self.find(*pid).is_none());
        let opened = open(strangers.take(room), target)?;
        let mut opened = verify(opened, target, &mut self.again)?;
        if opened.is_empty() {
            return Ok(());
        }
        self.alive.append(&mut opened);
        self.alive.sort_unstable_by_key(|victim| key(victim.pid));
        // Some kernels list a process that has ended but for its burial: its
        // pidfd would wake the caller at once, again and again.
        self.sweep();
        Ok(())
    }

    /// Calls `each` for everyone, the largest process first: what it holds is
    /// worth most.
    fn each_by_size(&mut self, each: &mut dyn FnMut(&mut Victim)) {
        let Self { alive, order, .. } = self;
        let resident = |place: &usize| alive.get(*place).map_or(0, |victim| victim.resident);
        order.clear();
        order.extend(0..alive.len());
        order.sort_unstable_by_key(|place| Reverse(resident(place)));
        for place in order {
            alive.get_mut(*place).into_iter().for_each(&mut *each);
        }
    }

    /// SIGKILL to those for whom there was no room, in turns, without keeping
    /// them open: the next listing shows who is still there. Returns to how many.
    pub(super) fn kill_the_rest(
        &mut self,
        listing: &Procs,
        target: &Target,
    ) -> Result<usize, Errno> {
        let mut count: usize = 0;
        if self.alive.len() < AT_ONCE {
            return Ok(count);
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
                count = count.saturating_add(usize::from(victim.send(Signal::KILL)));
            }
        }
        Ok(count)
    }

    /// Sends `signal` to each who has not had it or a stronger one, to the largest
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

    /// Whether anyone who was sent SIGKILL has not ended: its memory may still be
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
        let by_pid = |victim: &Victim| key(victim.pid);
        let at = self.alive.binary_search_by_key(&key(pid), by_pid);
        self.alive.get(at.ok()?)
    }
}

impl Victim {
    const fn new(pid: Pid, pidfd: OwnedFd, resident: u64) -> Self {
        Self {
            pid,
            pidfd,
            resident,
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
    for pid in pids {
        let known = |stat: PidStat<'_>| (stat.is_kernel_thread(), stat.rss_pages);
        let (is_kernels, resident) = target.proc().stat(pid, known).unwrap_or_default();
        if is_kernels {
            continue;
        }
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => opened.push(Victim::new(pid, pidfd, resident)),
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

    use super::{Pid, Procs, Target, Victims, open, verify};
    use crate::testkit::{TestPod, v2};

    #[test]
    fn the_largest_comes_first() {
        let hierarchies = v2();
        let mut pod = TestPod::new(&hierarchies);
        let hold = |megabytes: u32| {
            let bytes = megabytes * 1_000_000;
            format!("x=$(head -c {bytes} /dev/zero | tr '\\0' x); echo ready; sleep 600")
        };
        let sizes = [1, 20, 5].map(|megabytes| (pod.run("", &hold(megabytes)), megabytes));
        let target = Target::open(&hierarchies, Path::new("/proc"), &pod.path).unwrap();
        let mut listing = Procs::default();
        listing.list(target.members().unwrap()).unwrap();
        let mut victims = Victims::default();
        victims.recruit(&listing, &target).unwrap();
        let mut order = Vec::new();
        victims.each_by_size(&mut |victim| order.push(super::key(victim.pid)));
        let place = |pid: i32| order.iter().position(|other| *other == pid).unwrap();
        let [small, large, middle] = sizes.map(|(pid, _)| place(pid));
        assert!(large < middle && middle < small, "{order:?} of {sizes:?}");
        assert_eq!(large, 0);
    }

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
