//! What an operator changes while all runs: `docker update`, and whom `--protect` names.

use super::amount::MIB;
use super::limits::{limit, quantity};
use super::machine::World;
use super::pod::WorldPod;
use crate::feature::Feature;

impl World {
    /// An operator changes something of a pod.
    pub(crate) fn update(&mut self) {
        let has = |feature| self.plan.features.has(feature);
        let (updates, protects, limits) = (
            has(Feature::Updates),
            has(Feature::Protects),
            has(Feature::Limits),
        );
        if !updates && !protects {
            return;
        }
        let r = &mut self.updates;
        let memory = self.memory.total / 4 / MIB;
        let [disk, _] = &self.disks;
        let running = self.pods.iter_mut().filter(|pod| pod.runs());
        let mut running: Vec<&mut WorldPod> = running.collect();
        let index = r.within(0, u64::try_from(running.len()).unwrap_or(0));
        let index = usize::try_from(index).unwrap_or(0);
        let Some(pod) = running.get_mut(index) else {
            return;
        };
        let mut what = "nothing";
        if protects && r.one_in(2) {
            pod.is_protected = !pod.is_protected;
            pod.changed_at = self.now;
            pod.pod.metadata.annotations.clear();
            if pod.is_protected {
                pod.pod.mark_static();
            }
            what = "its protection";
        } else if updates {
            if limits {
                limit(r, &mut pod.pod, disk.capacity);
            }
            if let Some(container) = pod.pod.spec.containers.first_mut() {
                let request = r.within(0, memory) * MIB;
                let request = (request > 0).then(|| Box::new(quantity(request)));
                container.resources.requests.memory = request;
            }
            what = "its request and its limits";
        }
        let uid = pod.uid.clone();
        self.updated += 1;
        self.tell(|| format!("an operator changes {what}: {uid}"));
    }
}
