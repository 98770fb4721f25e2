//! What `/metrics` of the local socket says, in the text format of Prometheus.

use core::fmt::{self, Arguments, Write};

use evictd_node::{Condition, Signal};

use crate::engine::Engine;

/// The text, family by family.
struct Page(String);

impl Page {
    /// A family of metrics: all its samples follow.
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    fn line(&mut self, line: Arguments<'_>) {
        let _ = self.0.write_fmt(line);
        self.0.push('\n');
    }
}

/// Nanoseconds as seconds, exactly.
struct Seconds(u64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, nanos) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        write!(f, "{seconds}.{nanos:09}")
    }
}

/// What the engine knows now; nothing is measured for it.
pub(crate) fn page(engine: &Engine, evictions: u64) -> String {
    // So much that it does not grow on the way.
    let mut page = Page(String::with_capacity(16 << 10));
    let name = "evictd_build_info";
    page.family(name, "gauge", "The version that runs.");
    let version = env!("CARGO_PKG_VERSION");
    page.line(format_args!("{name}{{version=\"{version}\"}} 1"));
    let name = "evictd_evictions_total";
    page.family(name, "counter", "Evictions decided, over restarts.");
    page.line(format_args!("{name} {evictions}"));
    let name = "evictd_node_condition";
    page.family(name, "gauge", "Whether a node condition holds.");
    for condition in Condition::ALL {
        let holds = u8::from(engine.evict().conditions().has(condition));
        page.line(format_args!("{name}{{condition=\"{condition}\"}} {holds}"));
    }
    signals(&mut page, engine);
    stages(&mut page, engine);
    page.0
}

/// What is left of each signal, and the thresholds, which are percentages or not.
fn signals(page: &mut Page, engine: &Engine) {
    let readings = engine.sample().readings();
    let observed = Signal::ALL.into_iter();
    let observed = observed.filter_map(|signal| Some((signal, readings.get(signal)?)));
    let name = "evictd_signal_available";
    page.family(name, "gauge", "What is left: bytes, inodes or process ids.");
    for (signal, reading) in observed {
        let available = reading.available;
        page.line(format_args!("{name}{{signal=\"{signal}\"}} {available}"));
    }
    let name = "evictd_signal_threshold";
    page.family(name, "gauge", "Below which it is met, in the same unit.");
    let thresholds = engine.evict().thresholds().iter();
    for threshold in thresholds.filter(|threshold| threshold.operator.is_some()) {
        let signal = threshold.signal;
        let Some(reading) = readings.get(signal) else {
            continue;
        };
        let kind = if threshold.is_hard() { "hard" } else { "soft" };
        let value = threshold.value.against(reading.capacity).value();
        page.line(format_args!(
            "{name}{{signal=\"{signal}\",kind=\"{kind}\"}} {value}"
        ));
    }
}

fn stages(page: &mut Page, engine: &Engine) {
    let name = "evictd_stage_duration_seconds";
    page.family(name, "histogram", "How long a stage of the loop takes.");
    for (stage, times) in engine.timing.stages() {
        let bucket = format_args!("{name}_bucket{{stage=\"{stage}\",le=").to_string();
        for (bound, within) in times.bounds() {
            page.line(format_args!("{bucket}\"{}\"}} {within}", Seconds(bound)));
        }
        let (count, sum) = (times.count(), Seconds(times.sum()));
        page.line(format_args!("{bucket}\"+Inf\"}} {count}"));
        page.line(format_args!("{name}_sum{{stage=\"{stage}\"}} {sum}"));
        page.line(format_args!("{name}_count{{stage=\"{stage}\"}} {count}"));
    }
}
