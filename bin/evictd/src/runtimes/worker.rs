use core::time::Duration;
use std::io;

use evictd_containers::{Error, Failure, RuntimePod};
use evictd_engine::ports::News;
use evictd_node::Mono;
use evictd_stats::now;
use evictd_sys::{Helper, HelperThread, Priority, write_only_below};
use rustix::io::Errno;

use super::backend::Candidate;
use super::ender::{End, Ender};
use super::lister::{Lister, Lists};
use super::teller::Teller;
use crate::gc::RuntimeCollector;

/// Answers are read as JSON, which nests.
const STACK_BYTES: usize = 512 * 1024;

/// A thread that reads a runtime's answers writes no file. Where the kernel has no Landlock
/// the daemon has said so.
fn confine() {
    let _ = write_only_below(&[]);
}

/// One runtime, seen from the loop. Ending a pod may take its whole grace, so it has a
/// helper of its own.
pub(super) struct Worker {
    endpoint: String,
    teller: Teller,
    pub(super) lists: Helper<Lists>,
    ends: Helper<Vec<End>>,
}

impl Worker {
    /// The runtime is not asked yet, and there are no threads.
    pub(super) fn new(candidate: Candidate, collector: RuntimeCollector, teller: Teller) -> Self {
        let thread = |name| HelperThread {
            name,
            stack_bytes: STACK_BYTES,
            priority: Priority::Usual,
        };
        let endpoint = candidate.endpoint();
        let (ends_at, told) = (candidate.clone(), teller.clone());
        let ends = Helper::new(thread("evictd-end"), Vec::new(), |desk| {
            confine();
            let ender = Ender {
                desk,
                candidate: ends_at,
                teller: told,
                runtime: None,
            };
            ender.run();
        });
        let told = teller.clone();
        let lists = Helper::new(thread("evictd-list"), Lists::default(), |desk| {
            confine();
            let lister = Lister {
                desk,
                candidate,
                collector,
                teller: told,
                runtime: None,
            };
            lister.run();
        });
        Self {
            endpoint,
            teller,
            lists,
            ends,
        }
    }

    /// Has all listed anew, without waiting for it. Makes the threads that are not there
    /// yet; with the process table full there may be none to have.
    pub(super) fn refresh(&self) {
        match self.lists.start().and_then(|()| self.ends.start()) {
            // One that has not answered the last time is not asked twice.
            Ok(()) => self.lists.change(|lists| lists.is_asked = true),
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&self, error: &io::Error) {
        let errno = Errno::from_io_error(error).unwrap_or(Errno::IO);
        let call = "connect: no thread to ask it with";
        let error = Error::new(&self.endpoint, call, Failure::NotReachable(errno));
        if self.lists.look(|lists| lists.fail(&error)) {
            self.teller.tell(News::Lost(error.to_string()));
        }
    }

    /// The same, unless the last answer is younger than that; returns whether it is.
    pub(super) fn freshen(&self, max_age: Duration, with_layers: bool) -> bool {
        let listed = self.lists.look(|lists| {
            lists.wants_layers |= with_layers;
            lists.listed
        });
        let is_fresh = listed.is_some_and(|listed| now().since(listed) < max_age);
        if !is_fresh {
            self.refresh();
        }
        is_fresh
    }

    /// Its endpoint, if it has said since the start what it holds.
    pub(super) fn answered(&self) -> Option<&str> {
        let has_listed = self.lists.look(|lists| lists.listed.is_some());
        has_listed.then_some(&self.endpoint)
    }

    /// Why it is not known what this runtime holds now.
    pub(super) fn doubt(&self) -> Option<String> {
        self.lists.look(|lists| match &lists.failure {
            _ if lists.is_foreign => None,
            Some(error) => Some(error.to_string()),
            None if lists.listed.is_none() => Some(format!(
                "{}: no answer yet: what it knows of pods is missing",
                self.endpoint
            )),
            None => None,
        })
    }

    pub(super) fn end(&self, pod: RuntimePod, grace: Duration) -> bool {
        self.ends.change(|ends| {
            ends.push(End {
                pod,
                grace,
                attempts: 0,
                not_before: Mono::ZERO,
            });
        });
        self.lists.look(|lists| lists.failure.is_none())
    }
}
