use core::time::Duration;
use std::process::ExitCode;

use evictd_stats::Version;
use serde_json::{Value, json};

use crate::amount::Amount;

/// What the self-test found.
pub(super) struct Verdict {
    pub(super) version: Version,
    pub(super) limit: u64,
    pub(super) threshold: u64,
    pub(super) evicted: Vec<String>,
    pub(super) method: Option<&'static str>,
    /// From the crossing of the threshold to the decision.
    pub(super) detection: Option<Duration>,
    /// From the decision until no process of the pod was left.
    pub(super) kill: Option<Duration>,
    /// From the decision until the memory was free again.
    pub(super) release: Option<Duration>,
    pub(super) checks: Vec<Check>,
}

/// Something that has to hold.
pub(super) struct Check {
    pub(super) what: String,
    pub(super) holds: bool,
}

impl Verdict {
    pub(super) fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.holds)
    }

    /// Prints it; failure where a check does not hold.
    pub(super) fn print(&self, json: bool) -> ExitCode {
        if json { println!("{}", self.in_json()) } else { self.print_text() }
        if self.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn print_text(&self) {
        let (limit, threshold) = (Amount::bytes(self.limit), Amount::bytes(self.threshold));
        let version = version(self.version);
        println!(
            "evictd selftest on cgroup {version}: 3 pods below {limit}, threshold {threshold}"
        );
        for check in &self.checks {
            println!("  {:<6} {}", if check.holds { "ok" } else { "FAILED" }, check.what);
        }
        let shown = |time: Option<Duration>| {
            time.map_or_else(|| String::from("unknown"), |time| format!("{} ms", millis(time)))
        };
        println!("  from crossing the threshold to the decision  {:>9}", shown(self.detection));
        println!("  from the decision to the pod's end           {:>9}", shown(self.kill));
        println!("  from the decision to its memory being free   {:>9}", shown(self.release));
        println!("{}", if self.passed() { "passed" } else { "failed" });
    }

    fn in_json(&self) -> Value {
        let checks: Vec<Value> = self
            .checks
            .iter()
            .map(|check| json!({ "what": check.what, "holds": check.holds }))
            .collect();
        json!({
            "passed": self.passed(),
            "cgroup": version(self.version),
            "limitBytes": self.limit,
            "thresholdBytes": self.threshold,
            "evicted": self.evicted,
            "killMethod": self.method,
            "detectionMicros": self.detection.map(micros),
            "killMicros": self.kill.map(micros),
            "releaseMicros": self.release.map(micros),
            "checks": checks,
        })
    }
}

/// Milliseconds with one decimal.
fn millis(time: Duration) -> String {
    let tenths = time.as_micros().saturating_add(50) / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

const fn version(version: Version) -> &'static str {
    match version {
        Version::V1 => "v1",
        Version::V2 => "v2",
    }
}
