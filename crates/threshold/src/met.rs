use evictd_node::Reading;
use evictd_quantity::{Format, Quantity};

use crate::{Operator, Threshold, ThresholdValue};

impl Threshold {
    /// Whether less is available than the threshold asks, or more is lost than it allows,
    /// strictly: an amount equal to it is not met. Grace is the caller's.
    #[must_use]
    pub fn is_met(&self, reading: &Reading) -> bool {
        // Compared by reference, as a copy may allocate, and this runs while memory is short.
        let compared = match &self.value {
            ThresholdValue::Quantity(quantity) => available(reading).cmp(quantity),
            share @ ThresholdValue::Percentage(_) => {
                available(reading).cmp(&share.against(reading.capacity))
            }
        };
        match self.operator {
            Some(Operator::LessThan) => compared.is_lt(),
            Some(Operator::GreaterThan) => compared.is_gt(),
            None => false,
        }
    }

    /// Whether less is available than the threshold plus its minimum reclaim:
    /// a threshold met before stays so until this is false.
    #[must_use]
    pub fn is_unreclaimed(&self, reading: &Reading) -> bool {
        if self.min_reclaim.is_none() {
            return self.is_met(reading);
        }
        self.operator.is_some() && self.clear_at(reading.capacity) > available(reading)
    }

    /// The amount that clears the threshold once it was met: value plus minimum
    /// reclaim, both against that capacity.
    #[must_use]
    pub fn clear_at(&self, capacity: i64) -> Quantity {
        let value = self.value.against(capacity);
        match &self.min_reclaim {
            None => value,
            Some(more) => value + more.against(capacity),
        }
    }
}

fn available(reading: &Reading) -> Quantity {
    Quantity::from_int(reading.available, Format::BinarySi)
}
