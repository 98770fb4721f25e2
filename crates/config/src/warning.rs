use core::fmt;

use evictd_node::Signal;
use evictd_quantity::GoDuration;
use evictd_threshold::{Threshold, ThresholdValue};

use crate::Misfit;
use crate::error::write_one_line;

/// A setting that is allowed but probably not meant. It prints as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The hard thresholds leave these defaults out, so they are off, as in the
    /// kubelet (decision D23).
    DroppedDefaults {
        /// What gives the thresholds: `--eviction-hard` or `evictionHard`.
        name: String,
        /// What is off.
        dropped: Vec<(Signal, &'static str)>,
    },
    /// No threshold can ever be met.
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
    /// A flag that the kubelet calls deprecated; it is obeyed (decision D11).
    StillWorks(&'static str),
    /// The path of a socket without `unix://` in front.
    BareEndpoint(String),
    /// Something of `--enforce-node-allocatable` that evictd does not do.
    NotEnforced(&'static str),
    /// An argument of OKD's file that evictd has no flag for.
    UnknownArgument(String),
    /// This flag's duration is negative, which the kubelet takes for none.
    NegativeDuration(&'static str, GoDuration),
    /// Pressure on the images' filesystem comes before image collection does
    /// (decision D56).
    PressureBeforeCollection {
        /// The threshold.
        threshold: String,
        /// From how much use on images are collected, in percent.
        high_percent: u8,
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

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DroppedDefaults { name, dropped } => write_dropped(f, name, dropped),
            Self::NoThresholds => {
                f.write_str("no eviction threshold is set: nothing is ever evicted for one")
            }
            Self::SoftNotAboveHard { soft, hard } => write_not_above(f, soft, hard),
            Self::ByteSuffix {
                flag,
                signal,
                written,
                count,
            } => write!(
                f,
                "--{flag}: {signal} counts {}, and {written} is {count} of them; \
                 write a plain number or a percentage",
                signal.unit()
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
            } => write_deprecated(f, flag, instead, *replaced),
            Self::StillWorks(flag) => write!(
                f,
                "Flag --{flag} has been deprecated, use --eviction-hard or --eviction-soft \
                 instead (evictd obeys it nevertheless)"
            ),
            Self::BareEndpoint(endpoint) => write_bare(f, endpoint),
            Self::NotEnforced(option) => write!(
                f,
                "{option} of --enforce-node-allocatable is passed over: evictd leaves the \
                 cgroups of system daemons alone"
            ),
            Self::UnknownArgument(name) => {
                write!(
                    f,
                    "kubeletArguments: {name:?} is passed over: evictd has no such flag"
                )
            }
            Self::NegativeDuration(flag, value) => {
                write!(f, "--{flag}: {value} is negative and counts as 0s")
            }
            Self::PressureBeforeCollection {
                threshold,
                high_percent,
            } => write_before_collection(f, threshold, *high_percent),
            Self::Misfit(misfit) => misfit.fmt(f),
        }
    }
}

fn write_not_above(f: &mut fmt::Formatter<'_>, soft: &str, hard: &str) -> fmt::Result {
    write!(
        f,
        "soft threshold {soft} is not above the hard threshold {hard}, so it never acts before \
         it; a soft amount should be the larger one"
    )
}

fn write_bare(f: &mut fmt::Formatter<'_>, endpoint: &str) -> fmt::Result {
    write!(
        f,
        "using {endpoint:?} as endpoint is deprecated, please consider using full url format: \
         unix://"
    )?;
    write_one_line(f, endpoint.trim())
}

fn write_deprecated(
    f: &mut fmt::Formatter<'_>,
    flag: &str,
    instead: &str,
    replaced: bool,
) -> fmt::Result {
    let ignored = if replaced {
        " (given too, so the old flag is ignored)"
    } else {
        ""
    };
    write!(
        f,
        "Flag --{flag} has been deprecated, use {instead} instead{ignored}"
    )
}

fn write_before_collection(
    f: &mut fmt::Formatter<'_>,
    threshold: &str,
    high_percent: u8,
) -> fmt::Result {
    write!(
        f,
        "threshold {threshold} is met before {high_percent}% are used, where images are \
         collected: the filesystem is under pressure first (--image-gc-high-threshold)"
    )
}

fn write_dropped(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    dropped: &[(Signal, &str)],
) -> fmt::Result {
    write!(f, "{name} replaces all defaults; no longer watched: ")?;
    let mut comma = "";
    for (signal, value) in dropped {
        write!(f, "{comma}{signal}<{value}")?;
        comma = ", ";
    }
    f.write_str(" (list them too, or add --merge-default-eviction-settings)")
}
