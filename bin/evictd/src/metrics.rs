//! What `/metrics` of the local socket says, in the text format of Prometheus.

use core::fmt::{self, Arguments, Display, Write};

use evictd_node::{Condition, Signal};

use crate::amount::level;
use crate::engine::Engine;

/// The text, family by family. Written so that each sample costs the binary little.
struct Page {
    text: String,
    family: &'static str,
}

impl Page {
    /// A family of metrics: the samples that follow are its own.
    fn family(&mut self, name: &'static str, kind: &str, help: &str) {
        self.family = name;
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// What follows the family's name.
    fn sample(&mut self, rest: Arguments<'_>) {
        self.text.push_str(self.family);
        let _ = self.text.write_fmt(rest);
        self.text.push('\n');
    }
}

/// Nanoseconds as seconds, exactly.
struct Seconds(u64);

impl Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, nanos) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        write!(f, "{seconds}.{nanos:09}")
    }
}

/// What the engine knows now; nothing is measured for it.
pub(crate) fn page(engine: &Engine, evictions: u64) -> String {
    let mut page = Page {
        // So much that it does not grow on the way.
        text: String::with_capacity(16 << 10),
        family: "",
    };
    let version = env!("CARGO_PKG_VERSION");
    page.family("evictd_build_info", "gauge", "The version.");
    page.sample(format_args!("{{version=\"{version}\"}} 1"));
    page.family("evictd_evictions_total", "counter", "Over restarts.");
    page.sample(format_args!(" {evictions}"));
    page.family("evictd_node_condition", "gauge", "1 while it holds.");
    for condition in Condition::ALL {
        let holds = u8::from(engine.evict().conditions().has(condition));
        page.sample(format_args!("{{condition=\"{condition}\"}} {holds}"));
    }
    signals(&mut page, engine);
    stages(&mut page, engine);
    page.text
}

/// What is left of each signal, and its thresholds as they are on this machine.
fn signals(page: &mut Page, engine: &Engine) {
    let readings = engine.readings();
    let unit = "In bytes, inodes or process ids.";
    page.family("evictd_signal_available", "gauge", unit);
    for signal in Signal::ALL {
        if let Some(reading) = readings.get(signal) {
            let available = reading.available;
            page.sample(format_args!("{{signal=\"{signal}\"}} {available}"));
        }
    }
    page.family("evictd_signal_threshold", "gauge", unit);
    for threshold in engine.evict().thresholds() {
        let signal = threshold.signal;
        if let Some(reading) = readings.get(signal)
            && threshold.operator.is_some()
        {
            let kind = if threshold.is_hard() { "hard" } else { "soft" };
            let value = level(threshold, reading.capacity);
            page.sample(format_args!(
                "{{signal=\"{signal}\",kind=\"{kind}\"}} {value}"
            ));
        }
    }
}

fn stages(page: &mut Page, engine: &Engine) {
    let help = "Of the loop, one stage after the other.";
    page.family("evictd_stage_duration_seconds", "histogram", help);
    for (stage, times) in engine.timing().stages() {
        for (bound, within) in times.bounds() {
            let bound = Seconds(bound);
            page.sample(format_args!(
                "_bucket{{stage=\"{stage}\",le=\"{bound}\"}} {within}"
            ));
        }
        let (count, sum) = (times.count(), Seconds(times.sum()));
        page.sample(format_args!(
            "_bucket{{stage=\"{stage}\",le=\"+Inf\"}} {count}"
        ));
        page.sample(format_args!("_sum{{stage=\"{stage}\"}} {sum}"));
        page.sample(format_args!("_count{{stage=\"{stage}\"}} {count}"));
    }
}
