use crate::{Condition, QosClass, Resource, Signal, Unit};

/// Prints each type by its name.
macro_rules! display_by_name {
    ($($type:ty),+) => {$(
        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    )+};
}
display_by_name!(Condition, QosClass, Resource, Signal, Unit);
