//! What an evicted pod leaves on a disk that is short, and what would free it.

use evictd_node::Amount;
use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;

use super::Victim;

/// The command that removes a container of an engine, by the namespace that its pods have.
const REMOVES: [(&str, &str); 3] = [
    ("docker", "docker rm"),
    ("podman", "podman rm"),
    ("balena", "balena-engine rm"),
];

/// What the containers of a pod wrote at least, their logs included; `None` where nothing was
/// measured.
pub(crate) fn written(usage: &PodUsage) -> Option<u64> {
    let containers = usage.containers.iter();
    let known = containers.flat_map(|one| [one.rootfs_bytes, one.logs_bytes]);
    known.flatten().reduce(u64::saturating_add)
}

/// `docker rm web`, of a pod that is one container; one of several is removed as it was made.
pub(crate) fn removal(pod: &Pod) -> Option<String> {
    let (_, command) = REMOVES
        .iter()
        .find(|(of, _)| *of == pod.metadata.namespace)?;
    let [only] = pod.spec.containers.as_slice() else {
        return None;
    };
    let name = &only.name;
    // As engines allow it, so that it can be typed as it stands.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let is_it = *name == pod.metadata.name && !name.starts_with('-') && name.chars().all(is_plain);
    is_it.then(|| format!("{command} {name}"))
}

impl Victim {
    /// `its log and what it wrote, at least 680Mi, stay on the disk until …`, where they do.
    pub(crate) fn leftovers(&self) -> Option<String> {
        if !self.files_stay {
            return None;
        }
        let bytes = self.files_bytes.map(Amount::bytes);
        let bytes = bytes.map_or(String::new(), |bytes| format!(", at least {bytes},"));
        let by_hand = self.removal.as_deref().unwrap_or("by hand");
        Some(format!(
            "its log and what it wrote{bytes} stay on the disk until its container is removed: \
             {by_hand}, or --collect-dead-containers=all"
        ))
    }
}
