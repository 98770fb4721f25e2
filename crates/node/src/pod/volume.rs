use alloc::string::String;

use evictd_quantity::Quantity;

/// A volume of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Its name, unique within the pod.
    pub name: String,
    /// Where its contents lie.
    pub source: VolumeSource,
}

impl Volume {
    /// Whether its contents count as the pod's own use of the node's disk
    /// (kubelet v1.32: `localVolumeNames`).
    ///
    /// `hostPath`, `emptyDir` with the default medium, `configMap` and `gitRepo`
    /// do; secrets, downward API, projected and claimed volumes do not, nor does
    /// an `emptyDir` in memory.
    #[must_use]
    pub const fn is_local(&self) -> bool {
        match &self.source {
            VolumeSource::EmptyDir { medium, .. } => matches!(medium, Medium::Default),
            VolumeSource::HostPath { .. } | VolumeSource::ConfigMap | VolumeSource::GitRepo => true,
            VolumeSource::Other => false,
        }
    }
}

/// Where the contents of a volume lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VolumeSource {
    /// `emptyDir`: a directory that lives as long as the pod.
    EmptyDir {
        /// What it is made of.
        medium: Medium,
        /// Bytes it may hold; `None` and zero are no limit.
        size_limit: Option<Quantity>,
    },
    /// `hostPath`: a path of the node.
    HostPath {
        /// That path.
        path: String,
    },
    /// `configMap`.
    ConfigMap,
    /// `gitRepo`.
    GitRepo,
    /// Any other source, such as `secret` or `persistentVolumeClaim`, or none given.
    #[default]
    Other,
}

/// What an `emptyDir` is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Medium {
    /// The disk of the node (empty in Kubernetes).
    #[default]
    Default,
    /// `Memory`: a tmpfs.
    Memory,
    /// Any other, such as `HugePages` or `HugePages-2Mi`.
    Other,
}

impl Medium {
    /// The medium that Kubernetes spells so.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "" => Self::Default,
            "Memory" => Self::Memory,
            _ => Self::Other,
        }
    }
}

/// What a volume without a name is known by among others: the first 16 of the 64 hexadecimal
/// digits that its runtime made up. `None` for other names.
///
/// An image may have any number of such volumes: 8 bytes each are what it costs to know them.
#[must_use]
pub fn volume_key(name: &[u8]) -> Option<u64> {
    let is_made_up = name.len() == 64 && name.iter().all(u8::is_ascii_hexdigit);
    let digits = name.get(..16).filter(|_| is_made_up)?;
    u64::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
}
