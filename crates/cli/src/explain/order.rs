//! `evictd explain SIGNAL`: the whole order of eviction for one signal, and why.

use core::fmt::Write;
use core::time::Duration;

use evictd_config::{ConfigError, Resolved, Typed, parse_signal};
use evictd_engine::full_name;
use evictd_node::Signal;
use evictd_stats::now;
use serde::Serialize;

use super::whose::{Whose, settings_of};
use crate::next::Next;
use crate::output::{complain, shown, wrong_value};
use crate::sampled::{RankedPod, Sampled};
use crate::screen::{Paint, cut};

/// With one of these the flags are meant, and not the daemon's settings: they say where pods
/// are, who describes them, and what orders them.
const OF_ITS_OWN: [&str; 7] = [
    "pods-of",
    "pod-cgroup-root",
    "pod-manifest-path",
    "container-runtime-endpoint",
    "compose-projects-are-pods",
    "never-evict",
    "compat",
];

/// Between two samples that show what each pod takes from the others.
const STALLING: Duration = Duration::from_secs(1);

/// The signal that the order is asked for; who names a pod may want to know why it was evicted.
pub(super) fn signal(text: &str) -> Result<Signal, String> {
    let wrong = |error: Box<ConfigError>| {
        let error = wrong_value(&error);
        format!("{error}; of one pod evictd history POD tells why it was evicted")
    };
    parse_signal("signal", text).map_err(wrong)
}

/// What `--json` prints.
#[derive(Serialize)]
pub(crate) struct Order {
    #[serde(serialize_with = "shown")]
    pub(crate) signal: Signal,
    pub(crate) next: Next,
    pub(crate) pods: Vec<RankedPod>,
    /// Text for people says so.
    #[serde(skip)]
    pub(crate) by_daemon: bool,
}

impl Order {
    /// Measures once, or twice where only two samples tell what the signal is about; fails when
    /// the node cannot be read.
    pub(super) fn measure(
        signal: Signal,
        over: Option<Duration>,
        command_line: &Typed,
        settings: &Resolved,
    ) -> Result<Self, String> {
        let is_given = |flag: &&str| !command_line.get(flag).is_empty();
        let daemon = if OF_ITS_OWN.iter().any(is_given) {
            None
        } else {
            let (whose, of_daemon, view) = settings_of(command_line, settings);
            (whose == Whose::Daemon).then_some((of_daemon, view))
        };
        let of_daemon = daemon.as_ref().map(|(settings, _)| settings);
        let mut sampled = Sampled::take(of_daemon.unwrap_or(settings))?;
        if signal.grows_with_trouble() {
            std::thread::sleep(over.unwrap_or(STALLING));
            sampled.look_again(now());
        }
        for problem in sampled.engine.pods().problems() {
            complain("explain", problem);
        }
        let next = Next::of(signal, &sampled, daemon.as_ref().map(|(_, view)| view));
        Ok(Self {
            signal,
            pods: next.order(&sampled),
            next,
            by_daemon: daemon.is_some(),
        })
    }

    pub(crate) fn in_text(&self, paint: Paint) -> String {
        let whose = if self.by_daemon {
            ", by the settings of the running daemon"
        } else {
            ""
        };
        let title = format!("Pods in the order of eviction for {}{whose}:", self.signal);
        let mut text = paint.head(&title);
        text.push('\n');
        for pod in &self.pods {
            let name = cut(&full_name(&pod.namespace, &pod.name), 74);
            let (place, _) = pod.standing();
            let _ = match (pod.protection, &pod.skipped) {
                (Some(by), _) => writeln!(text, "  -  {name}\n     never: {by}"),
                (None, Some(why)) => writeln!(text, "  -  {name}\n     {}; {why}", pod.reason),
                (None, None) => writeln!(text, "{place:>3}  {name}\n     {}", pod.reason),
            };
        }
        for line in self.next.lines() {
            let _ = writeln!(text, "{line}");
        }
        text
    }
}
