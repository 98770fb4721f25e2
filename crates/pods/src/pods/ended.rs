//! Pods that were evicted and that their container runtime has not noted as stopped yet, or
//! only now: it may start them anew.

use core::time::Duration;

use evictd_cgroup::{FoundPod, Grace, Kill};
use evictd_containers::RuntimePod;
use evictd_node::Mono;
use evictd_node::kill::{KillInFlight, KillState};

use super::described::Described;
use super::tree::Tree;
use crate::runtimes::Runtimes;

/// How long a runtime may take that has to end itself what it has started anew.
const BY_RUNTIME: Duration = Duration::from_millis(500);

/// A pod whose runtime was told to end it.
pub(super) struct Ended {
    found: FoundPod,
    runtime: usize,
    pod: RuntimePod,
    /// What runs in it again is being killed.
    kill: Option<Box<Kill>>,
}

impl Ended {
    /// Has a pod's container runtime end it, where it has one, besides what is done through
    /// its cgroup; returns whether it is expected to do so soon.
    pub(super) fn announce(
        described: &Described,
        found: &FoundPod,
        grace: Duration,
    ) -> Option<(Self, bool)> {
        let (runtime, pod) = described.of_runtime(found)?;
        let is_expected = described.runtimes.end(runtime, pod.clone(), grace)?;
        let ended = Self {
            found: started_again(found),
            runtime,
            pod: pod.clone(),
            kill: None,
        };
        Some((ended, is_expected))
    }

    fn is(&self, uid: &str) -> bool {
        self.found.pod.metadata.uid == uid
    }
}

/// The pod as it is found when its runtime has started it again: in another cgroup, of the same
/// name, which is its id.
fn started_again(found: &FoundPod) -> FoundPod {
    let mut again = found.clone();
    again.inode = None;
    again
}

/// The pods that were evicted, and that their runtime may start anew.
#[derive(Default)]
pub(super) struct AllEnded(Vec<Ended>);

impl AllEnded {
    pub(super) fn hold(&mut self, ended: Ended) {
        self.let_go(&ended.found.pod.metadata.uid);
        self.0.push(ended);
    }

    pub(super) fn let_go(&mut self, uid: &str) {
        self.0.retain(|ended| !ended.is(uid));
    }

    /// Ends what runs again of a pod. The cgroup of a container that is started again has
    /// the name that it had.
    pub(super) fn end_again(
        &mut self,
        now: Mono,
        (uid, tell_runtime): (&str, bool),
        tree: &mut Tree,
        runtimes: &Runtimes,
    ) -> bool {
        let mut all = self.0.iter_mut();
        let Some(ended) = all.find(|ended| ended.is(uid)) else {
            return false;
        };
        let goes_on = |kill: &mut Box<Kill>| matches!(kill.poll(now), KillState::Waiting { .. });
        if ended.kill.as_mut().is_some_and(goes_on) {
            return false;
        }
        // Where nothing runs, nothing is sent.
        let how = Grace {
            length: if ended.pod.stays_down_only_if_ended_running {
                BY_RUNTIME
            } else {
                Duration::ZERO
            },
            asked_by_runtime: true,
        };
        let kill = tree.runtime.start_kill(now, &ended.found, how);
        let runs = |kill: &mut Box<Kill>| goes_on(kill) || kill.report().kill_sent.is_some();
        ended.kill = kill
            .ok()
            .and_then(|mut kill| runs(&mut kill).then_some(kill));
        if ended.kill.is_some() && tell_runtime {
            let pod = ended.pod.clone();
            let _ = runtimes.end(ended.runtime, pod, Duration::ZERO);
        }
        ended.kill.is_some()
    }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;
    use std::path::Path;

    use evictd_cgroup::Origin;
    use evictd_node::pod::Pod;

    use super::*;

    /// Found by `scenario:stays-down`: it was looked for in the cgroup that was gone.
    #[test]
    fn what_is_started_again_is_looked_for_in_whatever_cgroup_has_its_name() {
        let cgroup = Path::new("docker/0123");
        let mut found = FoundPod::new(Arc::new(Pod::default()), cgroup, Origin::Runtime);
        found.inode = Some(7);
        let again = started_again(&found);
        assert_eq!((&*again.cgroup, again.inode), (cgroup, None));
    }
}
