use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use crate::docker_api::{Client, Error, Result};

use super::remove::gone_is_fine;
use crate::RuntimePod;

/// Ends all containers of a pod for good.
pub(super) fn end_pod(client: &Client, pod: &RuntimePod, grace: Duration) -> Result<()> {
    let ids: Vec<&str> = pod.running.iter().map(AsRef::as_ref).collect();
    let sandbox: Vec<&str> = pod.sandbox.iter().map(String::as_str).collect();
    let mut first = None;
    // Before they end, as a policy acts in the moment they do.
    let mut may_restart = false;
    for answer in client.forbid_restart(&ids) {
        may_restart |= has_no_such_call(&answer);
        keep(&mut first, forbidden(answer));
    }
    let mut missed: Vec<&str> = Vec::new();
    if grace.is_zero() {
        // What this gives does not count: the stop that follows finds what is left.
        let mut killed = client.kill(&ids).into_iter();
        missed.extend(
            ids.iter()
                .copied()
                .filter(|_| killed.next().is_some_and(has_missed)),
        );
    }
    stop(client, &ids, grace, &mut first);
    if may_restart {
        end_again(client, missed);
    }
    // Last, because it may hold the process ids of all others.
    stop(client, &sandbox, Duration::ZERO, &mut first);
    first.map_or(Ok(()), Err)
}

/// How soon Podman has started a container again that has ended by itself, at the latest,
/// and how often to look.
const RESTARTED: u32 = 50;
const LOOK_EVERY: Duration = Duration::from_millis(30);

/// Podman starts a container again that had ended before it was told to end it, as one
/// does that is killed through its cgroup at once: only what it ends while it runs stays
/// ended. So those that did not run any more are ended again as soon as they do.
fn end_again(client: &Client, mut missed: Vec<&str>) {
    for _ in 0..RESTARTED {
        if missed.is_empty() {
            return;
        }
        std::thread::sleep(LOOK_EVERY);
        let mut answers = client.kill(&missed).into_iter();
        missed.retain(|_| answers.next().is_some_and(has_missed));
    }
}

fn status(answer: &Result<()>) -> Option<u16> {
    answer.as_ref().err().and_then(|error| error.status())
}

/// Podman before version 5 says so, and so does who knows no such container.
fn has_no_such_call(answer: &Result<()>) -> bool {
    matches!(status(answer), Some(404 | 405))
}

/// It is there, and could not be killed: Podman says 409 or 500 where it does not run.
fn has_missed(answer: Result<()>) -> bool {
    status(&answer).is_some_and(|status| status != 404)
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
