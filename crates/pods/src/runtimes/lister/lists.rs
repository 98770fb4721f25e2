//! What a runtime holds, as it last said, and what is asked of it.

use alloc::sync::Arc;
use core::time::Duration;

use evictd_containers::{
    ContainerRuntime, Error, Failure, RuntimeDisks, RuntimeListing, WritableLayer,
};
use evictd_engine::ports::{Heard, Job, News};
use evictd_node::Mono;
use evictd_stats::now;
use evictd_sys::Desk;

use super::super::teller::Teller;

/// How often writable layers are measured where only the runtime can.
const LAYERS_EVERY: Duration = Duration::from_secs(60);

/// What the loop asks of a runtime, and what is known of it.
#[derive(Default)]
pub(crate) struct Lists {
    /// A list is wanted, or being made.
    pub(crate) is_asked: bool,
    /// The runtime has said that something is new, and no list was begun since.
    pub(crate) has_changed: bool,
    /// How often it was reached anew.
    pub(crate) reached: u64,
    /// The last list that was whole, and when that was.
    pub(crate) listing: Arc<RuntimeListing>,
    pub(crate) listed: Option<Mono>,
    pub(crate) disks: RuntimeDisks,
    /// The writable layers are wanted as they are now; when they were measured.
    pub(crate) wants_layers: bool,
    pub(super) measured: Option<Mono>,
    /// Why the last list failed; of one that was never made, nothing.
    pub(crate) failure: Option<Error>,
    /// Whether this is no runtime of ours: a socket that was found, not named, and
    /// that speaks something else.
    pub(crate) is_foreign: bool,
    pub(crate) collect: Vec<Job>,
}

/// What is to be done next.
pub(super) enum Task {
    List,
    Collect(Job),
}

impl Lists {
    pub(super) fn next_task(&mut self) -> Option<Task> {
        // A list takes milliseconds, a collection may take minutes, and lists between (`hands`).
        if self.is_asked {
            return Some(Task::List);
        }
        let first = self.collect.drain(..self.collect.len().min(1)).next();
        first.map(Task::Collect)
    }

    /// Notes why it is not known what the runtime holds; returns whether that is new.
    pub(crate) fn fail(&mut self, error: &Error) -> bool {
        let is_new = self.failure.as_ref() != Some(error) && !self.is_foreign;
        self.failure = Some(error.clone());
        is_new
    }

    /// Whether the last list is younger than that and nothing is known to be new since, and
    /// with it what writable layers hold where only the runtime can measure that.
    pub(crate) fn is_fresh(&self, now: Mono, max_age: Duration, with_layers: bool) -> bool {
        let is_young = |then: Option<Mono>| then.is_some_and(|then| now.since(then) < max_age);
        let is_dir = |layer: &WritableLayer| matches!(layer, WritableLayer::Dir(_));
        let mut containers = self.listing.containers.iter();
        let needs_layers = with_layers && !containers.all(|one| is_dir(&one.layer));
        let is_listed = !self.is_asked && !self.has_changed && is_young(self.listed);
        is_listed && (!needs_layers || is_young(self.measured))
    }

    /// Whether it has yet to say what the runtime holds. One that hangs
    /// may hold pods. Where no runtime listens, there are none.
    pub(crate) fn is_silent(&self) -> bool {
        let hangs = |error: &Error| matches!(error.failure, Failure::TimedOut(_));
        let never_answered = self.listed.is_none() && self.failure.as_ref().is_some_and(hangs);
        self.is_asked || (never_answered && !self.is_foreign)
    }

    /// How much it has said since the start of what the runtime holds. Where nobody listens
    /// there is nobody to say it, nor where there is no thread to ask with.
    pub(crate) fn heard(&self) -> Heard {
        let is_nobody = |error: &Error| matches!(error.failure, Failure::NotReachable(_));
        let has_nobody = self.is_foreign || self.failure.as_ref().is_some_and(is_nobody);
        match (self.listed.is_some() || has_nobody, self.reached > 0) {
            (true, _) => Heard::All,
            (false, true) => Heard::Begun,
            (false, false) => Heard::Nothing,
        }
    }

    /// An equal listing is not there twice while others still hold it.
    pub(super) fn succeed(&mut self, listing: RuntimeListing) {
        if *self.listing != listing {
            self.listing = Arc::new(listing);
        }
        self.listed = Some(now());
        self.failure = None;
    }
}

/// What the runtime holds. The writable layers, which are costly to measure, only
/// now and then, or when they are wanted; what is not measured is as of the last time.
pub(super) fn list_with_layers(
    desk: &Desk<Lists>,
    runtime: &mut dyn ContainerRuntime,
) -> Result<RuntimeListing, Error> {
    let mut listing = runtime.list()?;
    let (before, is_wanted) = desk.show(|lists| {
        let is_wanted = core::mem::take(&mut lists.wants_layers);
        let is_due = |last| now().since(last) >= LAYERS_EVERY;
        let is_due = lists.measured.is_none_or(is_due);
        (Arc::clone(&lists.listing), is_wanted || is_due)
    });
    if is_wanted && runtime.measure_layers(&mut listing).is_ok() {
        desk.show(|lists| lists.measured = Some(now()));
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

pub(super) fn fail(desk: &Desk<Lists>, teller: &Teller, error: &Error) {
    if desk.show(|lists| lists.fail(error)) {
        teller.tell(News::Lost(error.to_string()));
    }
}
