//! What holds the next eviction back: in the answer of the socket, and in words.

use core::fmt;

use evictd_evict::{Proposed, Verdict};
use evictd_node::Signal;
use serde::Serialize;
use serde_json::Value;

/// What holds back an eviction that was decided, or the answer that no pod is evicted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldBack {
    /// What it waits for, in words.
    by: String,
    /// The pod: `NAMESPACE/NAME`. `None` where none is evicted, or another would be by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pod: Option<String>,
    /// The name of the signal that it is evicted for; `None` for a limit of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
}

impl HeldBack {
    /// That pod is held back by `gate`, where the verdict on its signal still names it.
    #[must_use]
    pub fn new(gate: &dyn fmt::Display, pod: Option<Proposed<'_>>, verdicts: &[Verdict]) -> Self {
        let is_next = |pod: &Proposed<'_>| {
            let mut of_signal = verdicts.iter().filter(|of| Some(of.signal) == pod.signal);
            of_signal.all(|of| of.next_pod().is_some_and(|next| next.uid == pod.uid))
        };
        let pod = pod.filter(is_next);
        let name = |pod: Proposed<'_>| match pod.namespace {
            "" => pod.name.to_owned(),
            namespace => format!("{namespace}/{}", pod.name),
        };
        Self {
            by: gate.to_string(),
            pod: pod.map(name),
            signal: pod.and_then(|pod| Some(pod.signal?.name().to_owned())),
        }
    }

    /// What can be read of it.
    pub(crate) fn read(from: &Value) -> Option<Self> {
        let text = |name| Some(from.get(name)?.as_str()?.to_owned());
        Some(Self {
            by: text("by")?,
            pod: text("pod"),
            signal: text("signal"),
        })
    }

    /// Whether it concerns evictions for that signal: all, where it names none.
    #[must_use]
    pub fn concerns(&self, signal: Signal) -> bool {
        self.signal.as_deref().is_none_or(|of| of == signal.name())
    }
}

impl fmt::Display for HeldBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pod {
            Some(pod) => write!(f, "pod {pod} is next, and waits: {}", self.by),
            None => write!(f, "evictions wait: {}", self.by),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_the_pod_only_where_it_is_still_next() {
        let pod = Proposed::new(None, ("1", "docker", "web"));
        let held = HeldBack::new(&"its log is being cut", Some(pod), &[]);
        let words = "pod docker/web is next, and waits: its log is being cut";
        assert_eq!(held.to_string(), words);
        assert_eq!(
            HeldBack::new(&"x", None, &[]).to_string(),
            "evictions wait: x"
        );
    }
}
