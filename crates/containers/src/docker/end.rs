use core::time::Duration;

use super::client::{Client, gone_is_fine};
use super::engine::Engine;
use crate::{Error, RuntimePod};

type Answer = Result<(), Error>;

/// Ends all containers of a pod. Their restart policies stay as they are: an engine that
/// was told to stop a container does not start it again by itself.
///
/// # Errors
/// The first; all else is tried nevertheless.
pub(super) fn end_pod(
    client: &Client,
    engine: Engine,
    pod: &RuntimePod,
    grace: Duration,
) -> Answer {
    let ids: Vec<&str> = pod.running.iter().map(AsRef::as_ref).collect();
    let sandbox: Vec<&str> = pod.sandbox.as_deref().into_iter().collect();
    let mut missed: Vec<&str> = Vec::new();
    if grace.is_zero() {
        // What this returns does not count: the stop that follows finds what is left.
        let killed = ids.iter().zip(client.kill(&ids));
        missed.extend(
            killed
                .filter(|(_, answer)| has_missed(answer))
                .map(|(id, _)| *id),
        );
    }
    let stopped = stop(client, &ids, grace);
    if engine == Engine::Podman {
        end_again(client, missed);
    }
    // Last, because it may hold the process ids of all others.
    let sandbox_stopped = stop(client, &sandbox, Duration::ZERO);
    stopped.into_iter().chain(sandbox_stopped).collect()
}

/// How soon Podman has started a container again that has ended by itself, at the latest
/// (about 5 s: 2 s were seen on a busy machine), and how often to look.
const RESTARTED: u32 = 160;
const LOOK_EVERY: Duration = Duration::from_millis(30);

/// Podman may start a container again that had ended before it was told to end it, as one
/// does that is killed through its cgroup at once: only what it ends while it runs stays
/// ended. (Docker remembers the stop also of one that it is about to start again.) So those that did not run any more are ended again as soon as they do.
fn end_again(client: &Client, mut missed: Vec<&str>) {
    for _ in 0..RESTARTED {
        if missed.is_empty() {
            return;
        }
        std::thread::sleep(LOOK_EVERY);
        let mut answers = client.kill(&missed).into_iter();
        missed.retain(|_| answers.next().is_some_and(|answer| has_missed(&answer)));
    }
}

fn code(answer: &Answer) -> Option<u32> {
    answer.as_ref().err().and_then(Error::code)
}

/// It is there, and could not be killed: Podman says 409 or 500 where it does not run.
fn has_missed(answer: &Answer) -> bool {
    code(answer).is_some_and(|code| code != 404)
}

/// Stops them; Podman stops none that is paused, so those that are refused are thawed and
/// stopped again.
fn stop(client: &Client, ids: &[&str], grace: Duration) -> Vec<Answer> {
    let mut answers: Vec<Answer> = client
        .stop(ids, grace)
        .into_iter()
        .map(gone_is_fine)
        .collect();
    let is_refused = |(_, answer): &(&&str, &Answer)| code(answer).is_some();
    let refused = ids.iter().zip(&answers).filter(is_refused);
    let refused: Vec<&str> = refused.map(|(id, _)| *id).collect();
    if !refused.is_empty() {
        drop(client.unpause(&refused));
        answers.retain(|answer| code(answer).is_none());
        answers.extend(client.stop(&refused, grace).into_iter().map(gone_is_fine));
    }
    answers
}
