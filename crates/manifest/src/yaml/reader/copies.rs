//! What YAML's aliases stand for, counted each time.

use serde_json::Value;

use crate::yaml::ErrorKind;
use crate::yaml::limits::{Budget, MAX_BYTES, check_depth};

/// What may still be copied.
pub(super) struct Copies {
    bytes: usize,
}

impl Copies {
    pub(super) const fn new() -> Self {
        Self { bytes: MAX_BYTES }
    }

    /// Takes a copy of `value` that is to lie below `depth` others.
    pub(super) fn take(
        &mut self,
        value: &Value,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<(), ErrorKind> {
        let size = Size::of(value);
        budget.take(size.nodes)?;
        let left = self.bytes.checked_sub(size.bytes);
        self.bytes = left.ok_or(ErrorKind::TooLong)?;
        check_depth(depth.saturating_add(size.height))
    }
}

/// How much a value is.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
    /// Lists and mappings within each other.
    height: usize,
}

impl Size {
    /// The size of `value`, which is no deeper than [`MAX_DEPTH`].
    fn of(value: &Value) -> Self {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Self {
                nodes: 1,
                bytes: 0,
                height: 0,
            },
            Value::String(text) => Self {
                nodes: 1,
                bytes: text.len(),
                height: 0,
            },
            Value::Array(items) => items.iter().fold(Self::CONTAINER, Self::holding),
            Value::Object(entries) => entries.iter().fold(Self::CONTAINER, |size, (key, value)| {
                let mut size = size.holding(value);
                size.bytes = size.bytes.saturating_add(key.len());
                size
            }),
        }
    }

    const CONTAINER: Self = Self {
        nodes: 1,
        bytes: 0,
        height: 1,
    };

    fn holding(self, value: &Value) -> Self {
        let inner = Self::of(value);
        Self {
            nodes: self.nodes.saturating_add(inner.nodes),
            bytes: self.bytes.saturating_add(inner.bytes),
            height: self.height.max(inner.height.saturating_add(1)),
        }
    }
}
