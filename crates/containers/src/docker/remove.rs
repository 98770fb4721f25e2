use core::time::Duration;

use super::client::{Client, gone_is_fine};
use super::engine::Engine;
use super::podman::PodmanPod;
use crate::Error;
use crate::text::clean;

/// Removes a sandbox. Podman removes no infra container but with its pod, and
/// with a pod all that is in it: so nothing else may be.
pub(super) fn remove_sandbox(client: &Client, engine: Engine, id: &str) -> Result<(), Error> {
    let mut pod = None;
    client.podman_pods(engine, |one| {
        if one.infra_id == id {
            pod = Some(one);
        }
    })?;
    let stranger = |pod: &'_ PodmanPod| {
        let other = pod.members.iter().find(|other| *other != id);
        let unknown = pod.is_partial.then(|| "that could not be read".to_owned());
        other.map(|other| clean(other)).or(unknown)
    };
    if let Some(other) = pod.as_ref().and_then(stranger) {
        let message = format!("container {other} is still in the pod");
        return Err(client.refusal("DELETE /libpod/pods", &message));
    }
    let mut stopped = client.stop(&[id], Duration::ZERO).into_iter();
    stopped.try_for_each(gone_is_fine)?;
    match pod {
        Some(pod) => client.remove_podman_pod(&pod.id),
        None => client.remove_container(id),
    }
}

/// Removes an image, never by force.
///
/// One of several names goes by its id only with force, so each name is removed
/// first. That would cost an image in use its names: so no container may use it.
pub(super) fn remove_image(client: &Client, id: &str) -> Result<(), Error> {
    let image = match client.image(id) {
        // It may be one whose description is lost and whose files are not.
        Err(error) if error.code() == Some(404) => return client.remove_image(id),
        other => other?,
    };
    if image.tags.len() + image.digests.len() > 1
        && let Some(user) = client.user_of(&image.id)?
    {
        let message = format!("container {} uses it", clean(&user));
        return Err(client.refusal(&format!("DELETE /images/{}", clean(id)), &message));
    }
    if image.pinned {
        let message = "not all of its names could be read";
        return Err(client.refusal(&format!("DELETE /images/{}", clean(id)), message));
    }
    let remove_all = |names: &[String]| names.iter().try_for_each(|name| client.remove_image(name));
    if image.tags.len() > 1 {
        remove_all(&image.tags)?;
    }
    let by_id = [image.id];
    match remove_all(&by_id) {
        // By digest it may have names in several repositories as well.
        Err(_) if image.tags.is_empty() && image.digests.len() > 1 => {
            remove_all(&image.digests)?;
            remove_all(&by_id)
        }
        answer => answer,
    }
}
