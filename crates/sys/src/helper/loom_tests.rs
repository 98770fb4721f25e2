//! What has to hold in every order in which the loop and the helper may run: `ci/loom`.
//! A call that is lost shows as a deadlock.

use core::time::Duration;

use super::{Helper, HelperThread, Writes};
use crate::Priority;

/// What a helper is made of: loom's parts in the place of the standard library's, so that
/// every order is tried in which threads may run.
pub(super) mod sync {
    pub(in crate::helper) use loom::sync::atomic::AtomicBool;
    pub(in crate::helper) use loom::sync::{Arc, Mutex, MutexGuard};
    pub(in crate::helper) use loom::thread::Builder;

    pub(in crate::helper) use super::with_loops::Condvar;
}

/// Loom's condition variable lacks the waits with a loop in them.
mod with_loops {
    use core::time::Duration;
    use std::sync::LockResult;

    use loom::sync::MutexGuard;

    pub(in crate::helper) struct Condvar(loom::sync::Condvar);

    impl Condvar {
        pub(in crate::helper) fn new() -> Self {
            Self(loom::sync::Condvar::new())
        }

        pub(in crate::helper) fn notify_one(&self) {
            self.0.notify_one();
        }

        pub(in crate::helper) fn notify_all(&self) {
            self.0.notify_all();
        }

        pub(in crate::helper) fn wait_while<'a, T>(
            &self,
            mut guard: MutexGuard<'a, T>,
            mut waits: impl FnMut(&mut T) -> bool,
        ) -> LockResult<MutexGuard<'a, T>> {
            while waits(&mut guard) {
                guard = self.0.wait(guard)?;
            }
            Ok(guard)
        }

        /// No time passes in a model: whoever waits for what never comes is reported
        /// as a deadlock.
        pub(in crate::helper) fn wait_timeout_while<'a, T>(
            &self,
            guard: MutexGuard<'a, T>,
            at_most: Duration,
            waits: impl FnMut(&mut T) -> bool,
        ) -> LockResult<(MutexGuard<'a, T>, Duration)> {
            match self.wait_while(guard, waits) {
                Ok(guard) => Ok((guard, at_most)),
                Err(poisoned) => Err(std::sync::PoisonError::new((
                    poisoned.into_inner(),
                    at_most,
                ))),
            }
        }
    }
}

const THREAD: HelperThread = HelperThread {
    name: "loom",
    stack_bytes: 0x10000,
    priority: Priority::Usual,
    writes: Writes::Nowhere,
};

/// No time passes in a model.
const EVER: Duration = Duration::ZERO;

#[derive(Default)]
struct State {
    /// One slot: the latest wins.
    job: Option<u32>,
    done: Vec<u32>,
}

fn helper() -> Helper<State> {
    Helper::new(THREAD, State::default(), |desk| {
        while let Some(job) = desk.next(|state: &mut State| state.job.take()) {
            desk.show(|state| state.done.push(job));
        }
    })
}

#[test]
fn a_job_is_done_once_whether_the_thread_is_there_or_not() {
    loom::model(|| {
        let helper = helper();
        helper.change(|state| state.job = Some(1));
        helper.start().unwrap();
        assert!(helper.wait_until(EVER, |state| !state.done.is_empty()));
        helper.change(|state| state.job = Some(2));
        assert!(helper.wait_until(EVER, |state| state.done.len() == 2));
        assert_eq!(helper.look(|state| state.done.clone()), [1, 2]);
    });
}

#[test]
fn the_latest_job_is_always_the_last_that_is_done() {
    loom::model(|| {
        let helper = helper();
        helper.start().unwrap();
        for job in 1..4 {
            helper.change(|state| state.job = Some(job));
        }
        assert!(helper.close(EVER));
        let done = helper.look(|state| state.done.clone());
        assert_eq!(done.last(), Some(&3), "{done:?}");
        assert!(done.is_sorted(), "{done:?}");
    });
}

/// Loom fails a model in which the thread does not end.
#[test]
fn a_helper_that_is_dropped_finishes_and_ends() {
    loom::model(|| {
        let (report, reported) = loom::sync::mpsc::channel();
        let helper = Helper::new(THREAD, None, move |desk| {
            while let Some(job) = desk.next(Option::<u32>::take) {
                report.send(job).unwrap();
            }
        });
        helper.start().unwrap();
        helper.change(|job| *job = Some(7));
        drop(helper);
        assert_eq!(reported.recv(), Ok(7));
    });
}

/// As the disk scanner does: what could not be handed over is handed over the next time,
/// and nobody waits for the helper.
#[test]
fn whoever_only_tries_to_look_loses_no_job() {
    loom::model(|| {
        let helper = helper();
        helper.start().unwrap();
        let is_handed = helper.try_look(|state| state.job = Some(1)).is_some();
        if !is_handed {
            helper.look(|state| state.job = Some(1));
        }
        helper.wake();
        assert!(helper.wait_until(EVER, |state| state.done == [1]));
    });
}

/// Whoever is called while it is at work hears of it, whatever it was about to do.
#[test]
fn a_call_during_a_job_is_heard() {
    loom::model(|| {
        let (report, called) = loom::sync::mpsc::channel();
        let helper = Helper::new(THREAD, State::default(), move |desk| {
            let mut take = |state: &mut State| state.job.take();
            let mut jobs = vec![desk.next(&mut take)];
            called.recv().unwrap();
            if jobs != [Some(2)] {
                assert!(desk.is_called(), "{jobs:?}");
                jobs.push(desk.next(&mut take));
            }
            desk.show(|state| state.done.extend(jobs.into_iter().flatten()));
        });
        helper.start().unwrap();
        for job in [1, 2] {
            helper.change(|state| state.job = Some(job));
        }
        report.send(()).unwrap();
        assert!(helper.wait_until(EVER, |state| state.done.last() == Some(&2)));
    });
}
