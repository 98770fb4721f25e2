use core::error::Error;
use core::fmt;

/// The adjustment that Guaranteed and node-critical pods get: −999 to −1.
///
/// Burstable containers get at least 1000 more, so that they are always killed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GuaranteedScore(i16);

impl GuaranteedScore {
    /// −997, the kubelet's since v1.14. Before, it was −998, which is also what
    /// the kubelet gives the pause container: the kernel then killed that one
    /// first (kubernetes issue 72294).
    pub const KUBELET: Self = Self(-997);

    /// The given score.
    ///
    /// # Errors
    /// When it lies outside −999 to −1: −1000 would exempt the process from the
    /// kernel's choice, 0 and more would not set it apart.
    pub const fn new(score: i16) -> Result<Self, ScoreRangeError> {
        if score >= -999 && score <= -1 {
            Ok(Self(score))
        } else {
            Err(ScoreRangeError { score })
        }
    }

    /// The score.
    #[must_use]
    pub const fn get(self) -> i16 {
        self.0
    }
}

impl Default for GuaranteedScore {
    fn default() -> Self {
        Self::KUBELET
    }
}

/// A score that no [`GuaranteedScore`] may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreRangeError {
    score: i16,
}

impl fmt::Display for ScoreRangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not between -999 and -1", self.score)
    }
}

impl Error for ScoreRangeError {}
