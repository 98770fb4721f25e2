use alloc::string::{String, ToString};
use alloc::vec::Vec;

use evictd_node::pod::usage::{ContainerUsage, MountUsage, PodUsage, VolumeUsage};
use evictd_node::{Layout, Mono, Reading, Readings, Signal};
use serde_json::{Map, Value, json};

use crate::error::LineError;

const LAYOUTS: [Layout; 3] = [
    Layout::OneFilesystem,
    Layout::DedicatedImagefs,
    Layout::SplitImagefs,
];

/// What was seen in one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// When, by a clock that only goes forward.
    pub at: Mono,
    /// The same for people, in RFC 3339.
    pub time: String,
    /// How the filesystems lie, if that is known.
    pub layout: Option<Layout>,
    /// What each signal was that could be measured.
    pub readings: Readings,
    /// The pods that were there.
    pub pods: Vec<SeenPod>,
}

/// What a pod used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenPod {
    /// Which.
    pub uid: String,
    /// What it used; `None` where that could not be read.
    pub usage: Option<PodUsage>,
}

impl Seen {
    pub(crate) fn read(value: &Value) -> Result<Self, LineError> {
        let at = number(value, "atNanos").ok_or_else(|| LineError::new("no seen.atNanos"))?;
        let layout = value.get("layout").and_then(Value::as_str);
        let layout = LAYOUTS
            .into_iter()
            .find(|known| layout == Some(known.to_string().as_str()));
        let mut readings = Readings::default();
        for (name, reading) in value
            .get("signals")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let problem = || LineError([".signals: ", name, " is none, or has no amount"].concat());
            let signal = Signal::from_name(name).ok_or_else(problem)?;
            let amount = |name| reading.get(name).and_then(Value::as_i64);
            readings.set(
                signal,
                Some(Reading {
                    available: amount("available").ok_or_else(problem)?,
                    capacity: amount("capacity").ok_or_else(problem)?,
                    sampled: number(reading, "atNanos").map(Mono::from_nanos),
                }),
            );
        }
        Ok(Self {
            at: Mono::from_nanos(at),
            time: text(value, "time"),
            layout,
            readings,
            pods: list(value, "pods", SeenPod::read),
        })
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut signals = Map::new();
        for signal in Signal::ALL {
            let Some(reading) = self.readings.get(signal) else {
                continue;
            };
            let mut value = json!({
                "available": reading.available,
                "capacity": reading.capacity,
            });
            put(&mut value, "atNanos", reading.sampled.map(Mono::as_nanos));
            signals.insert(signal.name().to_string(), value);
        }
        let pods: Value = self.pods.iter().map(SeenPod::to_json).collect();
        json!({
            "atNanos": self.at.as_nanos(),
            "time": self.time,
            "layout": self.layout.map(|layout| layout.to_string()),
            "signals": signals,
            "pods": pods,
        })
    }
}

/// The fields of what a pod, a container and a volume use: one table for reading and
/// writing each.
macro_rules! numbers {
    ($($name:literal: $field:ident),*) => {
        fn fill(&mut self, value: &Value) {
            $(self.$field = number(value, $name);)*
        }

        fn add_to(&self, value: &mut Value) {
            $(put(value, $name, self.$field);)*
        }
    };
}

trait Numbers {
    fn fill(&mut self, value: &Value);
    fn add_to(&self, value: &mut Value);
}

impl Numbers for PodUsage {
    numbers!(
        "memoryWorkingSetBytes": memory_working_set_bytes,
        "swapBytes": swap_bytes,
        "processCount": process_count,
        "ephemeralStorageBytes": ephemeral_storage_bytes
    );
}

impl Numbers for ContainerUsage {
    numbers!(
        "memoryWorkingSetBytes": memory_working_set_bytes,
        "rootfsBytes": rootfs_bytes,
        "rootfsInodes": rootfs_inodes,
        "logsBytes": logs_bytes,
        "logsInodes": logs_inodes
    );
}

impl Numbers for VolumeUsage {
    numbers!("usedBytes": used_bytes, "inodesUsed": inodes_used);
}

impl Numbers for MountUsage {
    numbers!("usedBytes": used_bytes, "inodesUsed": inodes_used);
}

impl SeenPod {
    fn read(value: &Value) -> Self {
        let is_read = value.get("unread").is_none();
        Self {
            uid: text(value, "uid"),
            usage: is_read.then(|| usage(value)),
        }
    }

    fn to_json(&self) -> Value {
        let mut value = json!({ "uid": self.uid });
        let Some(usage) = &self.usage else {
            flag(&mut value, "unread", true);
            return value;
        };
        usage.add_to(&mut value);
        flag(&mut value, "diskInPart", usage.disk_in_part);
        flag(&mut value, "undescribed", usage.undescribed);
        let containers = usage.containers.iter().map(|container| {
            let mut value = json!({ "name": container.name });
            container.add_to(&mut value);
            flag(&mut value, "logsBesideLayer", container.logs_beside_layer);
            value
        });
        fill_list(&mut value, "containers", containers.collect());
        let volumes = usage.volumes.iter().map(|volume| {
            let mut value = json!({ "name": volume.name });
            volume.add_to(&mut value);
            value
        });
        fill_list(&mut value, "volumes", volumes.collect());
        let mounts = usage.mounts.iter().map(|mount| {
            let mut value = json!({ "path": mount.path });
            mount.add_to(&mut value);
            flag(&mut value, "besideLayers", mount.beside_layers);
            value
        });
        fill_list(&mut value, "mounts", mounts.collect());
        value
    }
}

fn usage(value: &Value) -> PodUsage {
    let mut usage = PodUsage {
        disk_in_part: is_set(value, "diskInPart"),
        undescribed: is_set(value, "undescribed"),
        containers: list(value, "containers", |value| {
            let mut container = ContainerUsage {
                name: text(value, "name"),
                logs_beside_layer: is_set(value, "logsBesideLayer"),
                ..ContainerUsage::default()
            };
            container.fill(value);
            container
        }),
        volumes: list(value, "volumes", |value| {
            let mut volume = VolumeUsage {
                name: text(value, "name"),
                ..VolumeUsage::default()
            };
            volume.fill(value);
            volume
        }),
        mounts: list(value, "mounts", |value| {
            let mut mount = MountUsage {
                path: text(value, "path"),
                beside_layers: is_set(value, "besideLayers"),
                ..MountUsage::default()
            };
            mount.fill(value);
            mount
        }),
        ..PodUsage::default()
    };
    usage.fill(value);
    usage
}

fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.as_u64()
}

fn text(value: &Value, name: &str) -> String {
    let text = value.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_string()
}

fn is_set(value: &Value, name: &str) -> bool {
    value.get(name) == Some(&Value::Bool(true))
}

fn list<T>(value: &Value, name: &str, read: impl Fn(&Value) -> T) -> Vec<T> {
    let list = value.get(name).and_then(Value::as_array);
    list.into_iter().flatten().map(read).collect()
}

fn put(value: &mut Value, name: &str, number: Option<u64>) {
    if let (Some(object), Some(number)) = (value.as_object_mut(), number) {
        object.insert(name.to_string(), number.into());
    }
}

fn flag(value: &mut Value, name: &str, is_set: bool) {
    if let (Some(object), true) = (value.as_object_mut(), is_set) {
        object.insert(name.to_string(), true.into());
    }
}

fn fill_list(value: &mut Value, name: &str, list: Vec<Value>) {
    if let (Some(object), false) = (value.as_object_mut(), list.is_empty()) {
        object.insert(name.to_string(), list.into());
    }
}
