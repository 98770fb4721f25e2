use core::fmt::Write;
use core::time::Duration;
use std::process::ExitCode;

use evictd_stats::Version;
use serde::Serialize;

use crate::amount::Amount;
use crate::cli::output::{print, print_json};

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
#[derive(Serialize)]
pub(super) struct Check {
    pub(super) what: String,
    pub(super) holds: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    passed: bool,
    cgroup: &'static str,
    limit_bytes: u64,
    threshold_bytes: u64,
    evicted: &'a [String],
    kill_method: Option<&'static str>,
    detection_micros: Option<u64>,
    kill_micros: Option<u64>,
    release_micros: Option<u64>,
    checks: &'a [Check],
}

impl<'a> From<&'a Verdict> for Document<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        Self {
            passed: verdict.passed(),
            cgroup: version(verdict.version),
            limit_bytes: verdict.limit,
            threshold_bytes: verdict.threshold,
            evicted: &verdict.evicted,
            kill_method: verdict.method,
            detection_micros: verdict.detection.map(micros),
            kill_micros: verdict.kill.map(micros),
            release_micros: verdict.release.map(micros),
            checks: &verdict.checks,
        }
    }
}

impl Verdict {
    pub(super) fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.holds)
    }

    /// Prints it; failure where a check does not hold.
    pub(super) fn print(&self, json: bool) -> ExitCode {
        let printed = if json {
            print_json(&Document::from(self))
        } else {
            print(&self.in_text())
        };
        if self.passed() {
            printed
        } else {
            ExitCode::FAILURE
        }
    }

    fn in_text(&self) -> String {
        let (limit, threshold) = (Amount::bytes(self.limit), Amount::bytes(self.threshold));
        let version = version(self.version);
        let mut text = format!(
            "evictd selftest on cgroup {version}: 3 pods below {limit}, threshold {threshold}\n"
        );
        for check in &self.checks {
            let holds = if check.holds { "ok" } else { "FAILED" };
            let _ = writeln!(text, "  {holds:<6} {}", check.what);
        }
        for (what, time) in [
            (
                "from crossing the threshold to the decision",
                self.detection,
            ),
            ("from the decision to the pod's end", self.kill),
            ("from the decision to its memory being free", self.release),
        ] {
            let time = time.map_or_else(|| String::from("unknown"), |time| millis(time) + " ms");
            let _ = writeln!(text, "  {what:<44} {time:>9}");
        }
        text.push_str(if self.passed() {
            "passed\n"
        } else {
            "failed\n"
        });
        text
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
