#[cfg(feature = "yaml")]
use serde_json::Value;

#[cfg(feature = "yaml")]
use crate::yaml::error::MAX_BYTES;
use crate::yaml::error::{ErrorKind, MAX_DEPTH, MAX_NODES};

/// The most punctuation marks in one scalar, or in one list or mapping that may be a key.
#[cfg(feature = "yaml")]
pub(crate) const MAX_MARKS: usize = 8192;
/// What may still be built.
pub(crate) struct Budget {
    /// How many values.
    nodes: usize,
    /// How many bytes of text in copies.
    #[cfg(feature = "yaml")]
    bytes: usize,
}

impl Budget {
    pub(crate) const fn new() -> Self {
        Self {
            nodes: MAX_NODES,
            #[cfg(feature = "yaml")]
            bytes: MAX_BYTES,
        }
    }

    /// Takes a value.
    pub(crate) fn take(&mut self) -> Result<(), ErrorKind> {
        self.nodes = self.nodes.checked_sub(1).ok_or(ErrorKind::TooManyNodes)?;
        Ok(())
    }

    /// Takes a copy of `value`, with all that it holds, which is to lie below `depth`
    /// others.
    #[cfg(feature = "yaml")]
    pub(crate) fn take_copy(&mut self, value: &Value, depth: usize) -> Result<(), ErrorKind> {
        self.take()?;
        let inner = depth.saturating_add(1);
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
            Value::String(text) => self.take_text(text),
            Value::Array(items) => {
                check_depth(inner)?;
                items
                    .iter()
                    .try_for_each(|item| self.take_copy(item, inner))
            }
            Value::Object(entries) => {
                check_depth(inner)?;
                entries.iter().try_for_each(|(key, value)| {
                    self.take_text(key)?;
                    self.take_copy(value, inner)
                })
            }
        }
    }

    #[cfg(feature = "yaml")]
    fn take_text(&mut self, text: &str) -> Result<(), ErrorKind> {
        let left = self.bytes.checked_sub(text.len());
        self.bytes = left.ok_or(ErrorKind::TooLong)?;
        Ok(())
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
