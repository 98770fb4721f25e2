//! `oom_score_adj` of the pods' processes.
//!
//! How soon a process has its score: `fork` copies the parent's, so what a
//! process of a pod starts has it from its first instruction on. Only a process
//! that enters the pod's cgroup from outside, as the pod's first one does, is
//! without until the next [`OomScores::apply`].
//!
//! The races, before the code:
//!
//! * A pid is listed, its process ends, and another process gets the number
//!   (F21). So `/proc/PID` is opened first, then the cgroup is listed again:
//!   what is still listed is the process that the open directory belongs to,
//!   and what is read and written goes through that directory. Once its process
//!   has ended, that fails with `ESRCH`, whichever process has the number by then.
//! * A process ends at any moment: it costs nothing.

mod process;
mod report;
#[cfg(test)]
mod tests;

use core::ops::ControlFlow;
use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_node::Mono;
use evictd_stats::{Hierarchies, is_gone};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::dir::{by_rank, each_child, open_dir};
use crate::process::Proc;
use crate::procs::{Procs, read_procs};
use crate::{Error, FoundPod};

pub use report::{Refused, ScoreOutcome, ScoreReport, ScoredProcess};

/// How long an unchanged pod is believed to have its scores: a process may
/// change its own.
const BELIEVED: Duration = Duration::from_secs(60);

/// Processes that are open at once.
const TURN: usize = 64;

/// The score of a pod's processes that are in the child cgroup of that name, or
/// right in the pod's own. It must lie in −1000 to 1000.
pub type ScoreOf<'a> = &'a mut dyn FnMut(&FoundPod, Option<&str>) -> i16;

/// Keeps the processes of pods at their `oom_score_adj`.
///
/// It touches nothing but processes in the cgroups of the pods that it is given,
/// and of these neither kernel threads nor evictd, its ancestors and process 1.
#[derive(Debug)]
pub struct OomScores {
    hierarchies: Hierarchies,
    proc: Proc,
    known: Vec<Known>,
    protected: Vec<Pid>,
    again: Procs,
    text: Vec<u8>,
    comm: Vec<u8>,
}

/// A pod as it was left.
#[derive(Debug)]
struct Known {
    cgroup: PathBuf,
    checked: Mono,
    members: Vec<Member>,
}

/// A process of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    pid: Pid,
    /// Which of the pod's children it is in, from 1; 0 for the pod's own cgroup.
    child: usize,
    wanted: i16,
    /// The kernel did not let us: told already.
    refused: bool,
}

impl Member {
    const fn key(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    fn same(&self, other: &Self) -> bool {
        self.pid == other.pid && self.wanted == other.wanted
    }
}

/// The processes of a pod, sorted by pid, and the names of its children.
#[derive(Debug, Default)]
struct Members {
    children: Vec<String>,
    list: Vec<Member>,
}

impl OomScores {
    /// Opens `proc`. Nothing is touched yet.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    pub fn new(hierarchies: Hierarchies, proc: &Path) -> Result<Self, Error> {
        let opened = Proc::open(proc).map_err(|errno| Error {
            path: proc.to_path_buf(),
            errno,
        })?;
        Ok(Self {
            hierarchies,
            proc: opened,
            known: Vec::new(),
            protected: Vec::new(),
            again: Procs::default(),
            text: Vec::new(),
            comm: Vec::new(),
        })
    }

    /// Sets what is not as `score` wants it.
    ///
    /// Made to be called often: of a pod whose processes and scores are those of
    /// the last call only the cgroups are listed; each minute its scores are
    /// looked at again. What the kernel refused is tried again then, and
    /// reported once.
    pub fn apply(&mut self, now: Mono, pods: &[FoundPod], score: ScoreOf<'_>) -> ScoreReport {
        let mut report = ScoreReport::default();
        self.known.retain(|known| {
            pods.iter()
                .flat_map(FoundPod::cgroups)
                .any(|cgroup| *cgroup == *known.cgroup)
        });
        self.protected.clear();
        for (index, pod) in pods.iter().enumerate() {
            for cgroup in pod.cgroups() {
                let of = (index, pod, cgroup);
                if let Err(errno) = self.apply_to(now, of, score, &mut report) {
                    let path = cgroup.to_path_buf();
                    report.problems.push(Error { path, errno });
                }
            }
        }
        report
    }

