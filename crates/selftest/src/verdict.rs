use core::fmt::Write;

use evictd_node::Amount;
use serde::Serialize;

/// What the self-test found, and what `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Whether all checks hold.
    pub passed: bool,
    /// The version of the memory controller: `v1` or `v2`.
    pub cgroup: &'static str,
    /// The memory limit that bounds the harm.
    pub limit_bytes: u64,
    /// At how much available memory a pod is evicted.
    pub threshold_bytes: u64,
    /// The pods that were evicted.
    pub evicted: Vec<String>,
    /// How the pod was killed.
    pub kill_method: Option<&'static str>,
    /// From the crossing of the threshold to the decision.
    pub detection_micros: Option<u64>,
    /// From the decision until no process of the pod was left.
    pub kill_micros: Option<u64>,
    /// From the decision until the memory was free again.
    pub release_micros: Option<u64>,
    /// What has to hold, each with whether it does.
    pub checks: Vec<Check>,
}

/// Something that has to hold.
#[derive(Serialize)]
pub struct Check {
    /// In words.
    pub what: String,
    /// Whether it does.
    pub holds: bool,
}

impl Verdict {
    /// For people.
    #[must_use]
    pub fn in_text(&self) -> String {
        let limit = Amount::bytes(self.limit_bytes);
        let threshold = Amount::bytes(self.threshold_bytes);
        let mut text = format!(
            "evictd selftest on cgroup {}: 3 pods below {limit}, threshold {threshold}\n",
            self.cgroup
        );
        for check in &self.checks {
            let holds = if check.holds { "ok" } else { "FAILED" };
            let _ = writeln!(text, "  {holds:<6} {}", check.what);
        }
        let detection = "from crossing the threshold to the decision";
        let kill = "from the decision to the pod's end";
        let release = "from the decision to its memory being free";
        for (what, micros) in [
            (detection, self.detection_micros),
            (kill, self.kill_micros),
            (release, self.release_micros),
        ] {
            let time = micros.map_or_else(|| String::from("unknown"), millis);
            let _ = writeln!(text, "  {what:<44} {time:>9}");
        }
        text.push_str(if self.passed { "passed\n" } else { "failed\n" });
        text
    }
}

/// Milliseconds with one decimal.
fn millis(micros: u64) -> String {
    let tenths = micros.saturating_add(50) / 100;
    format!("{}.{} ms", tenths / 10, tenths % 10)
}
