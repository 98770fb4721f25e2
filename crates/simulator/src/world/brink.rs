//! Memory that is nearly gone when evictd starts.

use super::amount::MIB;
use super::machine::World;
use crate::feature::Feature;

impl World {
    /// While evictd was away a pod has taken what was left, and swap: half of what the kernel's
    /// killer waits for is available.
    pub(crate) fn fill_to_the_brim(&mut self) {
        if !self.has(Feature::Brink) {
            return;
        }
        let kept = self.memory.total / 256;
        let left = self.memory.total.saturating_sub(self.working_set());
        let swap = self.memory.swap.saturating_sub(self.swap_used());
        let mut pods = self.pods.iter_mut();
        let hog = pods.find(|pod| pod.runs() && !pod.is_sacred() && !pod.is_refused);
        let Some(hog) = hog.filter(|_| left > kept + MIB) else {
            return;
        };
        hog.held.anon += left - kept;
        hog.held.swap += swap;
        self.tell(|| "nearly all memory was taken meanwhile".into());
        self.fit_memory();
    }
}
