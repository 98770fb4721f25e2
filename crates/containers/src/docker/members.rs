//! Which containers are in Podman's own pods.

use super::client::Client;
use super::engine::Engine;
use crate::Error;
use crate::pods::Found;

/// Tells each container which of Podman's pods it is in.
pub(super) fn find_pods<D>(
    engine: Engine,
    client: &Client,
    listed: &mut [(Found, D)],
) -> Result<(), Error> {
    let ids = listed.iter().map(|(found, _)| found.container.id.clone());
    let mut by_id: Vec<_> = ids.zip(0..).collect();
    by_id.sort_unstable();
    client.podman_pods(engine, |pod| {
        let infra = Some(&pod.infra_id).filter(|id| !id.is_empty());
        for member in &pod.members {
            let place = by_id.binary_search_by(|(id, _)| (**id).cmp(member));
            let at = place.ok().and_then(|place| by_id.get(place));
            if let Some((found, _)) = at.and_then(|(_, at)| listed.get_mut(*at)) {
                found.group = Some((pod.id.clone(), pod.name.clone()));
                found.is_sandbox |= *pod.infra_id == *found.container.id;
                let sandbox = &mut found.container.sandbox;
                if sandbox.is_none() {
                    *sandbox = infra.map(|id| id.as_str().into());
                }
            }
        }
    })
}
