use evictd_containers::{ContainerRuntime, RuntimeListing};
use evictd_engine::ports::{Collected, Job};

/// What collects at one runtime. It is called on the helper's thread that lists, which may
/// wait.
pub trait Collecting: Send {
    /// Hears what the runtime holds, after each list.
    fn note_uses(&self, listing: &RuntimeListing);

    /// Does one job.
    ///
    /// # Errors
    /// Where nothing could be begun: which call failed, and how.
    fn collect(
        &mut self,
        runtime: &mut dyn ContainerRuntime,
        job: &Job,
    ) -> Result<Collected, String>;
}

/// Collects nothing.
impl Collecting for () {
    fn note_uses(&self, _: &RuntimeListing) {}

    fn collect(&mut self, _: &mut dyn ContainerRuntime, _: &Job) -> Result<Collected, String> {
        Ok(Collected::default())
    }
}
