//! The helper that lists what a runtime holds, and collects what is left there.

mod hands;
mod lists;

use alloc::sync::Arc;

use evictd_containers::{ContainerRuntime, Error};
use evictd_engine::ports::{Job, News};
use evictd_sys::Desk;

use super::backend::{Candidate, open_first};
use super::collecting::Collecting;
use super::teller::Teller;
use hands::Hands;
pub(super) use lists::Lists;
use lists::{Task, fail, list_with_layers};

/// The helper's side.
pub(super) struct Lister {
    pub(super) desk: Desk<Lists>,
    pub(super) candidate: Candidate,
    pub(super) collector: Box<dyn Collecting>,
    pub(super) teller: Teller,
    pub(super) runtime: Option<Box<dyn ContainerRuntime>>,
    /// Its version, until that is told.
    pub(super) version: Option<String>,
}

impl Lister {
    pub(super) fn run(mut self) {
        while let Some(task) = self.desk.next(Lists::next_task) {
            match task {
                Task::List => self.list(),
                Task::Collect(job) => self.collect(&job),
            }
        }
    }

    fn list(&mut self) {
        self.desk.show(|lists| lists.has_changed = false);
        let listed = self.take_runtime().and_then(|mut runtime| {
            let listing = list_with_layers(&self.desk, runtime.as_mut())?;
            // Before anything else is asked of it: an eviction may wait for that.
            self.desk.show(|lists| lists.succeed(listing));
            self.greet(runtime.as_mut());
            // One that failed is opened anew, and tells its version again: it may be
            // another one now.
            self.runtime = Some(runtime);
            Ok(())
        });
        if let Err(error) = &listed {
            self.fail(error);
        }
        let listing = self.desk.show(|lists| {
            lists.is_asked = false;
            Arc::clone(&lists.listing)
        });
        self.teller.tell(News::Listed);
        self.collector.note_uses(&listing);
    }

    fn fail(&self, error: &Error) {
        fail(&self.desk, &self.teller, error);
    }

    fn collect(&mut self, job: &Job) {
        let result = match self.take_runtime() {
            Ok(mut runtime) => {
                self.greet(runtime.as_mut());
                let mut hands = Hands {
                    desk: &self.desk,
                    teller: &self.teller,
                    candidate: &self.candidate,
                    eyes: runtime.as_mut(),
                    hands: None,
                };
                let result = self.collector.collect(&mut hands, job);
                self.runtime = Some(runtime);
                result
            }
            Err(error) => {
                self.fail(&error); // told before what hangs on it
                Err(error.to_string())
            }
        };
        let number = job.number;
        self.teller.tell(News::Collected { number, result });
    }

    /// The runtime, opened where it is not. Whoever uses it well puts it back.
    fn take_runtime(&mut self) -> Result<Box<dyn ContainerRuntime>, Error> {
        if let Some(runtime) = self.runtime.take() {
            return Ok(runtime);
        }
        let (opened, version) = open_first(&self.candidate).inspect_err(|error| {
            // One that says nothing may be anything yet.
            if !error.is_lost() && !is_not_ready(error) && !self.candidate.is_named {
                self.desk.show(|lists| lists.is_foreign = true);
            }
        })?;
        self.desk.show(|lists| lists.reached += 1);
        self.version = Some(version);
        Ok(opened)
    }

    /// Tells once that a runtime was opened, and where it keeps its things.
    fn greet(&mut self, runtime: &mut dyn ContainerRuntime) {
        let Some(version) = self.version.take() else {
            return;
        };
        let mut in_thin_pool = false;
        if let Ok(mut disks) = runtime.disks() {
            in_thin_pool = disks.driver == "devicemapper";
            // Here, as a dead mount would hold up the loop.
            disks.images = disks.images.filter(|path| path.exists());
            disks.containers = disks.containers.filter(|path| path.exists());
            self.desk.show(|lists| lists.disks = disks);
        }
        let endpoint = runtime.endpoint().to_owned();
        self.teller.tell(News::Reached {
            endpoint,
            version,
            in_thin_pool,
        });
    }
}

/// Whether a runtime of this API says that it begins only: gRPC's `UNKNOWN` and `UNAVAILABLE`,
/// which containerd answers while it loads its plugins, or a server error of HTTP.
fn is_not_ready(error: &Error) -> bool {
    error
        .code()
        .is_some_and(|code| matches!(code, 2 | 14 | 500..600))
}

#[cfg(test)]
mod tests;
