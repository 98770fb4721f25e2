use rustix::io::Errno;

use crate::Error;

/// A process and its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScoredProcess<'a> {
    /// The process id.
    pub pid: i32,
    /// The command's name: at most 15 bytes of anything.
    pub comm: &'a [u8],
    /// The child of the pod's cgroup that it is in; `None` for the pod's own.
    pub child: Option<&'a str>,
    /// The `oom_score_adj` that it had.
    pub present: i16,
    /// The one that it should have.
    pub wanted: i16,
    /// What was done.
    pub outcome: ScoreOutcome,
}

/// What was done about the score of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreOutcome {
    /// Nothing: it had it already.
    AsWanted,
    /// Nothing: it was only to be looked at.
    Differs,
    /// It was set.
    Set,
    /// The kernel refused: `EACCES` where lowering needs `CAP_SYS_RESOURCE`.
    Refused(Errno),
}

/// What one [`OomScores::apply`](super::OomScores::apply) did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScoreReport {
    /// How many processes got another score.
    pub set: usize,
    /// Of each pod what was refused, and was not the time before.
    pub refused: Vec<Refused>,
    /// Cgroups that could not be read.
    pub problems: Vec<Error>,
}

/// Processes of a pod that kept their score.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The pod, by its index.
    pub pod: usize,
    /// How many processes.
    pub processes: usize,
    /// The first one's score.
    pub present: i16,
    /// The score it should have.
    pub wanted: i16,
    /// What the kernel answered.
    pub errno: Errno,
}

impl ScoreReport {
    pub(super) fn count(&mut self, pod: usize, told: bool, process: &ScoredProcess<'_>) {
        match process.outcome {
            ScoreOutcome::AsWanted | ScoreOutcome::Differs => {}
            ScoreOutcome::Set => self.set = self.set.saturating_add(1),
            ScoreOutcome::Refused(_) if told => {}
            ScoreOutcome::Refused(errno) => match self.refused.last_mut() {
                Some(last) if last.pod == pod => {
                    last.processes = last.processes.saturating_add(1);
                }
                _ => self.refused.push(Refused {
                    pod,
                    processes: 1,
                    present: process.present,
                    wanted: process.wanted,
                    errno,
                }),
            },
        }
    }
}
