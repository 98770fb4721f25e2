use alloc::format;
use alloc::vec::Vec;
use core::time::Duration;

use crate::docker_api::request::{Method, Request};
use crate::docker_api::{Client, Result};

/// Sets the restart policy to none.
const NO_RESTART: &str = r#"{"RestartPolicy":{"Name":"no"}}"#;

impl Client {
    /// Sets the restart policy of all these containers to none, at once.
    ///
    /// Answers in the same order; status 404 where there is no such container,
    /// and from Podman before 5, which has no such call.
    #[must_use]
    pub fn forbid_restart(&self, ids: &[&str]) -> Vec<Result<()>> {
        let update = |id: &str| about(id, "/update").body(NO_RESTART);
        self.post_all(ids, &update, Duration::ZERO)
    }

    /// Stops all these containers at once: their stop signal now, SIGKILL after
    /// `grace`, which counts in whole seconds and is rounded up. Returns when
    /// they have ended, or their time limit and the grace are over.
    ///
    /// Answers in the same order; one that has ended before is no error, status
    /// 404 where there is no such container.
    #[must_use]
    pub fn stop(&self, ids: &[&str], grace: Duration) -> Vec<Result<()>> {
        let seconds = grace.as_secs() + u64::from(grace.subsec_nanos() > 0);
        let query = format!("?t={seconds}");
        let stop = |id: &str| about(id, "/stop").query(&query);
        self.post_all(ids, &stop, Duration::from_secs(seconds))
    }

    /// Kills all these containers at once. Returns when they have ended.
    ///
    /// Answers in the same order; status 409 where it did not run, 404 where
    /// there is no such container.
    #[must_use]
    pub fn kill(&self, ids: &[&str]) -> Vec<Result<()>> {
        self.post_all(ids, &|id: &str| about(id, "/kill"), Duration::ZERO)
    }

    /// Thaws all these containers at once, as some engines stop none that is
    /// paused. Answers in the same order.
    #[must_use]
    pub fn unpause(&self, ids: &[&str]) -> Vec<Result<()>> {
        self.post_all(ids, &|id: &str| about(id, "/unpause"), Duration::ZERO)
    }

    /// Removes a container that does not run, and its anonymous volumes.
    ///
    /// # Errors
    /// When it is still there; status 404 where it was not there before, 409
    /// where it runs or is being removed.
    pub fn remove_container(&mut self, id: &str) -> Result<()> {
        let request = Request::about(Method::Delete, "/containers/", id, "").query("?v=true");
        self.call(&request).map(drop)
    }

    fn post_all(
        &self,
        ids: &[&str],
        request: &dyn Fn(&str) -> Request,
        extra: Duration,
    ) -> Vec<Result<()>> {
        let requests: Vec<_> = ids.iter().map(|id| request(id)).collect();
        let answers = self.call_all(&requests, extra);
        answers.into_iter().map(|answer| answer.map(drop)).collect()
    }
}

fn about(id: &str, what: &str) -> Request {
    Request::about(Method::Post, "/containers/", id, what)
}
