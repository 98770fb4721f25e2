//! `/metrics/resource`: the same in the names by which the metrics server and dashboards read
//! a kubelet (K: `pkg/kubelet/metrics/collectors/resource_metrics.go`).

use core::fmt::{self, Write};

use crate::prometheus::{Seconds, label, write_head};
use crate::summary::{ContainerStats, CpuStats, MemoryStats, PodStats, Summary, SwapStats};

impl Summary {
    /// The summary in the text format of Prometheus, by the names of `/metrics/resource`.
    #[must_use]
    pub fn in_metrics(&self) -> String {
        let mut page = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut page);
        page
    }

    fn write(&self, page: &mut String) -> fmt::Result {
        let node = [(String::new(), Used::of_node(self))];
        let pods = self
            .pods
            .iter()
            .map(|pod| (pod_labels(pod), Used::of_pod(pod)));
        let pods: Vec<_> = pods.collect();
        let containers = self.pods.iter().flat_map(|pod| {
            let labels = move |of: &ContainerStats| {
                format!("container=\"{}\",{}", label(&of.name), pod_labels(pod))
            };
            let containers = pod.containers.iter();
            containers.map(move |of| (labels(of), Used::of_container(of)))
        });
        let containers: Vec<_> = containers.collect();
        for (what, all) in [
            ("container", containers.as_slice()),
            ("node", &node),
            ("pod", &pods),
        ] {
            write_used(page, what, all)?;
        }
        let name = "resource_scrape_error";
        let help = "1 if there was an error while getting container metrics, 0 otherwise";
        write_head(page, name, GAUGE, &format!("[STABLE] {help}"))?;
        writeln!(page, "{name} 0")
    }
}

/// What something uses, as far as it is known.
struct Used<'a> {
    cpu: Option<&'a CpuStats>,
    memory: Option<&'a MemoryStats>,
    swap: Option<&'a SwapStats>,
}

impl<'a> Used<'a> {
    const fn of_node(summary: &'a Summary) -> Self {
        let node = &summary.node;
        Self {
            cpu: node.cpu.as_ref(),
            memory: node.memory.as_ref(),
            swap: node.swap.as_ref(),
        }
    }

    const fn of_pod(pod: &'a PodStats) -> Self {
        Self {
            cpu: pod.cpu.as_ref(),
            memory: pod.memory.as_ref(),
            swap: pod.swap.as_ref(),
        }
    }

    const fn of_container(container: &'a ContainerStats) -> Self {
        Self {
            cpu: container.cpu.as_ref(),
            memory: container.memory.as_ref(),
            swap: None,
        }
    }

    /// In core-seconds.
    fn cpu_seconds(&self) -> Option<String> {
        self.cpu
            .map(|cpu| Seconds(cpu.usage_core_nano_seconds).to_string())
    }

    fn working_set_bytes(&self) -> Option<String> {
        let bytes = self.memory?.working_set_bytes;
        bytes.map(|bytes| bytes.to_string())
    }

    fn swap_bytes(&self) -> Option<String> {
        self.swap.map(|swap| swap.swap_usage_bytes.to_string())
    }
}

/// Its name, kind, help and value.
type Metric<'n, 'a> = (&'n str, &'n str, &'n str, fn(&Used<'a>) -> Option<String>);

/// The three metrics of nodes, of pods or of containers.
fn write_used<'a>(page: &mut String, what: &str, all: &[(String, Used<'a>)]) -> fmt::Result {
    let cpu = format!("Cumulative cpu time consumed by the {what} in core-seconds");
    let memory = format!("Current working set of the {what} in bytes");
    let swap = format!("Current amount of the {what} swap usage in bytes");
    let metrics: [Metric<'_, 'a>; 3] = [
        ("cpu_usage_seconds_total", COUNTER, &cpu, Used::cpu_seconds),
        (
            "memory_working_set_bytes",
            GAUGE,
            &memory,
            Used::working_set_bytes,
        ),
        ("swap_usage_bytes", GAUGE, &swap, Used::swap_bytes),
    ];
    for (name, kind, help, value) in metrics {
        let samples = all
            .iter()
            .filter_map(|(labels, of)| Some((labels, value(of)?)));
        let mut samples = samples.peekable();
        if samples.peek().is_none() {
            continue;
        }
        let name = format!("{what}_{name}");
        write_head(page, &name, kind, &format!("[STABLE] {help}"))?;
        for (labels, value) in samples {
            match labels.as_str() {
                "" => writeln!(page, "{name} {value}")?,
                labels => writeln!(page, "{name}{{{labels}}} {value}")?,
            }
        }
    }
    Ok(())
}

const COUNTER: &str = "counter";
const GAUGE: &str = "gauge";

fn pod_labels(pod: &PodStats) -> String {
    let (namespace, name) = (&pod.pod_ref.namespace, &pod.pod_ref.name);
    format!("namespace=\"{}\",pod=\"{}\"", label(namespace), label(name))
}
