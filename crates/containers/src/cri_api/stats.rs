use alloc::string::String;

use crate::cri_api::proto::{Bytes, ProtoError, Value, parse_fields};

/// What a container has written into its layer (of `ContainerStats`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerUsage {
    /// The container's id.
    pub id: String,
    /// In bytes; `None` where the runtime has not measured it yet.
    pub bytes: Option<u64>,
    /// Files and directories, where it counts them.
    pub inodes: Option<u64>,
}

impl LayerUsage {
    /// Reads one from its message.
    ///
    /// # Errors
    /// When that is no message, or an id or a name in it is not UTF-8.
    pub fn parse(message: Bytes<'_>) -> Result<Self, ProtoError> {
        let mut read = Self::default();
        parse_fields(message, &mut |field, value| match (field, value) {
            (1, Value::Bytes(attributes)) => parse_fields(attributes, &mut |field, value| {
                if let (1, Value::Bytes(id)) = (field, value) {
                    read.id = id.exact_text()?;
                }
                Ok(())
            }),
            (4, Value::Bytes(layer)) => read.layer(layer),
            _ => Ok(()),
        })?;
        Ok(read)
    }

    fn layer(&mut self, message: Bytes<'_>) -> Result<(), ProtoError> {
        parse_fields(message, &mut |field, value| {
            match (field, value) {
                (3, Value::Bytes(wrapped)) => self.bytes = Some(wrapped_number(wrapped)?),
                (4, Value::Bytes(wrapped)) => self.inodes = Some(wrapped_number(wrapped)?),
                _ => {}
            }
            Ok(())
        })
    }
}

/// An `UInt64Value`: one that is there without a number is 0.
fn wrapped_number(message: Bytes<'_>) -> Result<u64, ProtoError> {
    let mut number = 0;
    parse_fields(message, &mut |field, value| {
        if let (1, Value::Varint(value)) = (field, value) {
            number = value;
        }
        Ok(())
    })?;
    Ok(number)
}
