use alloc::string::String;
use alloc::vec::Vec;

use crate::cri_api::proto::{Bytes, ProtoError, Value, parse_fields};

/// An image (`Image`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Its id: the digest of its configuration.
    pub id: String,
    /// Its names with tags.
    pub tags: Vec<String>,
    /// Its names by digest.
    pub digests: Vec<String>,
    /// What it takes, in bytes, as this runtime counts.
    pub size_bytes: u64,
    /// Whether the runtime asks that it be kept.
    pub is_pinned: bool,
}

impl Image {
    /// Reads one from its message.
    ///
    /// # Errors
    /// When that is no message, or an id or a name in it is not UTF-8.
    pub fn parse(message: Bytes<'_>) -> Result<Self, ProtoError> {
        let mut read = Self::default();
        parse_fields(message, &mut |field, value| {
            match (field, value) {
                (1, Value::Bytes(id)) => read.id = id.exact_text()?,
                (2, Value::Bytes(tag)) => read.tags.push(tag.exact_text()?),
                (3, Value::Bytes(digest)) => read.digests.push(digest.exact_text()?),
                (4, Value::Varint(bytes)) => read.size_bytes = bytes,
                (8, Value::Varint(pinned)) => read.is_pinned = pinned != 0,
                _ => {}
            }
            Ok(())
        })?;
        Ok(read)
    }
}

/// Where images and writable layers are (`ImageFsInfo`): directories within the
/// filesystems that hold them, in spite of the field's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FsInfo {
    /// Of the images.
    pub images: Vec<String>,
    /// Of the writable layers, where the runtime tells: CRI-O since 1.29.
    pub containers: Vec<String>,
}

impl FsInfo {
    /// Reads it from an `ImageFsInfoResponse`.
    ///
    /// # Errors
    /// When that is no message, or a path in it is not UTF-8.
    pub fn parse(response: Bytes<'_>) -> Result<Self, ProtoError> {
        let mut info = Self::default();
        parse_fields(response, &mut |field, value| info.read(field, value))?;
        Ok(info)
    }

    fn read(&mut self, field: u32, value: Value<'_>) -> Result<(), ProtoError> {
        let list = match field {
            1 => &mut self.images,
            2 => &mut self.containers,
            _ => return Ok(()),
        };
        let Some(usage) = value.bytes() else {
            return Ok(());
        };
        parse_fields(usage, &mut |field, value| match (field, value) {
            (2, Value::Bytes(identifier)) => parse_fields(identifier, &mut |field, value| {
                if let (1, Value::Bytes(path)) = (field, value) {
                    list.push(path.exact_text()?);
                }
                Ok(())
            }),
            _ => Ok(()),
        })
    }
}
