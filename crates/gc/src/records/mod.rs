mod entry;
mod key;
mod times;

pub use entry::ImageEntry;
pub use key::ImageKey;
pub use times::{ImageRecords, MOST_IMAGES};
