use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use evictd_docker::{Client, Error, Result};

use super::remove::gone_is_fine;
use crate::RuntimePod;

/// Ends all containers of a pod for good.
pub(super) fn end_pod(client: &Client, pod: &RuntimePod, grace: Duration) -> Result<()> {
    let ids: Vec<&str> = pod.running.iter().map(AsRef::as_ref).collect();
    let sandbox: Vec<&str> = pod.sandbox.iter().map(String::as_str).collect();
    let mut first = None;
    // Before they end, as a policy acts in the moment they do.
    for answer in client.forbid_restart(&ids) {
        keep(&mut first, forbidden(answer));
    }
    if grace.is_zero() {
        // What this gives does not count: the stop that follows finds what is left.
        drop(client.kill(&ids));
    }
    stop(client, &ids, grace, &mut first);
    // Last, because it may hold the process ids of all others.
    stop(client, &sandbox, Duration::ZERO, &mut first);
    first.map_or(Ok(()), Err)
}

/// Podman before version 5 has no such call (404, 405), and a container that is
/// being removed has no policy any more (409).
fn forbidden(answer: Result<()>) -> Result<()> {
    match answer {
        Err(error) if matches!(error.status(), Some(404 | 405 | 409)) => Ok(()),
        other => other,
    }
}

fn stop(client: &Client, ids: &[&str], grace: Duration, first: &mut Option<Box<Error>>) {
    let answers = client.stop(ids, grace);
    let mut refused = Vec::new();
    for (id, answer) in ids.iter().zip(answers) {
        match gone_is_fine(answer) {
            Err(error) if error.status().is_some() => refused.push(*id),
            answer => keep(first, answer),
        }
    }
    if refused.is_empty() {
        return;
    }
    // Podman stops none that is paused.
    drop(client.unpause(&refused));
    for answer in client.stop(&refused, grace) {
        keep(first, gone_is_fine(answer));
    }
}

fn keep(first: &mut Option<Box<Error>>, answer: Result<()>) {
    if let Err(error) = answer {
        first.get_or_insert(error);
    }
}
