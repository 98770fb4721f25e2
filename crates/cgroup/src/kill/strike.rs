//! One pass of signals over a pod, and the end of its grace: SIGKILL, by the best means
//! that the kernel has.

use core::mem::take;

use evictd_node::Mono;
use evictd_node::kill::KillMethod;
use rustix::io::Errno;
use rustix::process::Signal;

use super::turn::{AT_ONCE, Turn};
use super::{Kill, Problem, ROUNDS, Scratch, Step};

/// Listings that showed a process that had not been killed yet, before a pod is frozen.
/// One that forks now and then never comes so far.
const ROUNDS_UNFROZEN: u32 = 3;

/// A process that holds less gives it back by itself in no time: of thousands the release
/// would only make more to do.
const LARGE: u64 = 8 << 20;

/// What came of a pass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pass {
    /// Whether any process has taken the signal.
    pub(super) any: bool,
    /// Whether the last listing showed nobody else.
    is_settled: bool,
}

impl Kill {
    /// SIGKILL first, whatever else is to be done: nothing frees memory sooner.
    pub(super) fn kill_all(&mut self, now: Mono) -> Result<(), Problem> {
        let listed = self.list();
        if let Err(problem @ Problem::Protected(_)) = listed {
            return Err(problem);
        }
        let by_kernel = self.target.kill_cgroups();
        if by_kernel {
            self.report.method = Some(KillMethod::CgroupKill);
            self.report.kill_sent.get_or_insert(now);
            let Scratch { listing, seen, .. } = &mut self.scratch;
            seen.add(listing.pids().iter().copied());
            self.report.processes = seen.len();
        }
        if !listed? {
            return Ok(());
        }
        let is_new = self.report.method != Some(KillMethod::Freezer);
        let may_freeze = is_new && self.target.has_freezer();
        let rounds = if may_freeze { ROUNDS_UNFROZEN } else { ROUNDS };
        let is_settled = self.kill_each(now, rounds)?;
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
            return Ok(());
        }
        self.set_deadline(now);
        let killed = match self.list() {
            Ok(true) => self.kill_each(now, ROUNDS).map(drop),
            listed => listed.map(drop),
        };
        self.target.thaw_all();
        killed
    }

    fn kill_each(&mut self, now: Mono, rounds: u32) -> Result<bool, Problem> {
        self.report.method.get_or_insert(KillMethod::Signals);
        let pass = self.strike(Signal::KILL, rounds)?;
        if pass.any {
            self.report.kill_sent.get_or_insert(now);
        }
        Ok(pass.is_settled)
    }

    /// One pass: a signal to all that are listed, and to those that have come meanwhile,
    /// until no listing shows anybody else, or so many have. SIGTERM is sent to nobody
    /// twice; SIGKILL is, when it is time to look: another process may have the number by
    /// then.
    pub(super) fn strike(&mut self, signal: Signal, rounds: u32) -> Result<Pass, Problem> {
        self.scratch.struck.clear();
        let mut turn = take(&mut self.scratch.turn);
        let pass = self.strike_in(signal, rounds, &mut turn);
        turn.clear();
        self.scratch.turn = turn;
        self.report.processes = self.scratch.seen.len();
        pass
    }

    fn strike_in(
        &mut self,
        signal: Signal,
        mut rounds: u32,
        turn: &mut Turn,
    ) -> Result<Pass, Problem> {
        let releases = signal == Signal::KILL && self.holds_much();
        let (mut pass, mut refused): (Pass, usize) = Default::default();
        while rounds > 0 {
            let Scratch {
                listing,
                struck,
                seen,
                ..
            } = &self.scratch;
            let again = signal == Signal::KILL && !self.is_told;
            turn.choose(listing, struck, (!again).then_some(seen));
            if turn.pids.is_empty() {
                pass.is_settled = true;
                break;
            }
            let mut is_short = turn.open(self.target.proc()).map_err(Problem::Kernel)?;
            // Those that are still listed while they are open, and no others that were given
            // their numbers, are the pod's.
            let mut listed = self.list();
            if let Err(Problem::Kernel(Errno::MFILE | Errno::NFILE)) = listed {
                turn.leave_room();
                (listed, is_short) = (self.list(), true);
            }
            listed?;
            // Those for whom a turn had no place, or no descriptor, are no newcomers: their turns
            // are of the same round.
            if !is_short && turn.pids.len() < AT_ONCE {
                rounds = rounds.saturating_sub(1);
            }
            self.scratch.struck.add(turn.pids.drain(..));
            // The releaser keeps a descriptor until its thread has used it: the next turn would
            // have fewer still.
            let releaser = self.releaser.as_ref().filter(|_| releases && !is_short);
            refused = refused.saturating_add(turn.send(signal, &self.scratch.listing, releaser));
            pass.any |= !turn.pids.is_empty();
            self.scratch.seen.add(turn.pids.drain(..));
        }
        let left = self.scratch.listing.pids().len();
        // Where every signal was refused and the kernel does not kill by itself, waiting for
        // these processes to end would never end.
        let by_kernel = self.report.method == Some(KillMethod::CgroupKill);
        if left > 0 && refused >= left && !by_kernel {
            return Err(Problem::Denied);
        }
        Ok(pass)
    }

    fn holds_much(&self) -> bool {
        let processes = u64::try_from(self.scratch.listing.pids().len()).unwrap_or(u64::MAX);
        let much = LARGE.saturating_mul(processes);
        self.target.memory_bytes().is_none_or(|held| held >= much)
    }
}
