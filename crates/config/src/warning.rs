use core::fmt;

use evictd_threshold::{Threshold, ThresholdValue};

use crate::error::one_line;
use crate::{Flag, Typed};

/// A setting that is allowed but probably not meant. It prints as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning(pub(crate) String);

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Warning {
    fn from(line: String) -> Self {
        Self(line)
    }
}

impl Warning {
    /// What of the kubelet's evictd has no use for.
    pub(crate) fn passed_over(names: &[String]) -> Option<Self> {
        Self::about("passed over, as evictd has no use for it", names)
    }

    /// A kubelet's file asks it to protect the memory that pods request.
    pub(crate) fn tiered_reservation(typed: &Typed) -> Option<Self> {
        typed.facts.tiered_reservation.then(|| {
            Self(String::from(
                "memoryReservationPolicy: TieredReservation: evictd sets no memory.min or \
                 memory.low of pods, as it evicts before what they request needs protection",
            ))
        })
    }

    /// Fields of the configuration that are not the kubelet's.
    pub(crate) fn unknown_fields(names: &[String]) -> Option<Self> {
        Self::about("passed over, as unknown to the kubelet", names)
    }

    /// One line, however much it is; none about nothing.
    fn about(what: &str, names: &[String]) -> Option<Self> {
        const ROOM: usize = 120;
        let mut shown = String::new();
        let mut left = names.iter();
        for name in left.by_ref() {
            let separator = if shown.is_empty() { "" } else { ", " };
            shown = format!("{shown}{separator}{}", one_line(name));
            if shown.len() > ROOM {
                break;
            }
        }
        let more = match left.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!names.is_empty()).then(|| Self(format!("{what}: {shown}{more}")))
    }

    /// What flags and fields of a kubelet do here that the help does not show: a line each.
    pub(crate) fn accepted(typed: &Typed) -> impl Iterator<Item = Self> {
        let given = Flag::accepted().filter(|flag| !typed.get(flag.name).is_empty());
        given.map(|flag| Self(format!("{}: {}", typed.name_of(flag.name), flag.help)))
    }
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
    lower.then(|| {
        Warning(format!(
            "soft threshold {soft} is not above the hard threshold {hard}, so it never acts before \
             it; a soft amount should be the larger one"
        ))
    })
}
