//! The pods as the engine asks for them.

use core::time::Duration;
use std::io;
use std::path::Path;

use evictd_cgroup::{Grace, Listing, PodKiller};
use evictd_engine::ports::{
    self, Begun, Depth, Heard, Holder, News, OomKill, Places, Scratch, emptied,
};
use evictd_node::Mono;
use evictd_rank::Candidate;
use evictd_stats::{DiskScanner, OutsideReader, take_lack};

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
        self.with_descriptors(|pods| Self::read_exactly(pods, index));
    }

    fn lacks_descriptors(&self) -> bool {
        self.lacks_descriptors
    }

    fn heard(&self) -> Heard {
        if self.knows_manifests() {
            self.runtimes.heard()
        } else {
            Heard::Nothing
        }
    }

    fn unheard(&self) -> Vec<String> {
        let unread = self
            .manifests
            .iter()
            .filter(|manifests| !manifests.is_read());
        let unread = unread.map(|manifests| manifests.path().display().to_string());
        unread.chain(self.runtimes.unheard()).collect()
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
        take_lack();
        let (asked_by_runtime, kill, told) = if grace.is_zero() {
            // The cgroup's side needs no answer of the runtime's.
            let kill = self.runtime.start_kill(now, found, Grace::of(grace));
            (false, kill, self.announce(found, grace))
        } else {
            let told = self.announce(found, grace);
            let how = Grace {
                length: grace,
                asked_by_runtime: told.as_ref().is_some_and(|(_, is_expected)| *is_expected),
            };
            let kill = self.runtime.start_kill(now, found, how);
            (how.asked_by_runtime, kill, told)
        };
        let kill = kill.map_err(|error| {
            self.note_lack();
            error.to_string()
        })?;
        let told_runtime = told.is_some();
        if let Some((ended, _)) = told {
            self.hold(ended);
        }
        Ok(Begun {
            kill,
            left_to_runtime: asked_by_runtime,
            told_runtime,
            files_stay,
        })
    }

    fn end_again(&mut self, now: Mono, uid: &str, tell_runtime: bool) -> bool {
        self.end_what_runs_again(now, uid, tell_runtime)
    }

    fn let_go(&mut self, uid: &str) {
        self.ended.retain(|ended| !ended.is(uid));
    }

    fn ask_for_pages(&mut self, bytes: u64, until: Mono) -> bool {
        self.ask_for_file_pages(bytes, until)
    }

    fn pages_given(&mut self) -> Option<u64> {
        self.pages.as_ref()?.given()
    }

    fn name_containers(&mut self, index: usize) {
        Self::name_containers(self, index);
        self.runtime.get_ready();
    }

    fn problems(&self) -> &[String] {
        &self.problems
    }

    fn rest(&mut self) {
        self.usage.clear();
        self.bounds.clear();
        self.runtime.get_ready();
    }

    fn forget(&mut self) {
        self.held = Vec::new();
        self.listing = Listing::default();
        self.runtime.forget();
        self.runtime.get_ready();
        (self.usage, self.bounds) = (Vec::new(), Vec::new());
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

    fn ask_who_holds(&mut self) {
        let (proc, hierarchies) = (&self.proc, &self.hierarchies);
        let reader = || OutsideReader::new(proc, hierarchies);
        let pods = self.listing.pods.iter().flat_map(|found| found.cgroups());
        let pods = pods.map(Path::to_path_buf).collect();
        self.outside.get_or_insert_with(reader).ask(pods);
    }

    fn who_holds(&mut self) -> Option<Holder> {
        let found = self.outside.as_ref()?.take()?;
        Some(Holder {
            name: found.what.to_string(),
            bytes: found.bytes,
        })
    }

    fn places(&self) -> Places {
        let (images, layers) = self.runtimes.places();
        Places { images, layers }
    }
}
