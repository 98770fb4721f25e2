use core::time::Duration;

use evictd_evict::{Evict, EvictState, FirstMet, Returns};
use evictd_gc::ImageRecords;
use evictd_node::{Condition, ConditionSet, Layout, Mono};

use crate::protected::Protected;
use crate::record::{HISTORY, Outcome, Record};
use crate::relief::{RELIEFS, Relief};

/// More time than that between two boots makes wall time implausible: a board
/// without a clock shows any time (failure F11).
const MOST_ELAPSED_SECONDS: u64 = 24 * 60 * 60;

/// The longest text that can be the id of a boot: a UUID has 36 characters.
pub(crate) const MOST_BOOT_ID: usize = 64;

/// A node condition, as it was last published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConditionState {
    /// Whether it holds.
    pub held: bool,
    /// Since when it holds or does not: seconds since 1970, for records only.
    pub since: Option<u64>,
    /// When it was last observed, on the clock of [`State::boot_id`]'s boot.
    pub last_observed: Option<Mono>,
}

/// All that outlives a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The boot on whose clock all [`Mono`] here count; empty where it is not
    /// known, which equals no boot.
    pub boot_id: String,
    /// When the state was last brought up to date.
    pub saved_at: Mono,
    /// That moment as wall time: seconds since 1970.
    pub wall_seconds: u64,
    /// The process id of the daemon, in its own namespace.
    pub daemon_pid: u32,
    /// Whether it only rehearses (`--dry-run`).
    pub dry_run: bool,
    /// How the filesystems lie.
    pub layout: Option<Layout>,
    /// The conditions, in the order of [`Condition::ALL`].
    pub conditions: [ConditionState; Condition::ALL.len()],
    /// Since when which thresholds are met.
    pub first_met: Vec<FirstMet>,
    /// How many evictions there were in all, those of dry runs not counted.
    pub evictions: u64,
    /// The last [`HISTORY`] of them, oldest first.
    pub history: Vec<Record>,
    /// What was given back of disks, the last [`RELIEFS`] times, oldest first.
    pub reliefs: Vec<Relief>,
    /// When the images of container runtimes were first detected and last used.
    pub images: ImageRecords,
    /// The cgroups whose pods are never evicted.
    pub protected: Protected,
}

impl State {
    /// Takes over what `evict` knows now.
    pub fn update(&mut self, now: Mono, wall_seconds: u64, evict: &Evict) {
        let EvictState {
            layout,
            first_met,
            last_observed,
        } = evict.state();
        let held = evict.conditions();
        for ((condition, state), last_observed) in Condition::ALL
            .into_iter()
            .zip(&mut self.conditions)
            .zip(last_observed)
        {
            if state.held != held.has(condition) || state.since.is_none() {
                state.since = Some(wall_seconds);
            }
            state.held = held.has(condition);
            state.last_observed = last_observed;
        }
        (self.layout, self.first_met) = (layout, first_met);
        (self.saved_at, self.wall_seconds) = (now, wall_seconds);
    }

    /// What a state machine is to be restored by at `now`
    /// ([`Evict::restore`]).
    ///
    /// A grace period runs on only if the daemon was away for no longer than it
    /// lasts: after that nobody knows whether the threshold was met all the time.
    #[must_use]
    pub fn evict_state(&self, now: Mono) -> EvictState {
        let away = now.since(self.saved_at).as_nanos();
        let runs_on = |of: &&FirstMet| i128::from(of.grace.nanos()).unsigned_abs() >= away;
        EvictState {
            layout: self.layout,
            first_met: self.first_met.iter().filter(runs_on).cloned().collect(),
            last_observed: self.conditions.map(|condition| condition.last_observed),
        }
    }

    /// The pods that were evicted of late, to find those that come back each time
    /// ([`Evict::restore_returns`]).
    #[must_use]
    pub fn returns(&self) -> Returns {
        let mut returns = Returns::default();
        let killed = self.history.iter();
        for record in killed.filter(|record| record.outcome == Outcome::Killed) {
            let gone = self.wall_seconds.saturating_sub(record.wall_seconds);
            let gone = Duration::from_secs(gone);
            if gone < Returns::WINDOW {
                let at = before(self.saved_at, gone);
                returns.note(at, &record.namespace, &record.name, record.signal);
            }
        }
        returns
    }

