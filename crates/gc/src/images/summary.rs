use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use evictd_quantity::GoDuration;

use crate::{Kept, nanos};

/// What a collection of images came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageSummary {
    /// How many images are gone.
    pub removed: usize,
    /// The listed sizes of those that are gone, summed up.
    pub listed_bytes: u64,
    /// By how much more became available meanwhile, as measured; less than
    /// nothing where more was written than was freed.
    pub freed_bytes: i64,
    /// By how much more inodes became available meanwhile.
    pub freed_inodes: i64,
    /// Every other image, in the order of the images, and why it stays.
    pub kept: Vec<KeptImage>,
    /// Why the run did not reach what it was for.
    pub error: Option<ImageGcError>,
}

/// An image that stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptImage {
    /// Which, as an index into the images.
    pub index: usize,
    /// Why.
    pub reason: Kept,
}

/// What images that stay for one reason hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Held {
    /// Why they stay.
    pub reason: Kept,
    /// How many they are.
    pub images: usize,
    /// Their listed sizes, summed up.
    pub listed_bytes: u64,
}

impl ImageSummary {
    /// What holds the space that is left: the images that stay, by reason, those
    /// that hold most first. `sizes` are those of the images.
    #[must_use]
    pub fn held(&self, images: &[crate::Image]) -> Vec<Held> {
        let mut all: Vec<Held> = Vec::new();
        for KeptImage { index, reason } in self.kept.iter().copied() {
            let size = images.get(index).map_or(0, |image| image.size_bytes);
            if let Some(held) = all.iter_mut().find(|held| held.reason == reason) {
                held.images = held.images.saturating_add(1);
                held.listed_bytes = held.listed_bytes.saturating_add(size);
            } else {
                all.push(Held {
                    reason,
                    images: 1,
                    listed_bytes: size,
                });
            }
        }
        all.sort_by_key(|held| (core::cmp::Reverse(held.listed_bytes), held.reason));
        all
    }
}

/// Why a collection of images did not reach what it was for. It prints in the
/// kubelet's words, where the kubelet has any; what each removal failed with, the
/// caller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageGcError {
    /// It is not known how much of the filesystem is used.
    NoUsage,
    /// The filesystem says that it has no room at all.
    InvalidCapacity,
    /// Too little could be deleted.
    NotEnough(Shortage),
    /// Images could not be removed.
    Removal {
        /// How many bytes were to become free.
        wanted: i64,
        /// How many did.
        freed: i64,
    },
    /// Images beyond the maximum age could not be removed.
    RemovalOfOld {
        /// The maximum age.
        max_age: Duration,
    },
}

impl fmt::Display for ImageGcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoUsage => f.write_str("the use of the image filesystem is not known"),
            Self::InvalidCapacity => f.write_str("invalid capacity 0 on image filesystem"),
            Self::NotEnough(shortage) => shortage.fmt(f),
            Self::Removal { wanted, freed } => write!(
                f,
                "wanted to free {wanted} bytes, but freed {freed} bytes space with errors in \
                 image deletion"
            ),
            Self::RemovalOfOld { max_age } => write!(
                f,
                "wanted to free images older than {}, encountered errors in image deletion",
                GoDuration::from_nanos(nanos(*max_age))
            ),
        }
    }
}

impl core::error::Error for ImageGcError {}

/// How much was missing on the filesystem of images, and how much of it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shortage {
    /// How many bytes or inodes were to become free.
    pub wanted: i64,
    /// How many did.
    pub found: i64,
    /// Whether they are inodes, which the kubelet does not count.
    pub of_inodes: bool,
    /// How much was used before, in percent.
    pub percent_used: i64,
    /// Of how many bytes or inodes.
    pub capacity: u64,
    /// In the words of Kubernetes v1.32
    /// ([`Policy::image_gc_error_tells_amounts_only`](evictd_node::Policy)).
    pub tells_amounts_only: bool,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wanted, found, .. } = self;
        let (unit, what) = match self.of_inodes {
            false => ("bytes", "disk space"),
            true => ("inodes", "inodes"),
        };
        if self.tells_amounts_only {
            return write!(
                f,
                "Failed to garbage collect required amount of images. Attempted to free \
                 {wanted} {unit}, but only found {found} {unit} eligible to free."
            );
        }
        let percent = self.percent_used;
        write!(
            f,
            "Insufficient free {what} on the node's image filesystem ({percent}% of "
        )?;
        match self.of_inodes {
            false => write_size(f, self.capacity)?,
            true => write!(f, "{}", self.capacity)?,
        }
        write!(
            f,
            " used). Failed to free sufficient {} by deleting unused images (freed {found} \
             {unit}). Investigate disk usage, as it could be used by active images, logs, \
             volumes, or other data.",
            if self.of_inodes { unit } else { "space" }
        )
    }
}

/// A number of bytes as people read it, with a digit behind the point: `9.3 GiB`.
fn write_size(f: &mut fmt::Formatter<'_>, bytes: u64) -> fmt::Result {
    const UNITS: [(&str, u32); 6] = [
        ("EiB", 60),
        ("PiB", 50),
        ("TiB", 40),
        ("GiB", 30),
        ("MiB", 20),
        ("KiB", 10),
    ];
    let Some((unit, shift)) = UNITS.iter().find(|(_, shift)| bytes >> shift > 0) else {
        return write!(f, "{bytes} B");
    };
    // Rounded as Go prints it: to the nearest tenth, halves to the even one.
    let tenfold = u128::from(bytes).saturating_mul(10);
    let tenths = tenfold >> shift;
    let rest = tenfold.saturating_sub(tenths << shift);
    let half = 1_u128 << shift.saturating_sub(1);
    let is_up = rest > half || (rest == half && tenths % 2 == 1);
    let tenths = tenths.saturating_add(u128::from(is_up));
    write!(f, "{}.{} {unit}", tenths / 10, tenths % 10)
}
