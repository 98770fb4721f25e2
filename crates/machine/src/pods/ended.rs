//! Pods that were evicted and that their container runtime has not noted as stopped yet, or
//! only now: it may start them anew.

use core::time::Duration;

use evictd_cgroup::{FoundPod, Grace, KillInFlight, KillState, PodKiller};
use evictd_containers::RuntimePod;
use evictd_node::Mono;

use super::Pods;

/// How long a runtime may take that has to end itself what it has started anew.
const BY_RUNTIME: Duration = Duration::from_millis(500);

/// A pod whose runtime was told to end it.
pub(super) struct Ended {
    found: FoundPod,
    runtime: usize,
    pod: RuntimePod,
    /// What runs in it again is being killed.
    kill: Option<Box<dyn KillInFlight>>,
}

impl Ended {
    pub(super) fn is(&self, uid: &str) -> bool {
        self.found.pod.metadata.uid == uid
    }
}

impl Pods {
    /// Has a pod's container runtime end it, where it has one, besides what is done through
    /// its cgroup; returns whether it is expected to do so soon.
    pub(super) fn announce(&self, found: &FoundPod, grace: Duration) -> Option<(Ended, bool)> {
        let (runtime, at) = super::place(&self.held, found.runtime?)?;
        let pod = self.held.get(runtime)?.pods.get(at)?;
        let is_expected = self.runtimes.end(runtime, pod.clone(), grace)?;
        let ended = Ended {
            found: found.clone(),
            runtime,
            pod: pod.clone(),
            kill: None,
        };
        Some((ended, is_expected))
    }

    pub(super) fn hold(&mut self, ended: Ended) {
        self.ended
            .retain(|former| !former.is(&ended.found.pod.metadata.uid));
        self.ended.push(ended);
    }

    /// The cgroup of a container that is started again has the name that it had.
    pub(super) fn end_what_runs_again(&mut self, now: Mono, uid: &str, tell_runtime: bool) -> bool {
        let mut all = self.ended.iter_mut();
        let Some(ended) = all.find(|ended| ended.is(uid)) else {
            return false;
        };
        let goes_on =
            |kill: &mut Box<dyn KillInFlight>| matches!(kill.poll(now), KillState::Waiting { .. });
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
        let kill = self.runtime.start_kill(now, &ended.found, how);
        let runs =
            |kill: &mut Box<dyn KillInFlight>| goes_on(kill) || kill.report().kill_sent.is_some();
        ended.kill = kill
            .ok()
            .and_then(|mut kill| runs(&mut kill).then_some(kill));
        if ended.kill.is_some() && tell_runtime {
            let pod = ended.pod.clone();
            let _ = self.runtimes.end(ended.runtime, pod, Duration::ZERO);
        }
        ended.kill.is_some()
    }
}
