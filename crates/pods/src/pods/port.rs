//! The pods as the engine asks for them.

use core::time::Duration;
use std::path::Path;

use evictd_cgroup::Grace;
use evictd_engine::ports::{self, Begun, Depth, Heard, Holder, News, OomKill, Places};
use evictd_node::Mono;
use evictd_rank::Candidate;
use evictd_stats::{OutsideReader, take_lack};

use super::Pods;
use super::ended::Ended;

impl ports::Listing for Pods {
    fn refresh(&mut self, now: Mono, depth: Depth) {
        Self::refresh(self, now, depth);
    }

    fn candidates(&self) -> &[Candidate] {
        &self.listed.candidates
    }

    fn heard(&self) -> Heard {
        self.described.heard()
    }

    fn unheard(&self) -> Vec<String> {
        self.described.unheard()
    }

    fn lacks_descriptors(&self) -> bool {
        self.listed.lacks_descriptors
    }

    fn problems(&self) -> &[String] {
        Self::problems(self)
    }

    fn rest(&mut self) {
        self.listed.rest();
        self.tree.runtime.get_ready();
    }

    fn forget(&mut self) {
        (self.described.held, self.described.read) = (Vec::new(), None);
        self.listed.forget();
        self.tree.runtime.forget();
        self.tree.runtime.get_ready();
    }
}

impl ports::Usage for Pods {
    fn is_exact(&self, index: usize) -> bool {
        !self
            .listed
            .bounds
            .get(index)
            .is_some_and(|is_bound| *is_bound)
    }

    fn read_exactly(&mut self, index: usize) {
        Self::read_exactly(self, index);
    }

    fn name_containers(&mut self, index: usize) {
        self.listed.name_containers(index, &self.described);
        self.tree.runtime.get_ready();
    }

    /// Only where manifests or a runtime describe pods these can have limits.
    fn may_have_limits(&self) -> bool {
        !self.measuring.is_later() && self.described.is_possible()
    }

    fn has_measured_disk(&mut self, since: Mono) -> bool {
        let is_begun = !self.measuring.is_later();
        let disk = self.measuring.disk_mut();
        is_begun
            && disk.is_none_or(|disk| disk.has_measured(since))
            && !self.described.runtimes.is_waiting()
    }

    fn ask_for_pages(&mut self, bytes: u64, until: Mono) -> bool {
        let pods = &self.listed.listing.pods;
        self.pages.ask(&mut self.tree, pods, (bytes, until))
    }

    fn pages_given(&mut self) -> Option<u64> {
        self.pages.given()
    }

    fn ask_who_holds(&mut self) {
        let (proc, hierarchies) = (&self.tree.proc, &self.tree.hierarchies);
        let reader = || OutsideReader::new(proc, hierarchies);
        let pods = self.listed.listing.pods.iter();
        let pods = pods.flat_map(|found| found.cgroups());
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
}

impl ports::Killing for Pods {
    fn may_evict(&mut self, now: Mono, index: usize) -> bool {
        let found = self.listed.listing.pods.get(index);
        let both = self.before_kill.as_mut().zip(found);
        both.is_none_or(|(before_kill, found)| before_kill.may_evict(now, found))
    }

    fn begin_kill(&mut self, now: Mono, index: usize, grace: Duration) -> Result<Begun, String> {
        let Self {
            tree,
            described,
            listed,
            ..
        } = self;
        let found = listed.listing.pods.get(index);
        let found = found.ok_or("it is not there any more")?;
        let files_stay = described.files_stay(found);
        take_lack();
        let (asked_by_runtime, kill, told) = if grace.is_zero() {
            // The cgroup's side needs no answer of the runtime's.
            let kill = tree.runtime.start_kill(now, found, Grace::of(grace));
            (false, kill, Ended::announce(described, found, grace))
        } else {
            let told = Ended::announce(described, found, grace);
            let how = Grace {
                length: grace,
                asked_by_runtime: told.as_ref().is_some_and(|(_, is_expected)| *is_expected),
            };
            let kill = tree.runtime.start_kill(now, found, how);
            (how.asked_by_runtime, kill, told)
        };
        let kill = kill.map_err(|error| {
            listed.note_lack();
            error.to_string()
        })?;
        let told_runtime = told.is_some();
        if let Some((ended, _)) = told {
            self.ended.hold(ended);
        }
        Ok(Begun {
            kill,
            left_to_runtime: asked_by_runtime,
            told_runtime,
            files_stay,
        })
    }

    fn end_again(&mut self, now: Mono, uid: &str, tell_runtime: bool) -> bool {
        let (tree, runtimes) = (&mut self.tree, &self.described.runtimes);
        self.ended
            .end_again(now, (uid, tell_runtime), tree, runtimes)
    }

    fn let_go(&mut self, uid: &str) {
        self.ended.let_go(uid);
    }

    fn oom_kills(&mut self, now: Mono) -> Vec<OomKill> {
        let Some(struck) = self.oom.look(now, &self.tree.proc) else {
            return Vec::new();
        };
        self.oom
            .tell(&struck, &self.described.all_pods(&mut self.tree))
    }
}

impl ports::Runtimes for Pods {
    fn has_runtimes(&self) -> bool {
        !self.described.runtimes.is_empty()
    }

    fn ask_runtimes(&mut self) {
        self.described.runtimes.refresh();
    }

    fn freshen(&mut self, with_layers: bool) {
        const MAX_AGE: Duration = Duration::from_secs(1);
        const AT_MOST: Duration = Duration::from_millis(10);
        self.described
            .runtimes
            .freshen(MAX_AGE, AT_MOST, with_layers);
    }

    fn take_news(&mut self) -> Vec<News> {
        self.described.runtimes.news()
    }

    fn places(&self) -> Places {
        let (images, layers) = self.described.runtimes.places();
        Places { images, layers }
    }
}
