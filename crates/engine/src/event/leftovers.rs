//! What an evicted pod leaves on a disk that is short, and what would free it.

use evictd_evict::{Left, Remedy};
use evictd_node::Amount;
use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;

use super::name::cut;
use super::{Victim, Volume};

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
    /// The larger of what its containers wrote, where that stays, and of the volume that they
    /// wrote to.
    pub(crate) fn left(&self) -> Option<Left> {
        let removal = self.removal.as_deref();
        let files = self
            .files_bytes
            .filter(|_| self.files_stay)
            .map(|bytes| Left {
                what: format!("what {self} wrote"),
                bytes,
                remedy: removal.map_or(Remedy::Unknown, |command| {
                    Remedy::Command(command.to_owned())
                }),
            });
        let volume = self.volume.as_ref().map(|volume| self.left_in(volume));
        files
            .into_iter()
            .chain(volume)
            .max_by_key(|left| left.bytes)
    }

    /// A volume can be removed once its container is.
    fn left_in(&self, volume: &Volume) -> Left {
        let (path, bytes) = (&volume.path, volume.bytes);
        let engine = |removal: &str| removal.split_once(' ').map(|(engine, _)| engine.to_owned());
        let by_name = volume.name().zip(self.removal.as_deref());
        let command = by_name.and_then(|(name, removal)| {
            let engine = engine(removal)?;
            Some(format!("{removal} && {engine} volume rm {name}"))
        });
        match (volume.name(), command) {
            (Some(name), Some(command)) => Left {
                what: format!("volume {name}"),
                bytes,
                remedy: Remedy::Command(command),
            },
            _ => Left {
                what: cut(path),
                bytes,
                remedy: Remedy::DeleteIn(path.clone()),
            },
        }
    }

    /// `its log and what it wrote, at least 680Mi, stay on the disk until …`, where they do and
    /// are the most of what stays; else the volume that it wrote to.
    pub(crate) fn leftovers(&self) -> Option<String> {
        let volume = self.volume.as_ref();
        let of_volume =
            volume.filter(|volume| Some(volume.bytes) > self.files_bytes || !self.files_stay);
        if let Some(volume) = of_volume {
            let Left {
                what,
                bytes,
                remedy,
            } = self.left_in(volume);
            let bytes = Amount::bytes(bytes);
            let how = match remedy {
                Remedy::Command(command) => format!(": `{command}` frees it"),
                Remedy::DeleteIn(_) | Remedy::Unknown => String::new(),
            };
            return Some(format!(
                "{what}, which it wrote to, holds {bytes} and stays{how}"
            ));
        }
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
