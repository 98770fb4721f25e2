use evictd_node::pod::usage::PodUsage;

/// Less than that is not worth telling.
const TRIFLE_BYTES: u64 = 1 << 20;

/// What is mounted into a pod's containers and holds the most of all that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Volume {
    /// Where it lies on the node.
    pub path: String,
    /// What it holds.
    pub bytes: u64,
}

impl Volume {
    /// The largest that a pod is known to write to, if it is no trifle.
    pub(crate) fn largest(usage: &PodUsage) -> Option<Self> {
        let mounts = usage.mounts.iter();
        let known = mounts.filter_map(|mount| Some((mount.used_bytes?, &mount.path)));
        let (bytes, path) = known.max_by_key(|(bytes, _)| *bytes)?;
        (bytes >= TRIFLE_BYTES).then(|| Self {
            path: path.clone(),
            bytes,
        })
    }
}
