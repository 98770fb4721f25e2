//! What the node and its pods use, as a kubelet's Summary API tells it: measured when somebody
//! asks, and apart from the loop.

mod rates;

use evictd_cgroup::FoundPod;
use evictd_config::Resolved;
use evictd_containers::{ContainerState, ListedContainer};
use evictd_node::Utc;
use evictd_node::pod::usage::{ContainerUsage, PodUsage};
use evictd_stats::{
    CpuReader, FsSample, MemoryUsage, NodeCpu, NodeSample, PROC, PodReader, now, wall_seconds,
};

use crate::engine::{self, Engine};
use crate::facts::node_name;
use evictd_exposition::summary::{
    ContainerStats, CpuStats, FsStats, MemoryStats, NodeStats, PodReference, PodStats,
    ProcessStats, RlimitStats, RuntimeStats, Summary, SwapStats, VolumeStats,
};
use rates::Rates;

/// What looks, and what it saw before.
pub struct Summarizer {
    engine: Box<Engine>,
    cpu: CpuReader,
    pods: PodReader,
    rates: Rates,
}

impl Summarizer {
    /// Looks once, for what is measured over time.
    ///
    /// # Errors
    /// When the node cannot be read.
    pub fn new(settings: &Resolved) -> Result<Self, String> {
        let engine = engine::look(settings)?;
        let cpu = CpuReader::open(PROC.as_ref()).map_err(|error| error.to_string())?;
        Ok(Self {
            pods: PodReader::new(engine.pods().hierarchies()),
            engine,
            cpu,
            rates: Rates::default(),
        })
    }

    /// What there is now.
    pub fn look(&mut self) -> Summary {
        let at = now();
        let engine = &mut self.engine;
        engine::look_again(engine, at);
        let mut look = Look {
            time: Utc(wall_seconds()).to_string(),
            cpu: &mut self.cpu,
            reader: &mut self.pods,
            rates: &mut self.rates,
            node: &engine.node().sample,
        };
        look.rates.begin(at);
        let pods = engine.pods().seen();
        let pods = pods.map(|(found, usage)| {
            let containers: Vec<_> = engine.pods().containers_of(found).collect();
            look.pod(found, usage, &containers)
        });
        let pods = pods.collect();
        let node = look.node();
        look.rates.end();
        Summary { node, pods }
    }
}

/// One look.
struct Look<'a> {
    time: String,
    cpu: &'a mut CpuReader,
    reader: &'a mut PodReader,
    rates: &'a mut Rates,
    node: &'a NodeSample,
}

