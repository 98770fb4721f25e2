//! The helper that ends pods: it may wait as long as a pod's grace.

use core::time::Duration;

use evictd_containers::{ContainerRuntime, Error, RuntimePod};
use evictd_engine::ports::News;
use evictd_node::Mono;
use evictd_stats::now;
use evictd_sys::Desk;

use super::backend::{Candidate, open_first};
use super::teller::Teller;

/// How long after a failure the runtime is asked to end a pod again: it may have
/// been started anew, and restart policies act then. And how often.
const AGAIN: Duration = Duration::from_secs(5);
const ATTEMPTS: u32 = 60;

/// A pod to be ended.
pub(super) struct End {
    pub(super) pod: RuntimePod,
    pub(super) grace: Duration,
    /// How often it was tried.
    pub(super) attempts: u32,
    /// Not before that.
    pub(super) not_before: Mono,
}

/// The helper's side.
pub(super) struct Ender {
    pub(super) desk: Desk<Vec<End>>,
    pub(super) candidate: Candidate,
    pub(super) teller: Teller,
    pub(super) runtime: Option<Box<dyn ContainerRuntime>>,
}

impl Ender {
    pub(super) fn run(mut self) {
        while let Some(mut end) = self.next_end() {
            let uid = end.pod.pod.metadata.uid.clone();
            let Err(error) = self.end(&end) else {
                self.teller.tell(News::Ended(uid));
                continue;
            };
            if end.attempts == 0 {
                let error = error.to_string();
                self.teller.tell(News::NotEnded { uid, error });
            }
            self.runtime = None;
            end.attempts += 1;
            end.grace = Duration::ZERO;
            end.not_before = now() + AGAIN;
            if end.attempts < ATTEMPTS {
                self.desk.show(|ends| ends.push(end));
            }
        }
    }

    /// The next pod to be ended; one that is tried again waits its time.
    fn next_end(&self) -> Option<End> {
        let take_due = |ends: &mut Vec<End>| {
            let now = now();
            let due = ends.iter().position(|end| end.not_before <= now)?;
            Some(ends.remove(due))
        };
        loop {
            let soonest = |ends: &mut Vec<End>| ends.iter().map(|end| end.not_before).min();
            let Some(soonest) = self.desk.show(soonest) else {
                return self.desk.next(take_due);
            };
            let end = self.desk.next_within(soonest.since(now()), take_due);
            if end.is_some() || self.desk.is_closing() {
                return end;
            }
        }
    }

    /// A runtime that does not even say its name is not trusted with a grace period:
    /// asking first makes a dead one known in time. Without one each millisecond counts, as
    /// its restart policy may act.
    fn end(&mut self, end: &End) -> Result<(), Error> {
        let runtime = match &mut self.runtime {
            Some(runtime) => {
                if !end.grace.is_zero() {
                    runtime.version()?;
                }
                runtime
            }
            none => none.insert(open_first(&self.candidate)?.0),
        };
        let uid = end.pod.pod.metadata.uid.clone();
        self.teller.tell(News::Ending(uid));
        runtime.end_pod(&end.pod, end.grace)
    }
}