    /// Calls `visit` with every process of a pod, after setting its score if
    /// `set`.
    ///
    /// # Errors
    ///
    /// When the pod's cgroup cannot be read. One that is gone has no processes.
    pub fn visit(
        &mut self,
        pod: &FoundPod,
        set: bool,
        score: ScoreOf<'_>,
        visit: &mut dyn FnMut(&ScoredProcess<'_>),
    ) -> Result<(), Error> {
        for cgroup in pod.cgroups() {
            self.visit_cgroup((pod, cgroup), set, score, visit)
                .map_err(|errno| Error {
                    path: cgroup.to_path_buf(),
                    errno,
                })?;
        }
        Ok(())
    }

    fn visit_cgroup(
        &mut self,
        (pod, cgroup): (&FoundPod, &Path),
        set: bool,
        score: ScoreOf<'_>,
        visit: &mut dyn FnMut(&ScoredProcess<'_>),
    ) -> Result<(), Errno> {
        self.protected.clear();
        let Some(dir) = self.open(cgroup)? else {
            return Ok(());
        };
        let members = self.list(dir.as_fd(), pod, score)?;
        self.each(dir.as_fd(), &members.list, set, &mut |member, process| {
            let child = member.child.checked_sub(1);
            let child = child.and_then(|at| members.children.get(at));
            visit(&ScoredProcess {
                child: child.map(String::as_str),
                ..process
            });
        })
    }

    fn apply_to(
        &mut self,
        now: Mono,
        (index, pod, cgroup): (usize, &FoundPod, &Path),
        score: ScoreOf<'_>,
        report: &mut ScoreReport,
    ) -> Result<(), Errno> {
        let Some(dir) = self.open(cgroup)? else {
            return Ok(());
        };
        let mut members = self.list(dir.as_fd(), pod, score)?.list;
        let place = self.known.iter().position(|old| old.cgroup == *cgroup);
        let old = place.map(|place| self.known.swap_remove(place));
        let believed = old.as_ref().filter(|old| now < old.checked + BELIEVED);
        let checked = believed.map_or(now, |old| old.checked);
        let before = |member: &Member| {
            let known = &old.as_ref()?.members;
            let at = known
                .binary_search_by_key(&member.key(), Member::key)
                .ok()?;
            known.get(at).filter(|old| old.same(member))
        };
        for member in &mut members {
            member.refused = before(member).is_some_and(|old| old.refused);
        }
        let is_due = |member: &&Member| believed.is_none() || before(member).is_none();
        let due: Vec<Member> = members.iter().filter(is_due).copied().collect();
        let done = self.each(dir.as_fd(), &due, true, &mut |member, process| {
            report.count(index, member.refused, &process);
            let at = members.binary_search_by_key(&member.key(), Member::key);
            if let Some(member) = at.ok().and_then(|at| members.get_mut(at)) {
                member.refused = matches!(process.outcome, ScoreOutcome::Refused(_));
            }
        });
        // Where something failed, all of the pod is looked at again.
        if done.is_ok() {
            let cgroup = cgroup.to_path_buf();
            self.known.push(Known {
                cgroup,
                checked,
                members,
            });
        }
        done
    }

    /// A cgroup in the first hierarchy that has it.
    fn open(&self, cgroup: &Path) -> Result<Option<OwnedFd>, Errno> {
        for hierarchy in by_rank(&self.hierarchies) {
            if let Some(dir) = hierarchy.open(cgroup)? {
                return Ok(Some(dir));
            }
        }
        Ok(None)
    }

    fn list(
        &mut self,
        dir: BorrowedFd<'_>,
        pod: &FoundPod,
        score: ScoreOf<'_>,
    ) -> Result<Members, Errno> {
        let mut members = Members::default();
        let wanted = score(pod, None);
        read_procs(dir, &mut self.text)?;
        for pid in evictd_kerntext::pids(&self.text).flatten() {
            members.add(Pid::from_raw(pid), wanted);
        }
        let again = &mut self.again;
        let listed = each_child(dir, &mut |name| {
            let child = match open_dir(dir, name) {
                Ok(child) => child,
                Err(errno) if is_gone(errno) => return Ok(ControlFlow::Continue(())),
                Err(errno) => return Err(errno),
            };
            again.list([child.as_fd()])?;
            let name = name.to_string_lossy().into_owned();
            let wanted = score(pod, Some(&name));
            members.children.push(name);
            for pid in again.pids() {
                members.add(Some(*pid), wanted);
            }
            Ok(ControlFlow::Continue(()))
        });
        match listed {
            Err(errno) if !is_gone(errno) => return Err(errno),
            _ => {}
        }
        members.list.sort_unstable_by_key(Member::key);
        members.list.dedup_by_key(|member| member.key());
        Ok(members)
    }

    /// Looks at those of `members` that are still in the cgroup.
    fn each(
        &mut self,
        dir: BorrowedFd<'_>,
        members: &[Member],
        set: bool,
        visit: &mut dyn FnMut(&Member, ScoredProcess<'_>),
    ) -> Result<(), Errno> {
        if self.protected.is_empty() && !members.is_empty() {
            self.protected = self.proc.protected();
        }
        for turn in members.chunks(TURN) {
            let mut opened = Vec::new();
            for member in turn {
                if !self.protected.contains(&member.pid)
                    && let Some(process) = process::open(&self.proc, member.key())?
                {
                    opened.push((member, process));
                }
            }
            self.again.list([dir])?;
            opened.retain(|(member, _)| self.again.contains(member.pid));
            for (member, process) in opened {
                let of = (member.key(), member.wanted);
                let buffers = (&mut self.text, &mut self.comm);
                match process::adjust(process.as_fd(), of, set, buffers) {
                    Ok(process) => visit(member, process),
                    Err(errno) if is_gone(errno) => {}
                    Err(errno) => return Err(errno),
                }
            }
        }
        Ok(())
    }
}

impl Members {
    fn add(&mut self, pid: Option<Pid>, wanted: i16) {
        // What lies outside our pid namespace has no number here.
        let child = self.children.len();
        self.list.extend(pid.map(|pid| Member {
            pid,
            child,
            wanted,
            refused: false,
        }));
    }
}