impl Look<'_> {
    fn node(&mut self) -> NodeStats {
        let sample = self.node;
        let cpu = self.cpu.read_node();
        let booted = cpu.as_ref().map_or(0, |cpu| cpu.booted_seconds);
        let time = || self.time.clone();
        let memory = sample.memory.map(|memory| MemoryStats {
            time: time(),
            available_bytes: Some(memory.available_bytes),
            usage_bytes: memory.cgroup.map(|cgroup| cgroup.usage_bytes),
            working_set_bytes: Some(memory.working_set_bytes),
            rss_bytes: memory.cgroup.and_then(|cgroup| cgroup.anon_bytes),
        });
        let swap = sample.memory.and_then(|memory| {
            let (total, free) = (memory.swap_total_bytes?, memory.swap_free_bytes?);
            Some(SwapStats {
                time: time(),
                swap_available_bytes: Some(free),
                swap_usage_bytes: total.saturating_sub(free),
            })
        });
        let rlimit = sample.pids.map(|pids| RlimitStats {
            time: time(),
            maxpid: pids.node.most,
            curproc: pids.node.running,
        });
        let runtime = RuntimeStats {
            image_fs: self.filesystem(sample.imagefs.as_ref()),
            container_fs: self.filesystem(sample.containerfs.as_ref()),
        };
        NodeStats {
            node_name: node_name(),
            start_time: (booted > 0).then(|| Utc(booted).to_string()),
            fs: self.filesystem(sample.nodefs.as_ref()),
            cpu: cpu
                .ok()
                .map(|NodeCpu { used_nanos, .. }| self.cpu_stats("", used_nanos)),
            memory,
            runtime,
            rlimit,
            swap,
        }
    }

    fn pod(
        &mut self,
        found: &FoundPod,
        usage: Option<&PodUsage>,
        containers: &[&ListedContainer],
    ) -> PodStats {
        let used = found.cgroups().map(|cgroup| self.cpu.read(cgroup));
        let used = used.fold(None, plus);
        let id = found.cgroup.to_string_lossy();
        let mut counted = found
            .cgroups()
            .filter_map(|cgroup| self.reader.read(cgroup, None)?.memory);
        let counted = counted.next().map(|first| counted.fold(first, sum));
        let working_set = usage.and_then(|usage| usage.memory_working_set_bytes);
        let metadata = &found.pod.metadata;
        let volumes = usage.map_or(&[][..], |usage| &usage.volumes).iter();
        let volumes = volumes.map(|volume| VolumeStats {
            name: volume.name.clone(),
            fs: self.used(
                self.node.nodefs.as_ref(),
                (volume.used_bytes, volume.inodes_used),
            ),
        });
        let started = containers
            .iter()
            .filter(|of| of.state == ContainerState::Running);
        let stats = usage.map_or(&[][..], |usage| &usage.containers);
        PodStats {
            pod_ref: PodReference {
                name: metadata.name.clone(),
                namespace: metadata.namespace.clone(),
                uid: metadata.uid.clone(),
            },
            start_time: started
                .map(|of| of.created_nanos)
                .min()
                .and_then(started_at),
            volumes: volumes.collect(),
            ephemeral_storage: usage
                .and_then(|usage| usage.ephemeral_storage_bytes)
                .map(|bytes| self.used(self.node.nodefs.as_ref(), (Some(bytes), None))),
            memory: self.memory(working_set, counted),
            process_stats: usage
                .and_then(|usage| usage.process_count)
                .map(|process_count| ProcessStats { process_count }),
            swap: usage
                .and_then(|usage| usage.swap_bytes)
                .map(|swap_usage_bytes| SwapStats {
                    time: self.time.clone(),
                    swap_available_bytes: None,
                    swap_usage_bytes,
                }),
            cpu: used.map(|used| self.cpu_stats(&id, used)),
            containers: stats
                .iter()
                .map(|usage| self.container(usage, containers))
                .collect(),
        }
    }

    fn container(&mut self, usage: &ContainerUsage, listed: &[&ListedContainer]) -> ContainerStats {
        let is_it =
            |of: &&&ListedContainer| of.name == usage.name && of.state == ContainerState::Running;
        let listed = listed.iter().find(is_it);
        let cgroup = listed.and_then(|of| of.cgroup.as_deref());
        let used = cgroup.and_then(|cgroup| self.cpu.read(cgroup));
        let counted = cgroup.and_then(|cgroup| self.reader.read(cgroup, None)?.memory);
        let id = cgroup
            .map(|cgroup| cgroup.to_string_lossy())
            .unwrap_or_default();
        let layers = self.node.containerfs.as_ref();
        let logs_on = if usage.logs_beside_layer {
            layers
        } else {
            self.node.nodefs.as_ref()
        };
        let fs = |on, bytes: Option<u64>, inodes| {
            bytes.map(|bytes| self.used(on, (Some(bytes), inodes)))
        };
        ContainerStats {
            name: usage.name.clone(),
            start_time: listed.and_then(|of| started_at(of.created_nanos)),
            rootfs: fs(layers, usage.rootfs_bytes, usage.rootfs_inodes),
            logs: fs(logs_on, usage.logs_bytes, usage.logs_inodes),
            memory: self.memory(usage.memory_working_set_bytes, counted),
            cpu: used.map(|used| self.cpu_stats(&id, used)),
        }
    }

    /// Processor time of what has this name, and the rate since the last look.
    fn cpu_stats(&mut self, id: &str, used: u64) -> CpuStats {
        CpuStats {
            time: self.time.clone(),
            usage_nano_cores: self.rates.nano_cores(id, used),
            usage_core_nano_seconds: used,
        }
    }

    fn memory(
        &self,
        working_set: Option<u64>,
        counted: Option<MemoryUsage>,
    ) -> Option<MemoryStats> {
        working_set.map(|bytes| MemoryStats {
            time: self.time.clone(),
            available_bytes: None,
            usage_bytes: counted.map(|counted| counted.usage_bytes),
            working_set_bytes: Some(bytes),
            rss_bytes: counted.and_then(|counted| counted.anon_bytes),
        })
    }

    fn filesystem(&self, sample: Option<&FsSample>) -> Option<FsStats> {
        let sample = sample?;
        let inodes = (sample.inodes > 0).then_some(sample.inodes);
        Some(FsStats {
            time: self.time.clone(),
            available_bytes: Some(sample.available_bytes),
            capacity_bytes: Some(sample.capacity_bytes),
            used_bytes: Some(sample.used_bytes),
            inodes_free: inodes.map(|_| sample.inodes_free),
            inodes,
            inodes_used: inodes.map(|inodes| inodes.saturating_sub(sample.inodes_free)),
        })
    }

    /// What of a filesystem somebody uses.
    fn used(&self, on: Option<&FsSample>, (bytes, inodes): (Option<u64>, Option<u64>)) -> FsStats {
        FsStats {
            time: self.time.clone(),
            used_bytes: bytes,
            inodes_used: inodes,
            ..self.filesystem(on).unwrap_or_default()
        }
    }
}

/// Nobody knows when what was made at the beginning of 1970 began.
fn started_at(nanos: i64) -> Option<String> {
    let seconds = u64::try_from(nanos / 1_000_000_000).ok();
    seconds
        .filter(|seconds| *seconds > 0)
        .map(|seconds| Utc(seconds).to_string())
}

fn plus(sum: Option<u64>, more: Option<u64>) -> Option<u64> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
        (known, None) | (None, known) => known,
    }
}

fn sum(mut sum: MemoryUsage, more: MemoryUsage) -> MemoryUsage {
    sum.usage_bytes = sum.usage_bytes.saturating_add(more.usage_bytes);
    sum.anon_bytes = plus(sum.anon_bytes, more.anon_bytes);
    sum
}
