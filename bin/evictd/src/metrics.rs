//! The page `/metrics` of the local socket, in the text format of Prometheus.

use core::fmt::{self, Display, Write};

use evictd_node::{Condition, Signal};

use crate::amount::level;
use crate::engine::Engine;

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
    let mut page = String::new();
    // Writing to a string does not fail.
    let _ = write_node(&mut page, engine, evictions)
        .and_then(|()| write_signals(&mut page, engine))
        .and_then(|()| write_stages(&mut page, engine));
    page
}

/// What stands before the samples of a metric.
fn write_head(page: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(page, "# HELP {name} {help}\n# TYPE {name} {kind}")
}

fn write_node(page: &mut String, engine: &Engine, evictions: u64) -> fmt::Result {
    let version = env!("CARGO_PKG_VERSION");
    write_head(page, "evictd_build_info", "gauge", "The version.")?;
    writeln!(page, "evictd_build_info{{version=\"{version}\"}} 1")?;
    write_head(page, "evictd_evictions_total", "counter", "Over restarts.")?;
    writeln!(page, "evictd_evictions_total {evictions}")?;
    let name = "evictd_node_condition";
    write_head(page, name, "gauge", "1 while it holds.")?;
    for condition in Condition::ALL {
        let holds = u8::from(engine.evict.conditions().has(condition));
        writeln!(page, "{name}{{condition=\"{condition}\"}} {holds}")?;
    }
    Ok(())
}

/// How much is left of each signal, and its thresholds as they are on this machine.
fn write_signals(page: &mut String, engine: &Engine) -> fmt::Result {
    let readings = engine.readings();
    let unit = "In bytes, inodes or process ids.";
    let name = "evictd_signal_available";
    write_head(page, name, "gauge", unit)?;
    for signal in Signal::ALL {
        if let Some(reading) = readings.get(signal) {
            let available = reading.available;
            writeln!(page, "{name}{{signal=\"{signal}\"}} {available}")?;
        }
    }
    let name = "evictd_signal_threshold";
    write_head(page, name, "gauge", unit)?;
    for threshold in engine.evict.thresholds() {
        let signal = threshold.signal;
        if let Some(reading) = readings.get(signal)
            && threshold.operator.is_some()
        {
            let kind = if threshold.is_hard() { "hard" } else { "soft" };
            let value = level(threshold, reading.capacity);
            writeln!(
                page,
                "{name}{{signal=\"{signal}\",kind=\"{kind}\"}} {value}"
            )?;
        }
    }
    Ok(())
}

fn write_stages(page: &mut String, engine: &Engine) -> fmt::Result {
    let name = "evictd_stage_duration_seconds";
    let help = "Of the loop, one stage after the other.";
    write_head(page, name, "histogram", help)?;
    for (stage, times) in engine.timing.stages() {
        let (count, sum) = (times.count(), Seconds(times.sum()));
        let bucket = format!("{name}_bucket{{stage=\"{stage}\"");
        for (bound, within) in times.bounds() {
            writeln!(page, "{bucket},le=\"{}\"}} {within}", Seconds(bound))?;
        }
        writeln!(page, "{bucket},le=\"+Inf\"}} {count}")?;
        writeln!(page, "{name}_sum{{stage=\"{stage}\"}} {sum}")?;
        writeln!(page, "{name}_count{{stage=\"{stage}\"}} {count}")?;
    }
    Ok(())
}
