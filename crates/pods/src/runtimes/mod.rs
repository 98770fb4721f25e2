//! The container runtimes of this node, behind threads of their own.
//!
//! A runtime may hang, restart, or take minutes over an image. So the daemon's loop never
//! talks to one: each has a helper that lists and collects, one that ends pods, and one that
//! follows what it says by itself. The loop hands over jobs, and is rung when there is news.

mod backend;
mod collecting;
mod ender;
mod finder;
mod follower;
mod listed;
mod lister;
mod runtime;
mod teller;

use alloc::sync::Arc;
use core::time::Duration;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use evictd_config::ContainerRuntimes;
use evictd_containers::{ContainerRuntime, RuntimeDisks, RuntimeListing, RuntimePod};
use evictd_engine::ports::{Heard, Job, News};
use evictd_stats::now;
use evictd_sys::{Bell, Helper};

pub use backend::{ANY, USUAL};
use backend::{Candidate, candidates, open_first};
pub use collecting::Collecting;
pub use listed::Listed;
use runtime::Runtime;
use teller::Teller;

/// Why no runtime is asked though a socket was named.
fn left_out(settings: &ContainerRuntimes) -> Option<String> {
    let named = settings.endpoints.as_deref().unwrap_or_default();
    (!ANY && !named.is_empty()).then(|| {
        "container runtime: --container-runtime-endpoint names one, but this evictd was built \
         without any"
            .to_owned()
    })
}

/// The runtimes that answer now, each to be asked in the calling thread; and why
/// others do not. For commands, which may wait.
pub fn answering(settings: &ContainerRuntimes) -> (Vec<Box<dyn ContainerRuntime>>, Vec<String>) {
    let (mut runtimes, mut problems) = (Vec::new(), Vec::from_iter(left_out(settings)));
    for candidate in candidates(settings).into_iter().filter(Candidate::is_there) {
        match open_first(&candidate) {
            Ok((runtime, _)) => runtimes.push(runtime),
            Err(error) if candidate.is_named => problems.push(error.to_string()),
            // A socket that speaks something else, or of a runtime that is off.
            Err(_) => {}
        }
    }
    (runtimes, problems)
}

/// All container runtimes of this node; there may be none.
#[derive(Default)]
pub struct Runtimes {
    runtimes: Vec<Arc<Runtime>>,
    /// Looks for the sockets that are not there yet.
    finder: Option<Helper<()>>,
    news: Option<Teller>,
    left_out: Option<String>,
    /// Dead containers are removed that nothing replaces.
    pub(crate) removes_all: bool,
}

impl Runtimes {
    /// Those whose endpoints were named, or whose sockets may be where runtimes usually have
    /// them. None has been asked anything when this returns; the first question makes the
    /// threads. `removes_all`: dead containers are removed that nothing replaces. `collecting`
    /// makes what collects at one of them.
    ///
    /// # Errors
    /// When the kernel gives no descriptors.
    pub fn start(
        settings: &ContainerRuntimes,
        removes_all: bool,
        collecting: &dyn Fn() -> Box<dyn Collecting>,
    ) -> Result<Self, String> {
        let none = Self {
            left_out: left_out(settings),
            removes_all,
            ..Self::default()
        };
        let candidates = candidates(settings);
        if candidates.is_empty() {
            return Ok(none);
        }
        let bell = Bell::new().map_err(|error| format!("container runtime: {error}"))?;
        let news = Teller::new(bell);
        let make = |candidate| Arc::new(Runtime::new(candidate, collecting(), news.clone()));
        let runtimes: Vec<Arc<Runtime>> = candidates.into_iter().map(make).collect();
        Ok(Self {
            finder: finder::of_absent(&runtimes),
            runtimes,
            news: Some(news),
            ..none
        })
    }

    /// Has what they say by themselves followed from now on, and looks for those that are
    /// started later.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later.
    pub fn follow(&self) -> io::Result<()> {
        self.there().try_for_each(Runtime::follow)?;
        self.finder.as_ref().map_or(Ok(()), Helper::start)
    }

    /// Those that there may be. The others have nothing to say.
    fn there(&self) -> impl Iterator<Item = &Runtime> {
        let all = self.runtimes.iter().map(AsRef::as_ref);
        all.filter(|runtime: &&Runtime| runtime.is_there())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.there().next().is_none()
    }

