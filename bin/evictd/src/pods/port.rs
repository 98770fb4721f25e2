//! The pods as the engine asks for them.

use core::time::Duration;
use std::io;

use evictd_cgroup::Grace;
use evictd_engine::ports::{self, Begun, Depth, News, Places, Scratch};
use evictd_node::Mono;
use evictd_rank::Candidate;
use evictd_stats::{DiskScanner, PodDirs};

use super::Pods;

impl Pods {
    /// What pods hold in these directories is to be measured, from
    /// [`Pods::start_measuring`] on.
    pub(crate) fn will_measure(&mut self, dirs: Option<PodDirs>) {
        self.to_measure = dirs;
    }

    /// Begins to measure; whether it has begun now.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later.
    pub(crate) fn start_measuring(&mut self) -> io::Result<bool> {
        if self.to_measure.is_none() {
            return Ok(false);
        }
        let scanner = DiskScanner::start()?;
        if let Some(dirs) = self.to_measure.take() {
            self.measure_disk(scanner, dirs);
        }
        Ok(true)
    }
}

impl ports::Pods for Pods {
    fn refresh(&mut self, now: Mono, depth: Depth) {
        Self::refresh(self, now, depth);
    }

    fn candidates(&self, scratch: Scratch) -> Vec<Candidate<'_>> {
        Self::candidates(self, scratch)
    }

    fn is_exact(&self, index: usize) -> bool {
        Self::is_exact(self, index)
    }

    fn read_exactly(&mut self, index: usize) {
        Self::read_exactly(self, index);
    }

    fn begin_kill(&mut self, now: Mono, index: usize, grace: Duration) -> Result<Begun, String> {
        let (how, begun) = if grace.is_zero() {
            // The cgroup's side needs no answer of the runtime's.
            let begun = self.start_kill(now, index, Grace::of(grace));
            self.announce(index, grace);
            (Grace::of(grace), begun)
        } else {
            let how = self.announce(index, grace);
            (how, self.start_kill(now, index, how))
        };
        let begun = begun.ok_or("it is not there any more")?;
        Ok(Begun {
            kill: begun.map_err(|error| error.to_string())?,
            left_to_runtime: how.asked_by_runtime,
        })
    }

    fn name_containers(&mut self, index: usize) {
        Self::name_containers(self, index);
    }

    fn problems(&self) -> &[String] {
        Self::problems(self)
    }

    fn rest(&mut self) {
        Self::rest(self);
    }

    fn forget(&mut self) {
        Self::forget(self);
    }

    fn may_have_limits(&self) -> bool {
        self.to_measure.is_none() && Self::may_have_limits(self)
    }

    fn has_measured_disk(&mut self, since: Mono) -> bool {
        self.to_measure.is_none() && Self::has_measured_disk(self, since)
    }

    fn has_runtimes(&self) -> bool {
        !self.runtimes.is_empty()
    }

    fn ask_runtimes(&mut self) {
        self.runtimes.refresh();
    }

    fn freshen(&mut self, with_layers: bool) {
        Self::freshen(self, with_layers);
    }

    fn take_news(&mut self) -> Vec<News> {
        self.runtimes.news()
    }

    fn places(&self) -> Places {
        let (images, layers) = self.runtimes.places();
        Places { images, layers }
    }
}
