//! Deleting what dead pods left, on a thread of its own: it takes as long as it takes, and
//! the loop waits for no disk.

use core::mem::take;
use core::time::Duration;
use std::os::fd::{AsFd, BorrowedFd};

use evictd_cgroup::Freed;
use evictd_engine::Fields;
use evictd_engine::ports;
use evictd_engine::ports::Deletion;
use evictd_node::{Amount, Mono};
use evictd_pods::Pods;
use evictd_stats::now;
use evictd_sys::{Bell, Desk, Helper, HelperThread, Priority, Writes};

use super::collect::{Chosen, Collected, Collector, Found};
use crate::confined::no_thread;

const THREAD: HelperThread = HelperThread {
    name: "leftovers",
    stack_bytes: 128 << 10,
    priority: Priority::Usual,
    writes: Writes::WhereItSays,
};

/// How often it is told how far a deletion has come.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// A deletion that has not moved on for so long is waited for no more: its disk does not
/// answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long manifests are waited for before it is said that nothing is deleted.
const MANIFESTS_WAIT: Duration = Duration::from_secs(5);

/// How often the thread looks at the time: once in so many files.
const STEP: u64 = 64;

/// Deletes what dead pods left in the directories that were named.
pub struct Cleaner {
    collector: Collector,
    dry_run: bool,
    helper: Helper<State>,
    bell: Bell,
    under_way: Option<UnderWay>,
}

/// A deletion that is waited for.
#[derive(Default)]
struct UnderWay {
    /// Uids of pods that were evicted.
    ended: Vec<String>,
    /// How far it was when it was last looked at, and when that changed.
    deleted: u64,
    moved_at: Option<Mono>,
    told_at: Option<Mono>,
    /// Since when manifests are waited for.
    waits_since: Option<Mono>,
}

#[derive(Default)]
struct State {
    task: Option<Task>,
    /// The thread is at a task, or has one before it.
    is_busy: bool,
    answer: Option<Answer>,
    deleted: u64,
}

enum Task {
    List(Collector),
    Delete(Chosen),
    /// What the pod with that uid left in memory.
    Empty(Collector, String),
}

enum Answer {
    Listed(Result<Found, String>),
    Deleted(Result<Collected, String>),
    Emptied(Result<Freed, String>),
}

impl Cleaner {
    /// # Errors
    /// When the kernel gives no descriptor.
    pub fn new(collector: Collector, dry_run: bool) -> Result<Self, String> {
        let bell = Bell::new().map_err(|error| format!("leftovers: {error}"))?;
        let ring = bell.clone();
        let run = move |desk: Desk<State>| work(&desk, &ring);
        Ok(Self {
            collector,
            dry_run,
            helper: Helper::new(THREAD, State::default(), run),
            bell,
            under_way: None,
        })
    }

    /// Readable when there is something to poll for.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Begins to list, and then to delete.
    ///
    /// # Errors
    /// Without a thread, or where the last deletion hangs.
    pub fn begin(&mut self, ended: &[String]) -> Result<(), String> {
        self.begin_task(Task::List(self.collector.clone()), ended)
    }

    /// Begins to empty what a pod that was evicted left in memory.
    ///
    /// # Errors
    /// As [`Cleaner::begin`].
    pub fn begin_emptying(&mut self, uid: &str) -> Result<(), String> {
        if self.dry_run {
            return Ok(());
        }
        self.begin_task(Task::Empty(self.collector.clone(), uid.to_owned()), &[])
    }

    fn begin_task(&mut self, task: Task, ended: &[String]) -> Result<(), String> {
        self.helper.start().map_err(no_thread)?;
        if self.helper.look(|state| state.is_busy) {
            return Err(String::from(
                "what dead pods left is still being deleted, on a disk that does not answer",
            ));
        }
        self.hand_over(task);
        self.under_way = Some(UnderWay {
            ended: ended.to_vec(),
            ..UnderWay::default()
        });
        Ok(())
    }

    fn hand_over(&self, task: Task) {
        self.helper.change(|state| {
            state.task = Some(task);
            (state.is_busy, state.deleted) = (true, 0);
        });
    }