    /// Readable when there is news.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.news.as_ref().map(Teller::as_fd)
    }

    /// Has pods and containers listed anew, without waiting for it.
    pub fn refresh(&self) {
        self.there().for_each(Runtime::refresh);
    }

    /// Has those listed anew whose last answer is older than that, and waits for
    /// them, that long at most.
    pub(crate) fn freshen(&self, max_age: Duration, at_most: Duration, with_layers: bool) {
        let mut is_fresh = true;
        // All are asked before the first is waited for.
        for runtime in self.there() {
            is_fresh &= runtime.freshen(max_age, with_layers);
        }
        if !is_fresh {
            self.wait(at_most);
        }
    }

    /// Where each of them keeps what, as far as they have said.
    pub(crate) fn disks(&self) -> Vec<RuntimeDisks> {
        let disks = |runtime: &Runtime| runtime.lists.look(|lists| lists.disks.clone());
        self.there().map(disks).collect()
    }

    /// Where the runtimes keep images and, if apart, writable layers: the first place
    /// of each, as far as they have said.
    pub fn places(&self) -> (Option<PathBuf>, Option<PathBuf>) {
        let disks = self.disks();
        let first = |place: fn(&RuntimeDisks) -> &Option<PathBuf>| {
            disks.iter().find_map(|disks| place(disks).clone())
        };
        (
            first(|disks| &disks.images),
            first(|disks| &disks.containers),
        )
    }

    /// Whether one of them has not answered yet.
    pub(crate) fn is_waiting(&self) -> bool {
        let is_asked = |runtime: &Runtime| runtime.lists.look(|lists| lists.is_asked);
        self.there().any(is_asked)
    }

    /// Whether one of them has yet to say what it holds: it was asked, or has not answered in
    /// time since the start.
    pub(crate) fn is_silent(&self) -> bool {
        let is_silent = |runtime: &Runtime| runtime.lists.look(|lists| lists.is_silent());
        self.there().any(is_silent)
    }

    /// How much they have said since the start of what they hold.
    pub(crate) fn heard(&self) -> Heard {
        let heard = self.there().map(Runtime::heard);
        heard.min().unwrap_or(Heard::All)
    }

    /// The endpoints of those that have not said all of it.
    pub(crate) fn unheard(&self) -> impl Iterator<Item = String> {
        let unheard = self.there().filter(|runtime| runtime.heard() != Heard::All);
        unheard.map(Runtime::endpoint)
    }

    /// Waits until every runtime has answered the last [`Runtimes::refresh`], well
    /// or not, that long at most.
    pub fn wait(&self, at_most: Duration) {
        let begun = now();
        for runtime in self.there() {
            let left = at_most.saturating_sub(now().since(begun));
            runtime.lists.wait_until(left, |lists| !lists.is_asked);
        }
    }

    /// What each runtime holds, as it last said in full; without asking for memory.
    pub(crate) fn listings(&self) -> impl Iterator<Item = Arc<RuntimeListing>> {
        let listing =
            |runtime: &Arc<Runtime>| runtime.lists.look(|lists| Arc::clone(&lists.listing));
        self.runtimes.iter().map(listing)
    }

    /// The listings of all runtimes, each with the socket through which its pods are acted on.
    pub fn listed(&self) -> Vec<Listed> {
        self.there().map(Runtime::listed).collect()
    }

    /// Those that have said since the start what they hold, by their endpoints, in the order
    /// of [`Runtimes::listings`]; `None` for the others.
    pub(crate) fn answered(&self) -> impl Iterator<Item = Option<&str>> {
        self.runtimes.iter().map(|runtime| runtime.answered())
    }

    /// The runtimes whose containers may be others by now than those last listed, and why.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let doubts = self.there().filter_map(Runtime::doubt);
        doubts.chain(self.left_out.clone()).collect()
    }

    /// Has a pod ended; returns whether its runtime is expected to do so soon. `None` where
    /// there is no such runtime to ask.
    pub(crate) fn end(&self, runtime: usize, pod: RuntimePod, grace: Duration) -> Option<bool> {
        let found = self.runtimes.get(runtime)?;
        Some(found.end(pod, grace))
    }

    /// Has every runtime collect; returns how many were asked. Each answers by
    /// [`News::Collected`].
    pub fn collect(&self, job: &Job) -> usize {
        let ask = |runtime: &&Runtime| {
            runtime.lists.change(|lists| {
                if !lists.is_foreign {
                    lists.collect.push(job.clone());
                }
                !lists.is_foreign
            })
        };
        self.there().filter(ask).count()
    }

    /// What has come in since the last call.
    pub(crate) fn news(&mut self) -> Vec<News> {
        self.news.as_ref().map(Teller::take).unwrap_or_default()
    }
}
