//! The pods as the engine asks for them.

use core::time::Duration;
use std::io;

use evictd_cgroup::{Grace, Listing, PodKiller};
use evictd_engine::ports::{self, Begun, Depth, News, OomKill, Places, Scratch, emptied};
use evictd_node::Mono;
use evictd_rank::Candidate;
use evictd_stats::DiskScanner;

use super::disk::Disk;
use super::{Manifests, Pods};

impl Pods {
    /// Has what the pods keep on disk measured from the next refresh on, by the scanner's
    /// own thread, which nobody waits for. Returns whether it has begun now.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later.
    pub(crate) fn start_measuring(&mut self) -> io::Result<bool> {
        if self.to_measure.is_none() {
            return Ok(false);
        }
        let scanner = DiskScanner::start()?;
        if let Some(dirs) = self.to_measure.take() {
            self.disk = Some(Disk::new(scanner, dirs, &self.proc));
        }
        Ok(true)
    }
}

impl Pods {
    /// Has manifests read by a helper from now on, where there are any.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later.
    pub(crate) fn start_manifests(&mut self) -> io::Result<()> {
        let start = |manifests: &mut Manifests| manifests.start(super::now());
        self.manifests.as_mut().map_or(Ok(()), start)
    }
}

impl ports::Pods for Pods {
    fn refresh(&mut self, now: Mono, depth: Depth) {
        Self::refresh(self, now, depth);
    }

    fn candidates(&self, scratch: Scratch) -> Vec<Candidate<'_>> {
        let mut candidates = emptied(scratch);
        let pods = self.listing.pods.iter().zip(&self.usage);
        candidates.extend(pods.map(|(found, usage)| Candidate {
            pod: &found.pod,
            usage: usage.as_ref(),
        }));
        candidates
    }

    fn is_exact(&self, index: usize) -> bool {
        !self.bounds.get(index).is_some_and(|is_bound| *is_bound)
    }

    fn read_exactly(&mut self, index: usize) {
        Self::read_exactly(self, index);
    }

    fn may_evict(&mut self, now: Mono, index: usize) -> bool {
        let found = self.listing.pods.get(index);
        let both = self.before_kill.as_mut().zip(found);
        both.is_none_or(|(before_kill, found)| before_kill.may_evict(now, found))
    }

    fn begin_kill(&mut self, now: Mono, index: usize, grace: Duration) -> Result<Begun, String> {
        let found = self.listing.pods.get(index);
        let found = found.ok_or("it is not there any more")?;
        let files_stay = self.files_stay(found);
        let (how, kill) = if grace.is_zero() {
            // The cgroup's side needs no answer of the runtime's.
            let how = Grace::of(grace);
            let kill = self.runtime.start_kill(now, found, how);
            self.announce(found, grace);
            (how, kill)
        } else {
            let how = self.announce(found, grace);
            (how, self.runtime.start_kill(now, found, how))
        };
        Ok(Begun {
            kill: kill.map_err(|error| error.to_string())?,
            left_to_runtime: how.asked_by_runtime,
            files_stay,
        })
    }

    fn ask_for_pages(&mut self, bytes: u64, until: Mono) -> bool {
        self.ask_for_file_pages(bytes, until)
    }

    fn pages_given(&mut self) -> Option<u64> {
        self.pages.as_ref()?.given()
    }

    fn name_containers(&mut self, index: usize) {
        Self::name_containers(self, index);
    }

    fn problems(&self) -> &[String] {
        &self.problems
    }

    fn rest(&mut self) {
        self.usage.clear();
        self.bounds.clear();
    }

    fn forget(&mut self) {
        self.held = Vec::new();
        self.listing = Listing::default();
        self.runtime.forget();
        (self.usage, self.bounds, self.known) = (Vec::new(), Vec::new(), Vec::new());
        self.described = None;
    }

    /// Only where manifests or a runtime describe pods these can have limits.
    fn may_have_limits(&self) -> bool {
        self.to_measure.is_none() && (self.manifests.is_some() || !self.runtimes.is_empty())
    }

    fn has_measured_disk(&mut self, since: Mono) -> bool {
        let disk = self.disk.as_mut();
        self.to_measure.is_none()
            && disk.is_none_or(|disk| disk.has_measured(since))
            && !self.runtimes.is_waiting()
    }

    fn has_runtimes(&self) -> bool {
        !self.runtimes.is_empty()
    }

    fn ask_runtimes(&mut self) {
        self.runtimes.refresh();
    }

    fn freshen(&mut self, with_layers: bool) {
        const MAX_AGE: Duration = Duration::from_secs(1);
        const AT_MOST: Duration = Duration::from_millis(10);
        self.runtimes.freshen(MAX_AGE, AT_MOST, with_layers);
    }

    fn take_news(&mut self) -> Vec<News> {
        self.runtimes.news()
    }

    fn oom_kills(&mut self, now: Mono) -> Vec<OomKill> {
        self.look_for_oom_kills(now)
    }

    fn places(&self) -> Places {
        let (images, layers) = self.runtimes.places();
        Places { images, layers }
    }
}