    /// Puts the state on the clock of this boot.
    ///
    /// In the same boot nothing changes. In another one, grace periods and protected
    /// cgroups are forgotten, and a condition is held on only if wall time makes it plausible
    /// that its `transition` period is not over: from 0 seconds to a day may lie
    /// between. What would lie before the boot counts from the boot, so it is
    /// held for at most one transition period of uptime.
    pub fn rebase(&mut self, boot_id: &str, now: Mono, wall_seconds: u64, transition: Duration) {
        let same = !boot_id.is_empty() && boot_id == self.boot_id;
        if same && self.saved_at <= now {
            return;
        }
        let elapsed = wall_seconds
            .checked_sub(self.wall_seconds)
            .filter(|seconds| *seconds <= MOST_ELAPSED_SECONDS)
            .map(Duration::from_secs);
        for condition in &mut self.conditions {
            let gone = condition
                .last_observed
                .zip(elapsed)
                .map(|(last, elapsed)| self.saved_at.since(last).saturating_add(elapsed))
                .filter(|gone| *gone < transition);
            condition.last_observed = gone.map(|gone| before(now, gone));
            if condition.held && gone.is_none() {
                (condition.held, condition.since) = (false, Some(wall_seconds));
            }
        }
        self.first_met.clear();
        self.layout = None;
        self.protected.clear();
        boot_id.clone_into(&mut self.boot_id);
        (self.saved_at, self.wall_seconds) = (now, wall_seconds);
    }

    /// Forgets what a dry run saw, where this one is none: it rehearses with any threshold,
    /// and nothing that is real begins with pressure because of it. The history keeps it.
    pub fn begin(&mut self, dry_run: bool) {
        if self.dry_run && !dry_run {
            self.conditions = Default::default();
            self.first_met.clear();
        }
        self.dry_run = dry_run;
    }

    /// How many evictions there were that the history no longer has.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        let kept = self.history.iter().filter(|of| of.outcome.is_eviction());
        let kept = u64::try_from(kept.count()).unwrap_or(u64::MAX);
        self.evictions.saturating_sub(kept)
    }

    /// The conditions that were published.
    #[must_use]
    pub fn held(&self) -> ConditionSet {
        self.conditions_where(|condition| condition.held)
    }

    /// The conditions that a daemon would still hold at `now` if it had observed
    /// none again.
    #[must_use]
    pub fn held_on(&self, now: Mono, transition: Duration) -> ConditionSet {
        let within = |last| now.since(last) < transition;
        self.conditions_where(|condition| condition.last_observed.is_some_and(within))
    }

    fn conditions_where(&self, holds: impl Fn(&ConditionState) -> bool) -> ConditionSet {
        let mut set = ConditionSet::empty();
        for (condition, state) in Condition::ALL.into_iter().zip(&self.conditions) {
            set.set(condition.set(), holds(state));
        }
        set
    }

    /// Notes what the kernel's own OOM killer did. Of a pod that it strikes again and again
    /// the last time is kept, so that no pod fills the history.
    pub fn push_oom_kill(&mut self, record: Record) {
        let is_same =
            |last: &mut Record| last.uid == record.uid && last.outcome == Outcome::OomKilled;
        let _ = self.history.pop_if(is_same);
        self.push(record);
    }

    /// Notes an eviction, and counts it if it is a real one; the oldest beyond [`HISTORY`]
    /// are dropped, and texts beyond 1 KiB cut.
    pub fn push(&mut self, mut record: Record) {
        record.cut();
        let counts = u64::from(record.outcome.is_eviction());
        let beyond = self.history.len().saturating_add(1).saturating_sub(HISTORY);
        self.history.drain(..beyond.min(self.history.len()));
        self.history.push(record);
        self.evictions = self.evictions.saturating_add(counts);
    }

    /// Notes what was given back of a disk; the oldest beyond [`RELIEFS`] are dropped. Returns
    /// whether it is an entry of its own, and was not added to the last one.
    pub fn push_relief(&mut self, relief: Relief) -> bool {
        if self
            .reliefs
            .last_mut()
            .is_some_and(|last| last.add(&relief))
        {
            return false;
        }
        let beyond = self.reliefs.len().saturating_add(1).saturating_sub(RELIEFS);
        self.reliefs.drain(..beyond.min(self.reliefs.len()));
        self.reliefs.push(relief);
        true
    }

    /// Notes these evictions, but for those that are noted.
    pub fn add_missing(&mut self, begun: Vec<Record>) {
        for record in begun {
            let is_it = |known: &Record| known.is_of_same_eviction(&record);
            if !self.history.iter().any(is_it) {
                self.push(record);
            }
        }
    }

    /// Notes what came of the latest eviction of that pod, if it is not noted
    /// yet. Returns whether there is one.
    pub fn end(&mut self, uid: &str, outcome: Outcome, method: &str, millis: Option<u64>) -> bool {
        let begun = |record: &&mut Record| record.uid == uid && record.outcome == Outcome::Begun;
        let Some(record) = self.history.iter_mut().rev().find(begun) else {
            return false;
        };
        record.outcome = outcome;
        method.clone_into(&mut record.method);
        record.millis = millis;
        true
    }
}

/// That long before `now`, or the boot.
fn before(now: Mono, gone: Duration) -> Mono {
    let gone = u64::try_from(gone.as_nanos()).unwrap_or(u64::MAX);
    Mono::from_nanos(now.as_nanos().saturating_sub(gone))
}
