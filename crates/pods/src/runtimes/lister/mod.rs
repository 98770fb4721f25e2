//! The helper that lists what a runtime holds, and collects what is left there.

use alloc::sync::Arc;
use core::time::Duration;

use evictd_containers::{
    ContainerRuntime, Error, Failure, RuntimeDisks, RuntimeListing, WritableLayer,
};
use evictd_engine::ports::{Heard, Job, News};
use evictd_node::Mono;
use evictd_stats::now;
use evictd_sys::Desk;

use super::backend::{Candidate, open_first};
use super::collecting::Collecting;
use super::teller::Teller;

/// How often writable layers are measured where only the runtime can.
const LAYERS_EVERY: Duration = Duration::from_secs(60);

/// What the loop asks of a runtime, and what is known of it.
#[derive(Default)]
pub(super) struct Lists {
    /// A list is wanted, or being made.
    pub(super) is_asked: bool,
    /// The runtime has said that something is new, and no list was begun since.
    pub(super) has_changed: bool,
    /// How often it was reached anew.
    pub(super) reached: u64,
    /// The last list that was whole, and when that was.
    pub(super) listing: Arc<RuntimeListing>,
    pub(super) listed: Option<Mono>,
    pub(super) disks: RuntimeDisks,
    /// The writable layers are wanted as they are now; when they were measured.
    pub(super) wants_layers: bool,
    measured: Option<Mono>,
    /// Why the last list failed; of one that was never made, nothing.
    pub(super) failure: Option<Error>,
    /// Whether this is no runtime of ours: a socket that was found, not named, and
    /// that speaks something else.
    pub(super) is_foreign: bool,
    pub(super) collect: Vec<Job>,
}

/// What is to be done next.
enum Task {
    List,
    Collect(Job),
}

impl Lists {
    fn next_task(&mut self) -> Option<Task> {
        // A list takes milliseconds, a collection may take minutes.
        if self.is_asked {
            return Some(Task::List);
        }
        let first = self.collect.drain(..self.collect.len().min(1)).next();
        first.map(Task::Collect)
    }

    /// Notes why it is not known what the runtime holds; returns whether that is new.
    pub(super) fn fail(&mut self, error: &Error) -> bool {
        let is_new = self.failure.as_ref() != Some(error) && !self.is_foreign;
        self.failure = Some(error.clone());
        is_new
    }

    /// Whether the last list is younger than that and nothing is known to be new since, and
    /// with it what writable layers hold where only the runtime can measure that.
    pub(super) fn is_fresh(&self, now: Mono, max_age: Duration, with_layers: bool) -> bool {
        let is_young = |then: Option<Mono>| then.is_some_and(|then| now.since(then) < max_age);
        let is_dir = |layer: &WritableLayer| matches!(layer, WritableLayer::Dir(_));
        let mut containers = self.listing.containers.iter();
        let needs_layers = with_layers && !containers.all(|one| is_dir(&one.layer));
        let is_listed = !self.is_asked && !self.has_changed && is_young(self.listed);
        is_listed && (!needs_layers || is_young(self.measured))
    }

    /// Whether it has yet to say what the runtime holds. One that hangs is there, and may
    /// hold anything; where nobody listens, nobody holds anything.
    pub(super) fn is_silent(&self) -> bool {
        let hangs = |error: &Error| matches!(error.failure, Failure::TimedOut(_));
        let never_answered = self.listed.is_none() && self.failure.as_ref().is_some_and(hangs);
        self.is_asked || (never_answered && !self.is_foreign)
    }

    /// How much it has said since the start of what the runtime holds. Where nobody listens
    /// there is nobody to say it, nor where there is no thread to ask with.
    pub(super) fn heard(&self) -> Heard {
        let is_nobody = |error: &Error| matches!(error.failure, Failure::NotReachable(_));
        let has_nobody = self.is_foreign || self.failure.as_ref().is_some_and(is_nobody);
        match (self.listed.is_some() || has_nobody, self.reached > 0) {
            (true, _) => Heard::All,
            (false, true) => Heard::Begun,
            (false, false) => Heard::Nothing,
        }
    }

    /// An equal listing is not there twice while others still hold it.
    fn succeed(&mut self, listing: RuntimeListing) {
        if *self.listing != listing {
            self.listing = Arc::new(listing);
        }
        self.listed = Some(now());
        self.failure = None;
    }
}

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
            let listing = self.list_with_layers(runtime.as_mut())?;
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
        if self.desk.show(|lists| lists.fail(error)) {
            self.teller.tell(News::Lost(error.to_string()));
        }
    }

    /// What the runtime holds. The writable layers, which are costly to measure, only
    /// now and then, or when they are wanted; what is not measured is as of the last time.
    fn list_with_layers(
        &self,
        runtime: &mut dyn ContainerRuntime,
    ) -> Result<RuntimeListing, Error> {
        let mut listing = runtime.list()?;
        let (before, is_wanted) = self.desk.show(|lists| {
            let is_wanted = core::mem::take(&mut lists.wants_layers);
            let is_due = |last| now().since(last) >= LAYERS_EVERY;
            let is_due = lists.measured.is_none_or(is_due);
            (Arc::clone(&lists.listing), is_wanted || is_due)
        });
        if is_wanted && runtime.measure_layers(&mut listing).is_ok() {
            self.desk.show(|lists| lists.measured = Some(now()));
        }
        for container in &mut listing.containers {
            let mut known = before.containers.iter();
            if container.layer == WritableLayer::Unknown
                && let Some(known) = known.find(|known| known.id == container.id)
            {
                container.layer.clone_from(&known.layer);
            }
        }
        Ok(listing)
    }

    fn collect(&mut self, job: &Job) {
        let result = match self.take_runtime() {
            Ok(mut runtime) => {
                self.greet(runtime.as_mut());
                let result = self.collector.collect(runtime.as_mut(), job);
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
