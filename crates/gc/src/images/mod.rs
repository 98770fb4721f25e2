mod collector;
mod goal;
mod image;
mod policy;
mod run;
mod summary;
mod usage;

pub use collector::ImageCollector;
pub use image::{Image, ImageDeletion, ImageReason, ImageRecord, Kept};
pub use policy::{ImagePolicy, ImagePolicyError, Reclaim};
pub use run::{ImageJob, ImageRun};
pub use summary::{Held, ImageGcError, ImageSummary, KeptImage};
pub use usage::FsUsage;
