//! `--before-kill`: a program that sees a pod before it is evicted for a soft threshold.

use core::time::Duration;
use std::path::Path;
use std::process::Stdio;

use evictd_cgroup::FoundPod;
use evictd_node::Mono;
use evictd_pods::Consent;

use super::own_program;
use crate::hook::Hook;

/// An eviction is held back that long at most, even if other pods are chosen meanwhile.
const DEADLINE: Duration = Duration::from_secs(10);

/// A question older than that belongs to an earlier eviction, which was called off.
const OVER: Duration = Duration::from_secs(60);

/// Its name among the events.
const EVENT: &str = "\"event\":\"before_kill\"";

/// The process that runs the program, and for which pod it does.
pub(crate) struct BeforeKill {
    hook: Hook,
    /// The pod's uid, and since when evictions are held back.
    asked: Option<(String, Mono)>,
}

impl BeforeKill {
    /// Starts it, where there is a program.
    ///
    /// # Errors
    /// As [`own_program::start`].
    pub(crate) fn start(program: Option<&Path>) -> Result<Option<Self>, String> {
        let hook = own_program::start("before-kill", program, Stdio::piped())?;
        Ok(hook.map(|hook| Self { hook, asked: None }))
    }
}

impl Consent for BeforeKill {
    /// Whether the pod may be evicted: its program has ended, or has taken too long.
    fn may_evict(&mut self, now: Mono, found: &FoundPod) -> bool {
        let asked = self.asked.take();
        let asked = asked.filter(|(_, since)| now.since(*since) < OVER);
        let uid = &found.pod.metadata.uid;
        let since = match asked {
            Some((_, since)) if now.since(since) >= DEADLINE => return true,
            Some((of, since)) if !self.hook.has_ended() => {
                self.asked = Some((of, since));
                return false;
            }
            Some((of, _)) if of == *uid => return true,
            // Another pod is the first by now.
            Some((_, since)) => since,
            None => {
                // What an earlier one left.
                self.hook.has_ended();
                now
            }
        };
        self.asked = Some((uid.clone(), since));
        let metadata = &found.pod.metadata;
        let (pod, namespace) = (metadata.name.as_str(), metadata.namespace.as_str());
        let cgroup = found.cgroup.to_string_lossy();
        log::info!(
            event = "before_kill", pod = pod, namespace = namespace, uid = uid.as_str(),
            cgroup = &*cgroup;
            "--before-kill runs before pod {pod} is evicted, for {DEADLINE:?} at most"
        );
        false
    }

    /// Tells the program of what is its own among these records.
    fn tell(&mut self, records: &str) {
        for record in records
            .split_inclusive('\n')
            .filter(|of| of.contains(EVENT))
        {
            self.hook.tell(record);
        }
    }
}
