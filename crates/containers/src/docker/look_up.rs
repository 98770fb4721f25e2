//! What is known of a container beside the list.

use alloc::sync::Arc;
use core::time::Duration;
use std::path::Path;
use std::time::Instant;

use super::client::Client;
use crate::pods::{Details, Found, HostOverlays, read_cgroup};
use crate::text::clean;
use crate::{ContainerState, Error, ListedContainer, WritableLayer};

/// What is known of a container beside the list; `None` when it has vanished meanwhile.
pub(super) fn look_up(
    client: &Client,
    proc: &Path,
    found: &Found,
    before: Option<&Details>,
    notes: &mut Vec<String>,
) -> Result<Option<Details>, Error> {
    let id = &found.container.id;
    let mut details = match client.details(id) {
        Ok(details) => details,
        Err(error) if error.code() == Some(404) => return Ok(None),
        // One that the engine cannot look at must not hide the others. What was known counts.
        Err(error) if error.is_answer() => {
            notes.push(clean(&format!("{}: {}", error.call, error.failure)));
            before.cloned().unwrap_or_default()
        }
        Err(error) => return Err(error),
    };
    for volume in &mut details.image_volumes {
        find_volumes_image(client, volume)?;
    }
    details.cgroup = read_cgroup(proc, details.pid, id);
    // With containerd's image store the engine does not say where it is.
    if details.layer == WritableLayer::Unknown && details.cgroup.is_some() {
        let layer = HostOverlays::default().layer(proc, details.pid, id);
        details.layer = layer.map_or(WritableLayer::Unknown, WritableLayer::Dir);
    }
    // One that runs in no cgroup that could be found is asked again the next time.
    if details.pid == 0 || details.cgroup.is_some() {
        details.told.clone_from(&found.told);
    }
    if let Some(before) = before {
        keep_what_it_had(&mut details, before);
    }
    Ok(Some(details))
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

/// Puts its id in the place of an image's name: the engine says what `alpine` means.
fn find_volumes_image(client: &Client, image: &mut Arc<str>) -> Result<(), Error> {
    match client.image(image) {
        Ok(found) => *image = found.id.into(),
        Err(error) if !error.is_answer() => return Err(error),
        Err(_) => {} // It has no image of that name.
    }
    Ok(())
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
