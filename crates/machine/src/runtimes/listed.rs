use alloc::sync::Arc;

use evictd_containers::RuntimeListing;

use super::backend::Candidate;

/// What a runtime holds, as it last said.
pub struct Listed {
    pub(crate) candidate: Candidate,
    pub(crate) listing: Arc<RuntimeListing>,
}
