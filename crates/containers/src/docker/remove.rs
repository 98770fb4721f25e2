use alloc::format;
use alloc::string::String;
use core::time::Duration;

use crate::docker_api::{Client, Result, clean};

use super::engine::Engine;
use super::refusal;

/// What is gone needs no removing.
pub(super) fn gone_is_fine(answer: Result<()>) -> Result<()> {
    match answer {
        Err(error) if error.status() == Some(404) => Ok(()),
        other => other,
    }
}

/// Removes a sandbox. Podman removes no infra container but with its pod, and
/// with a pod all that is in it: so nothing else may be.
pub(super) fn remove_sandbox(client: &mut Client, engine: Engine, id: &str) -> Result<()> {
    let pods = match engine {
        Engine::Podman => client.podman_pods()?,
        Engine::Docker | Engine::Balena => alloc::vec::Vec::new(),
    };
    let pod = pods.into_iter().find(|pod| pod.infra_id == id);
    if let Some(pod) = &pod
        && let Some(other) = pod.container_ids.iter().find(|other| *other != id)
    {
        let message = format!("container {} is still in the pod", clean(other));
        return Err(refusal("DELETE /libpod/pods", message));
    }
    for answer in client.stop(&[id], Duration::ZERO) {
        gone_is_fine(answer)?;
    }
    gone_is_fine(match pod {
        Some(pod) => client.remove_podman_pod(&pod.id),
        None => client.remove_container(id),
    })
}

/// Removes an image, never by force.
///
/// One of several names goes by its id only with force, so each name is removed
/// first. That would cost an image in use its names: so nobody may use it.
pub(super) fn remove_image(client: &mut Client, id: &str) -> Result<()> {
    let image = match client.image(id) {
        Err(error) if error.status() == Some(404) => return Ok(()),
        other => other?,
    };
    if image.tags.len() + image.digests.len() > 1 {
        let containers = client.containers()?;
        if let Some(user) = containers.iter().find(|other| other.image_id == image.id) {
            let message = format!("container {} uses it", clean(&user.name));
            return Err(refusal(&format!("DELETE /images/{}", clean(id)), message));
        }
    }
    if image.tags.len() > 1 {
        remove_names(client, &image.tags)?;
    }
    match gone_is_fine(client.remove_image(&image.id)) {
        // By digest it may have names in several repositories as well.
        Err(error) if image.tags.is_empty() && image.digests.len() > 1 => {
            drop(error);
            remove_names(client, &image.digests)?;
            gone_is_fine(client.remove_image(&image.id))
        }
        answer => answer,
    }
}

fn remove_names(client: &mut Client, names: &[String]) -> Result<()> {
    for name in names {
        gone_is_fine(client.remove_image(name))?;
    }
    Ok(())
}
