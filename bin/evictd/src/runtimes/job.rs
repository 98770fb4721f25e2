use alloc::sync::Arc;

use evictd_containers::Error;

use crate::gc::RuntimeCollected;

/// What a runtime is to collect.
#[derive(Clone)]
pub(crate) struct CollectJob {
    /// Comes back with the answer.
    pub(crate) number: u64,
    pub(crate) what: Collect,
    /// Only say what would be deleted.
    pub(crate) dry_run: bool,
}

/// What is collected, and how much of it.
#[derive(Clone)]
pub(crate) enum Collect {
    /// Dead containers and sandboxes.
    Containers {
        /// All of pods that have ended, because the disk starves; else what the
        /// limits say.
        all_unused: bool,
        /// Uids of pods that evictd has evicted.
        evicted: Arc<[String]>,
    },
    /// Images down to the low watermark.
    ImagesByUsage,
    /// All unused images, because the disk starves.
    UnusedImages {
        /// Stop as soon as the disk has as much.
        until: Option<Enough>,
    },
}

/// How much has to be available, threshold and minimum reclaim together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enough {
    Bytes(u64),
    Inodes(u64),
}

/// Something that a runtime's thread has to say.
pub(crate) enum News {
    /// It answers: who it is.
    Reached {
        /// The socket.
        endpoint: String,
        /// Name and version.
        version: String,
        /// Whether its images lie in no filesystem.
        in_thin_pool: bool,
    },
    /// It has said what it holds, or failed to.
    Listed,
    /// It answers no more, or not yet.
    Lost(Error),
    /// It answers and is being told to end a pod.
    Ending {
        /// Which.
        uid: String,
    },
    /// It was told to end a pod.
    Ended {
        /// Which.
        uid: String,
        /// Whether it did.
        result: Result<(), Error>,
    },
    /// A collection is over.
    Collected {
        /// Of which job.
        number: u64,
        /// What came of it; `Err` when nothing was, as it could not be told what
        /// there is.
        result: Result<RuntimeCollected, String>,
    },
}
