use core::cmp::Ordering;

use evictd_node::Reading;
use evictd_quantity::{Format, Quantity};

use crate::{Operator, Threshold, ThresholdValue};

impl Threshold {
    /// Whether less is available than the threshold asks, strictly: an
    /// availability equal to it is not met. Grace is the caller's.
    #[must_use]
    pub fn is_met(&self, reading: &Reading) -> bool {
        self.operator.is_some_and(|operator| match operator {
            Operator::LessThan => {
                compare(&self.value, None, reading.capacity, reading.available) == Ordering::Greater
            }
        })
    }

    /// Whether less is available than the threshold plus its minimum reclaim:
    /// a threshold met before stays so until this is false.
    #[must_use]
    pub fn is_unreclaimed(&self, reading: &Reading) -> bool {
        self.operator.is_some_and(|operator| match operator {
            Operator::LessThan => {
                let more = self.min_reclaim.as_ref();
                compare(&self.value, more, reading.capacity, reading.available) == Ordering::Greater
            }
        })
    }

    /// The amount that clears the threshold once it was met: value plus minimum
    /// reclaim, both against that capacity.
    #[must_use]
    pub fn clear_at(&self, capacity: i64) -> Quantity {
        let value = self.value.against(capacity);
        match &self.min_reclaim {
            None => value,
            Some(more) => value.add(&more.against(capacity)),
        }
    }
}

/// Compares value plus extra with what is available, by reference wherever it
/// can: this runs each tick and must not allocate.
fn compare(
    value: &ThresholdValue,
    more: Option<&ThresholdValue>,
    capacity: i64,
    available: i64,
) -> Ordering {
    let available = Quantity::from_int(available, Format::BinarySi);
    match (value, more) {
        (ThresholdValue::Quantity(quantity), None) => quantity.cmp(&available),
        (ThresholdValue::Quantity(quantity), Some(ThresholdValue::Quantity(more))) => {
            quantity.add(more).cmp(&available)
        }
        (ThresholdValue::Quantity(quantity), Some(more)) => {
            quantity.add(&more.against(capacity)).cmp(&available)
        }
        (ThresholdValue::Percentage(_), None) => value.against(capacity).cmp(&available),
        (ThresholdValue::Percentage(_), Some(ThresholdValue::Quantity(more))) => {
            value.against(capacity).add(more).cmp(&available)
        }
        (ThresholdValue::Percentage(_), Some(more)) => value
            .against(capacity)
            .add(&more.against(capacity))
            .cmp(&available),
    }
}
