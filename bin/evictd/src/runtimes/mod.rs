//! The container runtimes of this node, behind threads of their own.
//!
//! A runtime may hang, restart, or take minutes over an image. So nobody on the
//! daemon's loop ever talks to one: each has a thread that lists and collects, and
//! one that ends pods. The loop hands over jobs, and is rung when there is news.

mod backend;
mod bell;
mod job;
mod worker;

use alloc::sync::Arc;
use core::time::Duration;
use std::os::fd::BorrowedFd;

use evictd_config::Resolved;
use evictd_runtime::{RuntimeListing, RuntimePod};

pub(crate) use backend::{Candidate, candidates, open_first};
use bell::Bell;
pub(crate) use job::{CollectJob, News};
use worker::Worker;

/// All container runtimes of this node; there may be none.
#[derive(Default)]
pub(crate) struct Runtimes {
    workers: Vec<Worker>,
    bell: Option<Bell>,
}

impl Runtimes {
    /// Starts the threads for the endpoints that were named, or for those whose
    /// sockets exist. Nobody has been asked anything when this returns.
    ///
    /// # Errors
    /// When the kernel gives no thread.
    pub(crate) fn start(settings: &Resolved) -> Result<Self, String> {
        let candidates = candidates(settings);
        if candidates.is_empty() {
            return Ok(Self::default());
        }
        let text = |error: std::io::Error| format!("container runtime: {error}");
        let bell = Bell::new().map_err(text)?;
        let mut workers = Vec::new();
        for candidate in candidates {
            workers.push(Worker::start(candidate, bell.rope().map_err(text)?).map_err(text)?);
        }
        Ok(Self {
            workers,
            bell: Some(bell),
        })
    }

    /// Whether there is none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.workers.is_empty()
    }

    /// Readable when there is news.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.bell.as_ref().map(Bell::descriptor)
    }

    /// Has pods and containers listed anew, without waiting for it.
    pub(crate) fn refresh(&self) {
        self.workers.iter().for_each(Worker::refresh);
    }

    /// Waits until every runtime has answered the last [`Runtimes::refresh`], well
    /// or not, that long at most.
    pub(crate) fn wait(&self, at_most: Duration) {
        let begun = std::time::Instant::now();
        for worker in &self.workers {
            worker.wait(at_most.saturating_sub(begun.elapsed()));
        }
    }

    /// What each runtime holds, as it last said in full.
    pub(crate) fn listings(&self) -> Vec<Arc<RuntimeListing>> {
        self.workers.iter().map(Worker::listing).collect()
    }

    /// Those of whom it is not known for sure what they hold now.
    pub(crate) fn unknown(&self) -> Vec<String> {
        self.workers.iter().filter_map(Worker::doubt).collect()
    }

    /// Has a pod ended; answers whether its runtime is expected to do so soon.
    pub(crate) fn end(&self, runtime: usize, pod: RuntimePod, grace: Duration) -> bool {
        self.workers
            .get(runtime)
            .is_some_and(|worker| worker.end(pod, grace))
    }

    /// Has every runtime collect; answers how many were asked. Each answers by
    /// [`News::Collected`].
    pub(crate) fn collect(&self, job: &CollectJob) -> usize {
        self.workers
            .iter()
            .filter(|worker| worker.collect(job.clone()))
            .count()
    }

    /// What has come in since the last call.
    pub(crate) fn news(&mut self) -> Vec<News> {
        if let Some(bell) = &mut self.bell {
            bell.silence();
        }
        self.workers.iter().flat_map(Worker::news).collect()
    }
}