    /// How it goes; never waits.
    pub fn poll(&mut self, now: Mono, pods: &mut Pods) -> Deletion {
        let Some(under_way) = &mut self.under_way else {
            return Deletion::Nothing;
        };
        self.bell.silence();
        let (answer, deleted) = self.helper.look(|s| (s.answer.take(), s.deleted));
        let done = match answer {
            None => match under_way.progress(now, deleted) {
                Deletion::Done(done) => done,
                goes_on @ (Deletion::Nothing | Deletion::GoesOn(_)) => return goes_on,
            },
            Some(Answer::Listed(found)) => {
                let ended: Vec<&str> = under_way.ended.iter().map(String::as_str).collect();
                let chosen = found.and_then(|found| self.collector.choose(pods, found, &ended));
                // For manifests that are a little late no pod is evicted in place of what is
                // left.
                if chosen.is_err() && pods.awaits_manifests() && under_way.may_wait(now) {
                    self.hand_over(Task::List(self.collector.clone()));
                    return Deletion::Nothing;
                }
                match chosen {
                    Ok(chosen) if !self.dry_run && !chosen.is_empty() => {
                        self.hand_over(Task::Delete(chosen));
                        return Deletion::Nothing;
                    }
                    chosen => chosen.map(|chosen| in_words(&chosen.look())),
                }
            }
            Some(Answer::Deleted(collected)) => collected.map(|done| in_words(&done)),
            Some(Answer::Emptied(emptied)) => emptied.map(|freed| memory_in_words(&freed)),
        };
        self.under_way = None;
        Deletion::Done(done)
    }
}

impl UnderWay {
    /// Whether manifests may be waited for.
    fn may_wait(&mut self, now: Mono) -> bool {
        now.since(*self.waits_since.get_or_insert(now)) < MANIFESTS_WAIT
    }

    fn progress(&mut self, now: Mono, deleted: u64) -> Deletion {
        if deleted != take(&mut self.deleted) {
            self.moved_at = Some(now);
        }
        self.deleted = deleted;
        let idle = now.since(*self.moved_at.get_or_insert(now));
        if idle >= PATIENCE {
            let seconds = idle.as_secs();
            return Deletion::Done(Err(format!(
                "deleting what dead pods left has not moved on for {seconds} s after {deleted} \
                 files: its disk does not answer, and it is waited for no more"
            )));
        }
        if now.since(*self.told_at.get_or_insert(now)) < TELL_EVERY {
            return Deletion::Nothing;
        }
        self.told_at = Some(now);
        Deletion::GoesOn(deleted)
    }
}

/// What the thread does.
fn work(desk: &Desk<State>, bell: &Bell) {
    while let Some(task) = desk.next(|state| state.task.take()) {
        let answer = match task {
            Task::List(collector) => Answer::Listed(collector.list()),
            Task::Delete(chosen) => Answer::Deleted(delete(chosen, desk, bell)),
            Task::Empty(collector, uid) => Answer::Emptied(collector.empty_memory(&uid)),
        };
        desk.show(|state| (state.answer, state.is_busy) = (Some(answer), false));
        bell.ring();
    }
}

fn delete(chosen: Chosen, desk: &Desk<State>, bell: &Bell) -> Result<Collected, String> {
    let mut told_at = now();
    chosen.delete(&mut |deleted| {
        if !deleted.is_multiple_of(STEP) {
            return true;
        }
        desk.show(|state| state.deleted = deleted);
        if now().since(told_at) >= TELL_EVERY {
            told_at = now();
            bell.ring();
        }
        !desk.is_closing()
    })
}

fn memory_in_words(freed: &Freed) -> ports::Collected {
    let (deleted, bytes) = (freed.deleted, freed.bytes);
    if deleted == 0 {
        return ports::Collected::default();
    }
    ports::Collected {
        removed: usize::try_from(deleted).unwrap_or(usize::MAX),
        text: format!(
            "deleted {deleted} files that the evicted pod left in memory: {} freed",
            Amount::bytes(bytes)
        ),
        fields: Fields::default()
            .with("leftovers", deleted)
            .with("freedBytes", bytes),
    }
}

fn in_words(collected: &Collected) -> ports::Collected {
    if collected.is_empty() {
        return ports::Collected::default();
    }
    ports::Collected {
        removed: usize::try_from(collected.freed.deleted).unwrap_or(usize::MAX),
        text: collected.summary(),
        fields: Fields::default()
            .with("leftovers", collected.freed.deleted)
            .with("freedBytes", collected.freed.bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_waited_for_five_seconds_from_the_first_look() {
        let mut under_way = UnderWay::default();
        for (millis, may_wait) in [
            (100_000, true),
            (104_999, true),
            (105_000, false),
            (110_000, false),
        ] {
            assert_eq!(
                under_way.may_wait(Mono::from_millis(millis)),
                may_wait,
                "{millis}"
            );
        }
    }
}
