use alloc::string::String;
use alloc::vec::Vec;

use crate::cri_api::proto::{Bytes, ProtoError, Value, parse_fields};
use crate::cri_api::runtime::read_pair;

/// A pod's sandbox (`PodSandbox`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Its id.
    pub id: String,
    /// The pod's name.
    pub name: String,
    /// The pod's namespace.
    pub namespace: String,
    /// The pod's uid.
    pub uid: String,
    /// How many there were before it in its pod.
    pub attempt: u32,
    /// Whether it runs.
    pub is_ready: bool,
    /// When it was made: nanoseconds since 1970.
    pub created_nanos: i64,
    /// The pod's labels.
    pub labels: Vec<(String, String)>,
    /// The pod's annotations.
    pub annotations: Vec<(String, String)>,
}

impl Sandbox {
    /// Reads one from its message.
    ///
    /// # Errors
    /// When that is no message, or an id or a name in it is not UTF-8.
    pub fn parse(message: Bytes<'_>) -> Result<Self, ProtoError> {
        // Of an enum that is not told the first word holds: ready.
        let mut read = Self {
            is_ready: true,
            ..Self::default()
        };
        parse_fields(message, &mut |field, value| read.field(field, value))?;
        Ok(read)
    }

    fn field(&mut self, field: u32, value: Value<'_>) -> Result<(), ProtoError> {
        match (field, value) {
            (1, Value::Bytes(id)) => self.id = id.exact_text()?,
            (2, Value::Bytes(metadata)) => return self.metadata(metadata),
            (3, Value::Varint(state)) => self.is_ready = state == 0,
            (4, Value::Varint(nanos)) => self.created_nanos = nanos.cast_signed(),
            (5, Value::Bytes(pair)) => read_pair(pair, &mut self.labels)?,
            (6, Value::Bytes(pair)) => read_pair(pair, &mut self.annotations)?,
            _ => {}
        }
        Ok(())
    }

    fn metadata(&mut self, message: Bytes<'_>) -> Result<(), ProtoError> {
        parse_fields(message, &mut |field, value| {
            match (field, value) {
                (1, Value::Bytes(name)) => self.name = name.text(),
                (2, Value::Bytes(uid)) => self.uid = uid.text(),
                (3, Value::Bytes(namespace)) => self.namespace = namespace.text(),
                (4, Value::Varint(attempt)) => self.attempt = word(attempt),
                _ => {}
            }
            Ok(())
        })
    }
}

/// A number of 32 bits.
pub(crate) fn word(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
