//! The end of the grace: SIGKILL, by the best means that the kernel has.

use evictd_node::Mono;
use evictd_stats::Version;
use rustix::io::Errno;
use rustix::process::Signal;

use super::{Kill, KillMethod, Problem, Step};

/// Listings in one poll. A pod that forks faster than this is met again at the
/// next poll, after other work had its turn.
const ROUNDS: u32 = 16;

impl Kill {
    pub(super) fn begin_kill(&mut self, now: Mono) -> Result<(), Problem> {
        if !self.list(now)? {
            return Ok(());
        }
        if self.target.freeze() {
            self.report.method = Some(KillMethod::Freezer);
            let until = now + self.limits.freeze;
            self.step = Step::Freeze { until };
            return self.kill_frozen(now, until);
        }
        let until = now + self.limits.gone;
        self.step = Step::Kill { until };
        self.strike(now)
    }

    /// Once the pod is frozen, or has had its time to: SIGKILL to everyone and
    /// thaw, because a v1 freezer holds back even that.
    pub(super) fn kill_frozen(&mut self, now: Mono, until: Mono) -> Result<(), Problem> {
        if now < until && !self.target.is_frozen() {
            self.unwatched = true;
            return Ok(());
        }
        let until = now + self.limits.gone;
        self.step = Step::Kill { until };
        let struck = self.strike(now);
        self.target.thaw();
        struck?;
        if self.has_ended() {
            return Ok(());
        }
        self.strike(now)
    }

    /// SIGKILL to everyone, again until nobody new is there.
    pub(super) fn strike(&mut self, now: Mono) -> Result<(), Problem> {
        for _ in 0..ROUNDS {
            if !self.list(now)? {
                return Ok(());
            }
            let newcomers = self.recruit()?;
            if self.kill_once()? {
                self.report.kill_sent.get_or_insert(now);
            }
            self.count();
            self.check_denied()?;
            if newcomers == 0 {
                return Ok(());
            }
        }
        self.unwatched = true;
        Ok(())
    }

    /// Whether anything was done.
    fn kill_once(&mut self) -> Result<bool, Problem> {
        if self.victims.all_killed() && self.victims.cover(&self.listing) {
            return Ok(false);
        }
        let by_kernel = self.kill_cgroup()?;
        let acted = by_kernel || {
            let sent = self.victims.send(Signal::KILL);
            let rest = self.victims.kill_the_rest(&self.listing, &self.target);
            rest.map_err(Problem::Kernel)?;
            sent > 0
        };
        if by_kernel {
            self.report.method = Some(KillMethod::CgroupKill);
            self.victims.mark_killed();
        } else {
            self.report.method.get_or_insert(KillMethod::Signals);
        }
        if let Some(releaser) = &self.releaser {
            self.victims.release(releaser);
        }
        Ok(acted)
    }

    /// Writes `cgroup.kill`; false where there is none.
    fn kill_cgroup(&self) -> Result<bool, Problem> {
        if self.target.version() == Version::V1 {
            return Ok(false);
        }
        match self.target.kill_cgroup() {
            Ok(()) => Ok(true),
            // Before Linux 5.14, in a threaded cgroup, or removed meanwhile,
            // which the next listing shows.
            Err(Errno::NOENT | Errno::OPNOTSUPP | Errno::NODEV) => Ok(false),
            // A read-only mount, or a file that is not ours to write: signals
            // may still do.
            Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Ok(false),
            Err(errno) => Err(Problem::Kernel(errno)),
        }
    }

    /// Opens the processes that were listed and are not victims yet; returns
    /// how many there are.
    pub(super) fn recruit(&mut self) -> Result<usize, Problem> {
        self.victims
            .recruit(&self.listing, &self.target)
            .map_err(Problem::Kernel)
    }
}
