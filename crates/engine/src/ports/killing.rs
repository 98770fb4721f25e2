//! Ending pods: how a kill begins, how the engine drives it, and what it hears of it.

use core::time::Duration;

use evictd_node::Mono;
use evictd_node::kill::KillInFlight;

/// Ends pods, and says which ones the kernel has struck.
pub trait Killing {
    /// Whether a pod may be evicted for a soft threshold yet; if not, it is decided again in a
    /// moment. For those who want a dump of it first: no hard threshold waits.
    fn may_evict(&mut self, _now: Mono, _index: usize) -> bool {
        true
    }

    /// Begins to kill a pod. Where it has no grace, no memory is asked for before SIGKILL is
    /// sent.
    ///
    /// # Errors
    /// Why it cannot even begin.
    fn begin_kill(&mut self, now: Mono, index: usize, grace: Duration) -> Result<Begun, String>;

    /// Looks whether anything runs again in a pod whose kill has ended and whose runtime was
    /// told to end it, and ends that at once. Returns whether anything does that was not
    /// there at the last look. `tell_runtime` has the runtime told once more, as it has done
    /// what it was told.
    fn end_again(&mut self, _now: Mono, _uid: &str, _tell_runtime: bool) -> bool {
        false
    }

    /// Nobody will ask again whether that pod came back.
    fn let_go(&mut self, _uid: &str) {}

    /// What the kernel's own OOM killer has done since the last call.
    fn oom_kills(&mut self, now: Mono) -> Vec<OomKill>;
}

/// A kill that has begun.
pub struct Begun {
    /// The kill itself.
    pub kill: Box<dyn KillInFlight>,
    /// The pod's container runtime is to send the stop signal, and says by
    /// [`News::Ending`](super::News::Ending) that it is about to.
    pub left_to_runtime: bool,
    /// A container runtime was told to end the pod, and says by [`News::Ended`](super::News::Ended) that it is
    /// down. Until then it may start the pod anew.
    pub told_runtime: bool,
    /// Its containers are not removed after it: what they wrote, and their logs, stay.
    pub files_stay: bool,
}

/// Processes that the kernel's own OOM killer has killed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OomKill {
    /// Their pod's namespace.
    pub namespace: String,
    /// Its name; empty where they were in no pod, or in one that is gone.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// How many.
    pub kills: u64,
    /// Whether the pod had reached a limit of its own.
    pub at_limit: bool,
    /// A cgroup above the pod whose own limit was reached meanwhile: `/NAME`.
    pub limit_above: Option<String>,
    /// These limits may have been reached long before: cgroup v1 does not say when.
    pub at_any_time: bool,
}
