use serde_json::Value;

use crate::ErrorKind;

/// The most bytes of input, and of text copied by aliases: 4 MiB.
pub const MAX_BYTES: usize = 4 << 20;
/// The most values, counting what aliases stand for.
pub const MAX_NODES: usize = 100_000;
/// The most lists and mappings within each other.
pub const MAX_DEPTH: usize = 64;

/// What may still be built.
pub(crate) struct Budget {
    nodes: usize,
    copied_bytes: usize,
}

impl Budget {
    pub(crate) const fn new() -> Self {
        Self {
            nodes: MAX_NODES,
            copied_bytes: MAX_BYTES,
        }
    }

    /// Takes one value.
    pub(crate) fn take_node(&mut self) -> Result<(), ErrorKind> {
        self.nodes = self.nodes.checked_sub(1).ok_or(ErrorKind::TooManyNodes)?;
        Ok(())
    }

    /// Takes a copy of something of this size that is to lie below `depth`
    /// others.
    pub(crate) fn take_copy(&mut self, size: Size, depth: usize) -> Result<(), ErrorKind> {
        self.nodes = self
            .nodes
            .checked_sub(size.nodes)
            .ok_or(ErrorKind::TooManyNodes)?;
        self.copied_bytes = self
            .copied_bytes
            .checked_sub(size.bytes)
            .ok_or(ErrorKind::TooLong)?;
        check_depth(depth.saturating_add(size.height))
    }
}

/// Refuses more than [`MAX_DEPTH`].
pub(crate) const fn check_depth(depth: usize) -> Result<(), ErrorKind> {
    if depth > MAX_DEPTH {
        Err(ErrorKind::TooDeep)
    } else {
        Ok(())
    }
}

/// How much a value is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Size {
    nodes: usize,
    bytes: usize,
    /// Lists and mappings within each other.
    height: usize,
}

impl Size {
    /// The size of `value`, which is no deeper than [`MAX_DEPTH`].
    pub(crate) fn of(value: &Value) -> Self {
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
