//! The container runtimes.

use std::path::PathBuf;

use super::Collected;

/// The container runtimes, which hold some of the pods.
pub trait Runtimes {
    /// Whether there is any container runtime. If not, none of what follows matters.
    fn has_runtimes(&self) -> bool;

    /// Has the runtimes list what they hold; each says [`News::Listed`] once it has.
    fn ask_runtimes(&mut self);

    /// Pods are about to be chosen from: a runtime may say quickly what is new. What
    /// writable layers hold, which takes it longer, it says later.
    fn freshen(&mut self, with_layers: bool);

    /// What the runtimes had to say since the last call.
    fn take_news(&mut self) -> Vec<News>;

    /// Where the runtimes keep their things, as far as they have said.
    fn places(&self) -> Places;
}

/// Something that a container runtime has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// It answers.
    Reached {
        /// Its socket.
        endpoint: String,
        /// Its name and version.
        version: String,
        /// Whether its images lie in no filesystem.
        in_thin_pool: bool,
    },
    /// It has said what it holds, or failed to.
    Listed,
    /// It answers no more, or not yet: why.
    Lost(String),
    /// It answers and is being told to end the pod with this uid.
    Ending(String),
    /// It has ended the pod with this uid, and keeps it down as far as it can.
    Ended(String),
    /// It cannot end a pod.
    NotEnded {
        /// The pod's uid.
        uid: String,
        /// Why.
        error: String,
    },
    /// A collection is over.
    Collected {
        /// Of which job.
        number: u64,
        /// What came of it; an error where it could not be told what there is.
        result: Result<Collected, String>,
    },
}

/// Where container runtimes keep images and, if apart, writable layers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Of images.
    pub images: Option<PathBuf>,
    /// Of writable layers.
    pub layers: Option<PathBuf>,
}
