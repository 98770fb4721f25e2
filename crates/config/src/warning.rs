use core::fmt;

use evictd_node::{Resource, Signal};
use evictd_threshold::{Threshold, ThresholdValue};

use crate::Misfit;

/// A setting that is allowed but probably not meant. It prints as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// `--eviction-hard` leaves these defaults out, so they are off, as in the
    /// kubelet (decision D23).
    DroppedDefaults(Vec<(Signal, &'static str)>),
    /// Nothing can ever be evicted for starvation.
    NoThresholds,
    /// The soft threshold is met no earlier than the hard one (decision D8).
    SoftNotAboveHard {
        /// The soft threshold.
        soft: String,
        /// The hard one of the same signal.
        hard: String,
    },
    /// A count of inodes or process ids is written in bytes (decision D5).
    ByteSuffix {
        /// The flag, without dashes.
        flag: &'static str,
        /// The signal that counts.
        signal: Signal,
        /// The amount as written.
        written: String,
        /// How many that is.
        count: i64,
    },
    /// A soft threshold with grace 0 acts as a hard one (decision D60).
    SoftWithoutGrace(String),
    /// Thresholds of containerfs are derived, not taken from flags (decision D24).
    ContainerfsIgnored(String),
    /// The threshold of this signal is not a number, which no reading is below.
    NeverMet(Signal),
    /// An old flag.
    Deprecated {
        /// The flag, without dashes.
        flag: &'static str,
        /// What to write instead.
        instead: String,
        /// Whether the newer setting was given too and beats it.
        replaced: bool,
    },
    /// It does not fit the machine.
    Misfit(Misfit),
}

/// The warning about a soft threshold that lies not above the hard one of its
/// signal. Where one is a percentage and the other is not, it takes the
/// capacity to tell.
pub(crate) fn soft_not_above_hard(
    soft: &Threshold,
    hard: &[Threshold],
    capacity: Option<i64>,
) -> Option<Warning> {
    let hard = hard.iter().find(|hard| hard.signal == soft.signal)?;
    let lower = match (&soft.value, &hard.value) {
        (ThresholdValue::Quantity(soft), ThresholdValue::Quantity(hard)) => soft <= hard,
        (ThresholdValue::Percentage(soft), ThresholdValue::Percentage(hard)) => soft <= hard,
        (soft, hard) => soft.against(capacity?) <= hard.against(capacity?),
    };
    lower.then(|| Warning::SoftNotAboveHard {
        soft: soft.to_string(),
        hard: hard.to_string(),
    })
}

/// What a signal counts in.
pub(crate) fn unit(signal: Signal) -> &'static str {
    match signal.resource() {
        Resource::Memory | Resource::EphemeralStorage => "bytes",
        Resource::Inodes => "inodes",
        Resource::Pids => "process ids",
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DroppedDefaults(dropped) => write_dropped(f, dropped),
            Self::NoThresholds => {
                f.write_str("no eviction threshold is set: starvation evicts nothing")
            }
            Self::SoftNotAboveHard { soft, hard } => write!(
                f,
                "soft threshold {soft} is not above the hard threshold {hard}, \
                 so it never acts before it; a soft amount should be the larger one"
            ),
            Self::ByteSuffix {
                flag,
                signal,
                written,
                count,
            } => write!(
                f,
                "--{flag}: {signal} counts {}, and {written} is {count} of them; \
                 write a plain number or a percentage",
                unit(*signal)
            ),
            Self::SoftWithoutGrace(soft) => write!(
                f,
                "soft threshold {soft} has grace period 0s and acts as a hard one"
            ),
            Self::ContainerfsIgnored(threshold) => write!(
                f,
                "threshold {threshold} is ignored: containerfs follows nodefs or imagefs"
            ),
            Self::NeverMet(signal) => write!(
                f,
                "the threshold of {signal} is not a number (NaN) and never met"
            ),
            Self::Deprecated {
                flag,
                instead,
                replaced,
            } => {
                let ignored = if *replaced {
                    " (given too, so the old flag is ignored)"
                } else {
                    ""
                };
                write!(
                    f,
                    "Flag --{flag} has been deprecated, use {instead} instead{ignored}"
                )
            }
            Self::Misfit(misfit) => misfit.fmt(f),
        }
    }
}

fn write_dropped(f: &mut fmt::Formatter<'_>, dropped: &[(Signal, &str)]) -> fmt::Result {
    f.write_str("--eviction-hard replaces all defaults; no longer watched: ")?;
    let mut comma = "";
    for (signal, value) in dropped {
        write!(f, "{comma}{signal}<{value}")?;
        comma = ", ";
    }
    f.write_str(" (list them too, or add --merge-default-eviction-settings)")
}
