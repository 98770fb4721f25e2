//! The end of the grace: SIGKILL, by the best means that the kernel has.

use evictd_node::Mono;
use rustix::process::Signal;

use super::{Kill, KillMethod, Problem, Scratch, Step};

/// Listings in one poll. A pod that forks faster than this is met again at the
/// next poll, after other work had its turn.
const ROUNDS: u32 = 16;

/// Listings that showed a process that had not been killed yet, before a pod is frozen.
/// One that forks now and then never comes so far.
const ROUNDS_UNFROZEN: u32 = 3;

impl Kill {
    pub(super) fn begin_kill(&mut self, now: Mono) -> Result<(), Problem> {
        let until = now + self.limits.gone;
        self.step = Step::Kill { until };
        self.kill_all(now)
    }

    /// SIGKILL first, whatever else is to be done: nothing frees memory sooner.
    pub(super) fn kill_all(&mut self, now: Mono) -> Result<(), Problem> {
        let is_new = self.report.method != Some(KillMethod::Freezer);
        let may_freeze = is_new && self.target.has_freezer();
        let rounds = if may_freeze { ROUNDS_UNFROZEN } else { ROUNDS };
        let is_settled = self.strike(now, rounds)?;
        if self.has_ended() {
            return Ok(());
        }
        if is_settled || !may_freeze || !self.target.freeze() {
            // Somebody else may have frozen it.
            self.target.thaw_all();
            return Ok(());
        }
        self.report.method = Some(KillMethod::Freezer);
        let until = now + self.limits.freeze;
        self.step = Step::Freeze { until };
        self.kill_frozen(now, until)
    }

    /// Once the pod is frozen, or has had its time to: SIGKILL to the processes that came
    /// meanwhile, and thaw, because a v1 freezer holds back even that.
    pub(super) fn kill_frozen(&mut self, now: Mono, until: Mono) -> Result<(), Problem> {
        if now < until && !self.target.is_frozen() {
            self.unwatched = true;
            return Ok(());
        }
        let until = now + self.limits.gone;
        self.step = Step::Kill { until };
        let struck = self.strike(now, ROUNDS);
        self.target.thaw_all();
        struck?;
        if self.has_ended() {
            return Ok(());
        }
        self.kill_all(now)
    }

    /// SIGKILL to all processes, again until none is left that has not had it, in so
    /// many rounds at most. Returns whether that is so.
    fn strike(&mut self, now: Mono, rounds: u32) -> Result<bool, Problem> {
        for _ in 0..rounds {
            if !self.list(now)? {
                return Ok(true);
            }
            self.recruit()?;
            let killed = self.kill_once(now)?;
            self.count();
            self.check_denied()?;
            if killed == 0 {
                return Ok(true);
            }
        }
        self.unwatched = true;
        Ok(false)
    }

    /// One round. Returns how many were killed that had not been before, as far as
    /// they are watched.
    fn kill_once(&mut self, now: Mono) -> Result<usize, Problem> {
        if self.scratch.victims.all_killed() && self.scratch.victims.cover(&self.scratch.listing) {
            return Ok(0);
        }
        let by_kernel = self.target.kill_cgroups().map_err(Problem::Kernel)?;
        let killed = if by_kernel {
            self.report.method = Some(KillMethod::CgroupKill);
            self.scratch.victims.mark_killed()
        } else {
            self.report.method.get_or_insert(KillMethod::Signals);
            let sent = self.scratch.victims.send(Signal::KILL);
            let Scratch { victims, listing } = &mut self.scratch;
            let rest = victims.kill_the_rest(listing, &self.target);
            sent.saturating_add(rest.map_err(Problem::Kernel)?)
        };
        if by_kernel || killed > 0 {
            self.report.kill_sent.get_or_insert(now);
        }
        if let Some(releaser) = &self.releaser {
            self.scratch.victims.release(releaser);
        }
        Ok(killed)
    }

    /// Opens the processes that were listed and are not victims yet.
    pub(super) fn recruit(&mut self) -> Result<(), Problem> {
        let Scratch { victims, listing } = &mut self.scratch;
        victims
            .recruit(listing, &self.target)
            .map_err(Problem::Kernel)
    }
}
