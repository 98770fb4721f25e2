//! What the kubelet and kube-state-metrics tell of a node, by their names: dashboards and
//! alerts that are there already find it.

use core::fmt::{self, Write};

use evictd_node::{Condition, ConditionSet};

use crate::counts::{AGE_BUCKETS, Counts};
use crate::prometheus::{Seconds, label, write_head};

/// What kube-state-metrics names each condition by, and whether it holds.
fn conditions(held: ConditionSet, has_loop: bool) -> impl Iterator<Item = (&'static str, bool)> {
    let pressures = Condition::ALL.into_iter();
    let pressures = pressures.map(move |condition| (condition.name(), held.has(condition)));
    pressures.chain([("Ready", true), ("EvictionLoop", has_loop)])
}

pub(crate) fn write(
    page: &mut String,
    (held, has_loop): (ConditionSet, bool),
    counts: &Counts,
) -> fmt::Result {
    let node = label(&counts.node);
    let name = "kubelet_node_name";
    write_head(
        page,
        name,
        "gauge",
        "The node's name. The count is always 1.",
    )?;
    writeln!(page, "{name}{{node=\"{node}\"}} 1")?;
    let name = "kubelet_evictions";
    // The kubelet's is a counter without "_total", which promtool does not allow.
    let help = "Cumulative number of pod evictions by eviction signal";
    write_head(page, name, "untyped", help)?;
    for (signal, count) in counts.by_signal() {
        writeln!(page, "{name}{{eviction_signal=\"{signal}\"}} {count}")?;
    }
    write_ages(page, counts)?;
    let name = "kubelet_image_garbage_collected_total";
    let help = "Total number of images garbage collected, whether through disk usage or image age.";
    write_head(page, name, "counter", help)?;
    let (age, space) = counts.images;
    for (reason, count) in [("age", age), ("space", space)] {
        writeln!(page, "{name}{{reason=\"{reason}\"}} {count}")?;
    }
    let name = "kube_node_status_condition";
    write_head(page, name, "gauge", "The condition of a cluster node.")?;
    for (condition, holds) in conditions(held, has_loop) {
        for (status, is) in [("true", holds), ("false", !holds), ("unknown", false)] {
            let value = u8::from(is);
            writeln!(
                page,
                "{name}{{node=\"{node}\",condition=\"{condition}\",status=\"{status}\"}} {value}"
            )?;
        }
    }
    let name = "kube_node_spec_unschedulable";
    let help = "Whether a node can schedule new pods.";
    write_head(page, name, "gauge", help)?;
    writeln!(page, "{name}{{node=\"{node}\"}} 0")?;
    let name = "kube_node_spec_taint";
    write_head(page, name, "gauge", "The taint of a cluster node.")?;
    for condition in held.each() {
        let key = condition.taint();
        writeln!(
            page,
            "{name}{{node=\"{node}\",key=\"{key}\",value=\"\",effect=\"NoSchedule\"}} 1"
        )?;
    }
    Ok(())
}

/// How old what each eviction was decided by was, by signal.
fn write_ages(page: &mut String, counts: &Counts) -> fmt::Result {
    if counts.ages.is_empty() {
        return Ok(());
    }
    let name = "kubelet_eviction_stats_age_seconds";
    let help = "Time between when stats are collected, and when pod is evicted based on those \
                stats by eviction signal";
    write_head(page, name, "histogram", help)?;
    for ages in &counts.ages {
        let label = format!("eviction_signal=\"{}\"", ages.signal);
        for (most, within) in AGE_BUCKETS.iter().zip(&ages.within) {
            let bound = Seconds(most.saturating_mul(1_000_000));
            writeln!(page, "{name}_bucket{{{label},le=\"{bound}\"}} {within}")?;
        }
        writeln!(page, "{name}_bucket{{{label},le=\"+Inf\"}} {}", ages.count)?;
        writeln!(page, "{name}_sum{{{label}}} {}", Seconds(ages.sum_nanos))?;
        writeln!(page, "{name}_count{{{label}}} {}", ages.count)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use evictd_node::Signal;

    use super::*;

    #[test]
    fn the_names_and_labels_are_those_of_kubernetes() {
        let mut page = String::new();
        let counts = Counts {
            node: "edge-\"7".to_owned(),
            evictions: vec![("memory.available", 2)],
            ..Counts::default()
        };
        write(&mut page, (Condition::MemoryPressure.set(), true), &counts).unwrap();
        let node = "edge-\\\"7";
        for line in [
            format!("kubelet_node_name{{node=\"{node}\"}} 1"),
            "kubelet_image_garbage_collected_total{reason=\"age\"} 0".to_owned(),
            "kubelet_evictions{eviction_signal=\"memory.available\"} 2".to_owned(),
            format!(
                "kube_node_status_condition{{node=\"{node}\",condition=\"MemoryPressure\",status=\"true\"}} 1"
            ),
            format!(
                "kube_node_status_condition{{node=\"{node}\",condition=\"DiskPressure\",status=\"true\"}} 0"
            ),
            format!(
                "kube_node_status_condition{{node=\"{node}\",condition=\"PIDPressure\",status=\"false\"}} 1"
            ),
            format!(
                "kube_node_status_condition{{node=\"{node}\",condition=\"Ready\",status=\"true\"}} 1"
            ),
            format!(
                "kube_node_status_condition{{node=\"{node}\",condition=\"EvictionLoop\",status=\"true\"}} 1"
            ),
            format!(
                "kube_node_spec_taint{{node=\"{node}\",key=\"node.kubernetes.io/memory-pressure\",value=\"\",effect=\"NoSchedule\"}} 1"
            ),
        ] {
            assert!(page.lines().any(|of| of == line), "{line}\n{page}");
        }
        assert_eq!(page.matches("kube_node_spec_taint{").count(), 1);
        // Each is there from the start: a rate needs a sample before the first.
        let zero = "kubelet_evictions{eviction_signal=\"nodefs.available\"} 0";
        assert!(page.lines().any(|of| of == zero), "{page}");
        let counted = page.matches("kubelet_evictions{").count();
        assert_eq!(counted, Signal::ALL.len() + 3);
    }

    #[test]
    fn a_name_ends_no_label() {
        assert_eq!(label("a\"b\\c\nd"), "a\\\"b\\\\cu{a}d");
    }
}
