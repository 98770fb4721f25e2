use alloc::format;
use alloc::string::String;
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
}

impl Default for ImagePolicy {
    /// The kubelet's: 85, 80, two minutes, no maximum age.
    fn default() -> Self {
        Self {
            high_percent: 85,
            low_percent: 80,
            min_age: Duration::from_secs(120),
            max_age: None,
        }
    }
}

impl ImagePolicy {
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
    ///     policy.check().unwrap_err(),
    ///     "LowThresholdPercent 90 can not be higher than HighThresholdPercent 85"
    /// );
    /// ```
    pub fn check(&self) -> Result<(), String> {
        let (high, low) = (self.high_percent, self.low_percent);
        for (name, percent) in [("High", high), ("Low", low)] {
            if !(0..=100).contains(&percent) {
                return Err(format!(
                    "invalid {name}ThresholdPercent {percent}, must be in range [0-100]"
                ));
            }
        }
        if low > high {
            return Err(format!(
                "LowThresholdPercent {low} can not be higher than HighThresholdPercent {high}"
            ));
        }
        Ok(())
    }
}
