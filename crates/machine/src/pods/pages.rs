//! File pages that the pods hold, asked for before one is killed.

use std::path::Path;

use evictd_cgroup::PageReclaimer;
use evictd_node::Mono;
use evictd_stats::PodReader;

use super::Pods;

impl Pods {
    /// Has them asked for, where the machine holds as much of them. Until that is known
    /// nothing is allocated: a kill may be next.
    pub(super) fn ask_for_file_pages(&mut self, bytes: u64, until: Mono) -> bool {
        let Some(memory) = &self.hierarchies.memory else {
            return false;
        };
        let root = memory.open(Path::new("")).ok().flatten();
        let pages = root.and_then(|root| self.reader.read_file_pages(root));
        if pages.is_none_or(|pages| pages.active_bytes < bytes) {
            return false;
        }
        let reclaimer = self.pages.get_or_insert_with(|| {
            let reader = PodReader::new(&self.hierarchies);
            PageReclaimer::new(memory.clone(), reader, self.proc.clone())
        });
        let pods = self.listing.pods.iter();
        let cgroups = pods
            .flat_map(|found| found.cgroups())
            .map(Path::to_path_buf);
        reclaimer.begin(cgroups.collect(), bytes, until)
    }
}
