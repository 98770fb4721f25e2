use alloc::sync::Arc;
use std::path::Path;

use evictd_containers::{ContainerRuntime, Error, RuntimeListing};

use super::backend::{Candidate, open_first};

/// What a runtime holds, as it last said.
pub struct Listed {
    pub(super) candidate: Candidate,
    /// Its pods and containers.
    pub listing: Arc<RuntimeListing>,
}

impl Listed {
    /// What the runtime behind this socket holds.
    pub fn at(socket: &Path, listing: RuntimeListing) -> Self {
        Self {
            candidate: Candidate::at(socket),
            listing: Arc::new(listing),
        }
    }

    /// Opens the runtime, to be asked in the calling thread; with its name and version.
    ///
    /// # Errors
    /// Why it does not answer.
    pub fn open(&self) -> Result<(Box<dyn ContainerRuntime>, String), Error> {
        open_first(&self.candidate)
    }
}
