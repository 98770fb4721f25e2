use core::fmt::{self, Write};

use evictd_engine::Engine;
use evictd_engine::ports::{Node, Pods, Reclaim};
use evictd_node::{Condition, MemoryStep, ReliefStep, Signal, Unit};

use crate::counts::Counts;
use crate::kubernetes;
use crate::prometheus::{Seconds, write_head};

/// The page `/metrics` in the text format of Prometheus: what the engine knows now, and what
/// was counted. Nothing is measured for it.
pub fn page<N: Node, P: Pods, R: Reclaim<P>>(engine: &Engine<N, P, R>, counts: &Counts) -> String {
    let mut page = String::new();
    let has_loop = engine.evict().returns().loops().next().is_some();
    let held = (engine.evict().conditions(), has_loop);
    // Writing to a string does not fail.
    let _ = write_node(&mut page, engine, counts)
        .and_then(|()| write_signals(&mut page, engine))
        .and_then(|()| write_stages(&mut page, engine))
        .and_then(|()| kubernetes::write(&mut page, held, counts));
    page
}

/// A metric with one sample.
fn write_one(page: &mut String, name: &str, kind: &str, help: &str, value: u64) -> fmt::Result {
    write_head(page, name, kind, help)?;
    writeln!(page, "{name} {value}")
}

fn write_node<N: Node, P: Pods, R: Reclaim<P>>(
    page: &mut String,
    engine: &Engine<N, P, R>,
    counts: &Counts,
) -> fmt::Result {
    let version = env!("CARGO_PKG_VERSION");
    write_head(page, "evictd_build_info", "gauge", "The version.")?;
    writeln!(page, "evictd_build_info{{version=\"{version}\"}} 1")?;
    let help = "1 where --dry-run rehearses: nothing is evicted, and nothing counted.";
    let dry_run = u64::from(counts.dry_run);
    write_one(page, "evictd_dry_run", "gauge", help, dry_run)?;
    let Counts {
        in_all, oom_kills, ..
    } = *counts;
    write_one(
        page,
        "evictd_evictions_total",
        "counter",
        "Over restarts.",
        in_all,
    )?;
    let help =
        "Processes that the kernel's OOM killer killed since the start, in pods or elsewhere.";
    write_one(page, "evictd_oom_kills_total", "counter", help, oom_kills)?;
    let name = "evictd_relieved_bytes_total";
    let help = "What each relief step has freed before a pod was evicted, since the start.";
    write_head(page, name, "counter", help)?;
    for (rung, bytes) in ReliefStep::ALL.into_iter().zip(counts.relieved) {
        writeln!(page, "{name}{{rung=\"{rung}\"}} {bytes}")?;
    }
    let (rung, bytes) = (MemoryStep::Reclaim, counts.reclaimed);
    writeln!(page, "{name}{{rung=\"{rung}\"}} {bytes}")?;
    let name = "evictd_relief_total";
    let help = "How often each step of memory relief was taken since the start.";
    write_head(page, name, "counter", help)?;
    for (rung, times) in MemoryStep::ALL.into_iter().zip(counts.climbed) {
        writeln!(page, "{name}{{rung=\"{rung}\"}} {times}")?;
    }
    if let Some(last) = counts.last_seconds {
        let name = "evictd_last_eviction_timestamp_seconds";
        write_one(page, name, "gauge", "When a pod was last evicted.", last)?;
    }
    let name = "evictd_node_condition";
    write_head(page, name, "gauge", "1 while it holds.")?;
    for condition in Condition::ALL {
        let holds = u8::from(engine.evict().conditions().has(condition));
        writeln!(page, "{name}{{condition=\"{condition}\"}} {holds}")?;
    }
    Ok(())
}

/// What there is of each signal, what is left, and its thresholds as they are on this
/// machine: a metric for each unit.
fn write_signals<N: Node, P: Pods, R: Reclaim<P>>(
    page: &mut String,
    engine: &Engine<N, P, R>,
) -> fmt::Result {
    let readings = engine.readings();
    let all = [
        ("bytes", Unit::Bytes),
        ("inodes", Unit::Inodes),
        ("pids", Unit::ProcessIds),
        ("percent", Unit::Percent),
    ];
    for (suffix, unit) in all {
        let seen = Signal::ALL
            .into_iter()
            .filter(|signal| signal.unit() == unit);
        let seen = seen.filter_map(|signal| Some((signal, readings.get(signal)?)));
        let seen: Vec<_> = seen.collect();
        if seen.is_empty() {
            continue;
        }
        let name = format!("evictd_signal_available_{suffix}");
        write_head(page, &name, "gauge", "What is left, by signal.")?;
        for (signal, reading) in &seen {
            writeln!(page, "{name}{{signal=\"{signal}\"}} {}", reading.available)?;
        }
        let name = format!("evictd_signal_capacity_{suffix}");
        write_head(page, &name, "gauge", "What there is, by signal.")?;
        for (signal, reading) in &seen {
            writeln!(page, "{name}{{signal=\"{signal}\"}} {}", reading.capacity)?;
        }
        let name = format!("evictd_signal_threshold_{suffix}");
        write_head(page, &name, "gauge", "Less than that is short.")?;
        for threshold in engine.evict().thresholds() {
            let signal = threshold.signal;
            if let Some((_, reading)) = seen.iter().find(|(of, _)| *of == signal)
                && threshold.operator.is_some()
            {
                let kind = if threshold.is_hard() { "hard" } else { "soft" };
                let value = threshold.level(reading.capacity);
                writeln!(
                    page,
                    "{name}{{signal=\"{signal}\",kind=\"{kind}\"}} {value}"
                )?;
            }
        }
    }
    Ok(())
}

fn write_stages<N: Node, P: Pods, R: Reclaim<P>>(
    page: &mut String,
    engine: &Engine<N, P, R>,
) -> fmt::Result {
    let name = "evictd_stage_duration_seconds";
    let help = "Of the loop, one stage after the other.";
    write_head(page, name, "histogram", help)?;
    for (stage, times) in engine.timing().stages() {
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
