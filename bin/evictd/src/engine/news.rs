//! What the container runtimes' threads have to say.

use evictd_node::Mono;

use super::{Engine, Event, Tell};
use crate::gc::RuntimeCollected;
use crate::runtimes::News;

/// Acceptance row 23.
const THIN_POOL: &str = "images lie in a devicemapper thin pool, which is no filesystem: imagefs \
     cannot be watched there; dockerd --storage-opt dm.basesize=50G bounds each layer";

impl Engine {
    /// Takes in what the container runtimes' threads have to say; answers whether
    /// there was anything.
    pub(super) fn take_news(&mut self, now: Mono, tell: Tell<'_>) -> bool {
        if self.pods.runtimes.is_empty() {
            return false;
        }
        let all = self.pods.runtimes.news();
        let any = !all.is_empty();
        for news in all {
            match news {
                News::Reached {
                    endpoint,
                    version,
                    in_thin_pool,
                } => {
                    tell(now, &Event::runtime(&version, &endpoint));
                    if in_thin_pool {
                        tell(now, &Event::problem("imagefs", &THIN_POOL));
                    }
                    self.reclaiming.runtime_is_back();
                    self.follow_disks(now, tell);
                }
                News::Listed => {
                    self.listed = true;
                    if self.census.is_some() {
                        self.tick_now();
                    }
                }
                News::Lost(error) => {
                    tell(now, &Event::problem("runtime", &error));
                    self.told.lost = Some(error.to_string());
                }
                News::Ending { uid } => {
                    if let Some(flight) = &mut self.flight
                        && flight.victim.uid == uid
                    {
                        flight.heard();
                    }
                }
                News::Ended {
                    uid: _,
                    result: Ok(()),
                } => {}
                News::Ended {
                    uid,
                    result: Err(error),
                } => {
                    self.end_without_runtime(now, &uid, &error.to_string(), tell);
                }
                News::Collected { number, result } => {
                    self.take_collected(now, number, result, tell);
                }
            }
        }
        any
    }

    /// The runtime cannot end a pod: it is ended through its cgroup alone.
    fn end_without_runtime(&mut self, now: Mono, uid: &str, error: &str, tell: Tell<'_>) {
        let what = match &mut self.flight {
            Some(flight) if flight.victim.uid == uid => {
                flight.kill.ask();
                "its processes are ended through its cgroup"
            }
            _ => "its processes are gone already",
        };
        let text = format!(
            "{error}; pod uid {uid}: {what}, and the runtime is asked again when it is back, \
             as it might start the pod anew"
        );
        tell(now, &Event::problem("runtime", &text));
        self.go_on_killing(now, tell);
    }

    fn take_collected(
        &mut self,
        now: Mono,
        number: u64,
        result: Result<RuntimeCollected, String>,
        tell: Tell<'_>,
    ) {
        match self.reclaiming.awaited.take() {
            Some(mut reclaim) if reclaim.number == number => {
                tell_collected(now, &result, tell);
                reclaim.gave |= matches!(&result, Ok(collected) if collected.has_given());
                reclaim.answers = reclaim.answers.saturating_sub(1);
                self.go_on_reclaiming(now, reclaim, tell);
            }
            other => {
                self.reclaiming.awaited = other;
                self.reclaiming.regular = self.reclaiming.regular.saturating_sub(1);
                self.take_regular(now, number, &result, tell);
            }
        }
    }

    /// A regular collection that fails as the one before needs no other line, nor one
    /// whose runtime was said not to be there.
    fn take_regular(
        &mut self,
        now: Mono,
        number: u64,
        result: &Result<RuntimeCollected, String>,
        tell: Tell<'_>,
    ) {
        let has_given = matches!(result, Ok(collected) if collected.has_given());
        // Of a dry run, what would be done counts as not done.
        let reached = has_given || matches!(result, Ok(collected) if collected.is_empty());
        let rest = if number == self.reclaiming.images_job {
            &mut self.reclaiming.images_rest
        } else {
            &mut self.reclaiming.containers_rest
        };
        let is_lost = matches!(result, Err(problem) if Some(problem) == self.told.lost.as_ref());
        if (rest.ended(reached) && !is_lost) || has_given {
            tell_collected(now, result, tell);
        }
    }
}

fn tell_collected(now: Mono, result: &Result<RuntimeCollected, String>, tell: Tell<'_>) {
    match result {
        Ok(collected) if collected.is_empty() => {}
        Ok(collected) => tell(now, &Event::reclaimed_by_runtime(collected)),
        Err(problem) => tell(now, &Event::problem("runtime", problem)),
    }
}
