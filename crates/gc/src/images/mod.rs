mod collect;
mod goal;
mod image;
mod policy;
mod run;
mod summary;
mod usage;

pub use collect::{Removal, TOO_OLD, collect_images};
pub use image::{Image, ImageRecord, Kept};
pub use policy::ImagePolicy;
pub use run::{Enough, ImageJob, ImageRun};
pub use summary::{Held, ImageGcError, ImageSummary, KeptImage, Shortage};
pub use usage::FsUsage;
