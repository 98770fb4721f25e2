use core::fmt;
use core::time::Duration;

/// When images are deleted, as flags say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImagePolicy {
    /// At this use of the filesystem, in percent, images begin to be deleted
    /// (`--image-gc-high-threshold`). 100 is never.
    pub high_percent: i64,
    /// Down to this use images are deleted (`--image-gc-low-threshold`).
    pub low_percent: i64,
    /// An image that was detected less than this ago stays
    /// (`--minimum-image-ttl-duration`).
    pub min_age: Duration,
    /// An image that was not used for longer than this is deleted, however much is
    /// free (`--maximum-image-gc-age`); `None` for never.
    pub max_age: Option<Duration>,
    /// Which images are deleted before pods are evicted (`--eviction-image-reclaim`).
    pub reclaim: Reclaim,
}

/// Which unused images [`ImageJob::DeleteUnused`](crate::ImageJob::DeleteUnused)
/// removes (decision D15).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reclaim {
    /// Every one, as the kubelet.
    #[default]
    All,
    /// One after the other, until the caller says that the signal is clear
    /// ([`ImageCollector::cleared`](crate::ImageCollector::cleared)).
    UntilClear,
}

impl Default for ImagePolicy {
    /// The kubelet's: 85, 80, two minutes, no maximum age.
    fn default() -> Self {
        Self {
            high_percent: 85,
            low_percent: 80,
            min_age: Duration::from_secs(120),
            max_age: None,
            reclaim: Reclaim::All,
        }
    }
}

impl ImagePolicy {
    /// Whether the periodic collection has nothing to do, ever: the high
    /// threshold is 100 and there is no maximum age (kubelet v1.32).
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.high_percent == 100 && self.max_age.is_none()
    }

    /// Looks over the percentages as the kubelet's image manager does when it is
    /// made. Equal ones are allowed here; the kubelet's check of its
    /// configuration refuses them earlier.
    ///
    /// # Errors
    /// The kubelet's own, in its words.
    ///
    /// ```
    /// use evictd_gc::ImagePolicy;
    ///
    /// let policy = ImagePolicy { low_percent: 90, ..ImagePolicy::default() };
    /// assert_eq!(
    ///     policy.check().unwrap_err().to_string(),
    ///     "LowThresholdPercent 90 can not be higher than HighThresholdPercent 85"
    /// );
    /// ```
    pub fn check(&self) -> Result<(), ImagePolicyError> {
        let range = 0..=100;
        if !range.contains(&self.high_percent) {
            Err(ImagePolicyError::High(self.high_percent))
        } else if !range.contains(&self.low_percent) {
            Err(ImagePolicyError::Low(self.low_percent))
        } else if self.low_percent > self.high_percent {
            Err(ImagePolicyError::LowAboveHigh {
                low: self.low_percent,
                high: self.high_percent,
            })
        } else {
            Ok(())
        }
    }
}

/// Percentages that make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImagePolicyError {
    /// The high one is not between 0 and 100.
    High(i64),
    /// The low one is not between 0 and 100.
    Low(i64),
    /// The low one is above the high one.
    LowAboveHigh {
        /// The low one.
        low: i64,
        /// The high one.
        high: i64,
    },
}

impl fmt::Display for ImagePolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::High(percent) => write!(
                f,
                "invalid HighThresholdPercent {percent}, must be in range [0-100]"
            ),
            Self::Low(percent) => write!(
                f,
                "invalid LowThresholdPercent {percent}, must be in range [0-100]"
            ),
            Self::LowAboveHigh { low, high } => write!(
                f,
                "LowThresholdPercent {low} can not be higher than HighThresholdPercent {high}"
            ),
        }
    }
}

impl core::error::Error for ImagePolicyError {}
