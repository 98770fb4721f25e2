use core::time::Duration;

use evictd_cgroup::Releaser;
use evictd_machine::engine::{self, Engine};
use evictd_node::Mono;

/// The threads that the loop can do without for a while. With the process table full
/// there are none to have, and evictd may have been started to end that.
pub(super) struct Helpers {
    pub(super) releaser: Releaser,
    /// When to try again.
    pub(super) due: Option<Mono>,
}

impl Helpers {
    const AGAIN: Duration = Duration::from_secs(10);

    pub(super) fn new(goes_first: bool) -> Self {
        Self {
            releaser: Releaser::new(goes_first),
            due: None,
        }
    }

    pub(super) fn start(&mut self, now: Mono, engine: &mut Engine) {
        let started = self.releaser.start();
        let started = started.and_then(|()| engine.pods_mut().start_manifests());
        let started = started.and_then(|()| engine::measure_disk(engine));
        let started = started.and_then(|()| engine.pods().runtimes().follow());
        match (&started, self.due) {
            (Err(error), None) => log::warn!(
                event = "no_helper_thread";
                "no helper thread ({error}): until there is one, the killed free their memory by \
                 themselves, what pods keep on disk is not measured, and what is new in container \
                 runtimes is known up to ten seconds late"
            ),
            (Ok(()), Some(_)) => {
                log::info!(event = "helper_threads"; "the helper threads are there now");
            }
            (Ok(()), None) | (Err(_), Some(_)) => {}
        }
        self.due = started.is_err().then(|| now + Self::AGAIN);
    }

    pub(super) fn start_if_due(&mut self, now: Mono, engine: &mut Engine) {
        if self.due.is_some_and(|due| now >= due) {
            self.start(now, engine);
        }
    }
}
