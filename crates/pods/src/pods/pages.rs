//! File pages that the pods hold, asked for before one is killed.

use std::path::Path;

use evictd_cgroup::{FoundPod, PageReclaimer};
use evictd_node::Mono;
use evictd_stats::PodReader;

use super::tree::Tree;

/// What asks for them, once it was needed.
#[derive(Default)]
pub(super) struct Pages(Option<PageReclaimer>);

impl Pages {
    /// Has them asked for, where the machine holds as much of them. Until that is known
    /// nothing is allocated: a kill may be next.
    pub(super) fn ask(
        &mut self,
        tree: &mut Tree,
        pods: &[FoundPod],
        (bytes, until): (u64, Mono),
    ) -> bool {
        let Some(memory) = &tree.hierarchies.memory else {
            return false;
        };
        let root = memory.open(Path::new("")).ok().flatten();
        let pages = root.and_then(|root| tree.reader.read_file_pages(root));
        if pages.is_none_or(|pages| pages.active_bytes < bytes) {
            return false;
        }
        let reclaimer = self.0.get_or_insert_with(|| {
            let reader = PodReader::new(&tree.hierarchies);
            PageReclaimer::new(memory.clone(), reader, tree.proc.clone())
        });
        let cgroups = pods.iter().flat_map(|found| found.cgroups());
        let cgroups = cgroups.map(Path::to_path_buf);
        reclaimer.begin(cgroups.collect(), bytes, until)
    }

    /// How much was given back, once all were asked.
    pub(super) fn given(&self) -> Option<u64> {
        self.0.as_ref()?.given()
    }
}
