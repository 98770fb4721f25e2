//! What is known of a container beside the list.

use core::time::Duration;
use std::path::Path;
use std::time::Instant;

use super::client::Client;
use crate::pods::{
    Answer, Details, Found, HostOverlays, Question, find_mounted_images, left, read_cgroup,
};
use crate::{ContainerState, Error, ListedContainer, WritableLayer};

/// How many containers are asked for at once: the others are known while one hangs.
pub(super) const TOGETHER: usize = 16;

/// What is known of these containers beside the list; `None` of what has vanished meanwhile.
pub(super) fn look_up(
    client: &Client,
    proc: &Path,
    questions: &[Question<'_>],
    within: Duration,
) -> Vec<Answer> {
    let begun = Instant::now();
    let ids = questions.iter().map(|(found, _)| &*found.container.id);
    let all = client.details(&ids.collect::<Vec<_>>(), within);
    let mut overlays = HostOverlays::default();
    let complete = |(answer, (found, before)): (_, &Question<'_>)| match answer {
        Ok(details) => {
            let mut details: Details = details;
            complete(&mut details, (proc, &mut overlays), found, *before);
            find_mounted_images(&mut details, left(within, begun), |name, within| {
                client.image_within(name, within).map(|image| image.id)
            });
            Ok(Some(details))
        }
        Err(error) if Error::code(&error) == Some(404) => Ok(None),
        Err(error) => Err(error),
    };
    all.into_iter().zip(questions).map(complete).collect()
}

fn complete(
    details: &mut Details,
    (proc, overlays): (&Path, &mut HostOverlays),
    found: &Found,
    before: Option<&Details>,
) {
    let id = &found.container.id;
    details.cgroup = read_cgroup(proc, details.pid, id);
    // With containerd's image store the engine does not say where it is.
    if details.layer == WritableLayer::Unknown && details.cgroup.is_some() {
        let layer = overlays.layer(proc, details.pid, id);
        details.layer = layer.map_or(WritableLayer::Unknown, WritableLayer::Dir);
    }
    // One that runs in no cgroup that could be found is asked again the next time.
    if details.pid == 0 || details.cgroup.is_some() {
        details.told.clone_from(&found.told);
    }
    if let Some(before) = before {
        keep_what_it_had(details, before);
    }
}

fn keep_what_it_had(details: &mut Details, before: &Details) {
    // The layer outlives the process that led to it.
    if details.layer == WritableLayer::Unknown {
        details.layer.clone_from(&before.layer);
    }
    // Podman says for seconds that a container has ended which it has started again:
    // what runs in its cgroup is the container all the same.
    if details.cgroup.is_none() && details.restart_policy.is_some() {
        details.cgroup.clone_from(&before.cgroup);
    }
}

/// What running containers have written whose layers nobody has found.
pub(super) fn measure_layers(client: &Client, containers: &mut [ListedContainer]) {
    const FOR_ALL: Duration = Duration::from_secs(4);
    let begun = Instant::now();
    let is_open = |one: &&mut ListedContainer| {
        one.state == ContainerState::Running && one.layer == WritableLayer::Unknown
    };
    let mut open: Vec<_> = containers.iter_mut().filter(is_open).collect();
    open.sort_by_key(|one| !one.has_disk_limit);
    for container in open {
        if begun.elapsed() >= FOR_ALL {
            return;
        }
        if let Ok(Some(bytes)) = client.written_bytes(&container.id) {
            let inodes = None;
            container.layer = WritableLayer::Used { bytes, inodes };
        }
    }
}
