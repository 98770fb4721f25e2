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

/// Where Docker and Podman keep their volumes: `…/volumes/NAME/_data`.
const OF_ENGINES: (&str, &str) = ("/volumes/", "/_data");

impl Volume {
    /// Its name, where it is a volume of a container engine and no directory of the node.
    pub(crate) fn name(&self) -> Option<&str> {
        let (before, after) = OF_ENGINES;
        let (_, name) = self.path.strip_suffix(after)?.rsplit_once(before)?;
        // As engines allow it, so that it can be typed as it stands.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let is_it = !name.starts_with('-') && !name.is_empty() && name.chars().all(is_plain);
        is_it.then_some(name)
    }

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
