use alloc::string::String;
use alloc::vec::Vec;

use crate::cri_api::proto::{Bytes, ProtoError, Value, parse_fields};
use crate::cri_api::runtime::{read_info, read_pair};
use crate::cri_api::sandboxes::word;

/// What a container does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContainerState {
    /// Made, never started.
    #[default]
    Created,
    /// Runs.
    Running,
    /// Has ended.
    Exited,
    /// The runtime does not know, or used a number that is none of these.
    Unknown,
}

impl ContainerState {
    const fn of(number: u64) -> Self {
        match number {
            0 => Self::Created,
            1 => Self::Running,
            2 => Self::Exited,
            _ => Self::Unknown,
        }
    }
}

/// A container as it is listed (`Container`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    /// Its id.
    pub id: String,
    /// Its sandbox's id.
    pub sandbox: String,
    /// Its name within its pod.
    pub name: String,
    /// How often it was started before in its sandbox.
    pub attempt: u32,
    /// The image it was asked to be made from: a name or an id.
    pub image: String,
    /// The image it was made from: an id or a name by digest.
    pub image_ref: String,
    /// The image's id, from runtimes of 2024 and later.
    pub image_id: String,
    /// What it does.
    pub state: ContainerState,
    /// When it was made: nanoseconds since 1970.
    pub created_nanos: i64,
    /// Its labels.
    pub labels: Vec<(String, String)>,
    /// Its annotations.
    pub annotations: Vec<(String, String)>,
}

impl Container {
    /// Reads one from its message.
    ///
    /// # Errors
    /// When that is no message, or an id or a name in it is not UTF-8.
    pub fn parse(message: Bytes<'_>) -> Result<Self, ProtoError> {
        let mut read = Self::default();
        parse_fields(message, &mut |field, value| read.field(field, value))?;
        Ok(read)
    }

    fn field(&mut self, field: u32, value: Value<'_>) -> Result<(), ProtoError> {
        match (field, value) {
            (1, Value::Bytes(id)) => self.id = id.exact_text()?,
            (2, Value::Bytes(sandbox)) => self.sandbox = sandbox.exact_text()?,
            (3, Value::Bytes(metadata)) => return self.metadata(metadata),
            (4, Value::Bytes(spec)) => self.image = image_of(spec)?,
            (5, Value::Bytes(image)) => self.image_ref = image.exact_text()?,
            (6, Value::Varint(state)) => self.state = ContainerState::of(state),
            (7, Value::Varint(nanos)) => self.created_nanos = nanos.cast_signed(),
            (8, Value::Bytes(pair)) => read_pair(pair, &mut self.labels)?,
            (9, Value::Bytes(pair)) => read_pair(pair, &mut self.annotations)?,
            (10, Value::Bytes(image)) => self.image_id = image.exact_text()?,
            _ => {}
        }
        Ok(())
    }

    fn metadata(&mut self, message: Bytes<'_>) -> Result<(), ProtoError> {
        parse_fields(message, &mut |field, value| {
            match (field, value) {
                (1, Value::Bytes(name)) => self.name = name.text(),
                (2, Value::Varint(attempt)) => self.attempt = word(attempt),
                _ => {}
            }
            Ok(())
        })
    }
}

/// The name in an `ImageSpec`.
fn image_of(spec: Bytes<'_>) -> Result<String, ProtoError> {
    let mut image = String::new();
    parse_fields(spec, &mut |field, value| {
        if let (1, Value::Bytes(name)) = (field, value) {
            image = name.exact_text()?;
        }
        Ok(())
    })?;
    Ok(image)
}

/// What is told of one container alone (`ContainerStatus`), as far as the list
/// does not have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerStatus {
    /// What it does.
    pub state: ContainerState,
    /// When it ended: nanoseconds since 1970; 0 before.
    pub finished_nanos: i64,
    /// Its log file.
    pub log_path: String,
    /// What it may use; containerd tells since 1.7.
    pub resources: Resources,
    /// What the runtime tells beside, where it was asked: a JSON text.
    pub info: Option<String>,
}

/// What a container may use (`LinuxContainerResources`); 0 where that is not said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Microseconds of a period of the scheduler.
    pub cpu_period: i64,
    /// Microseconds of processor time in each such period.
    pub cpu_quota: i64,
    /// Its weight against others; a request of one processor is 1024.
    pub cpu_shares: i64,
    /// In bytes.
    pub memory_limit_bytes: i64,
}

impl ContainerStatus {
    /// Reads it from a `ContainerStatusResponse`.
    ///
    /// # Errors
    /// When that is no message.
    pub fn parse(response: Bytes<'_>) -> Result<Self, ProtoError> {
        let mut status = Self::default();
        parse_fields(response, &mut |field, value| match (field, value) {
            (1, Value::Bytes(message)) => status.read(message),
            (2, Value::Bytes(pair)) => read_info(pair, "info", &mut status.info),
            _ => Ok(()),
        })?;
        Ok(status)
    }

    fn read(&mut self, message: Bytes<'_>) -> Result<(), ProtoError> {
        parse_fields(message, &mut |field, value| {
            match (field, value) {
                (3, Value::Varint(state)) => self.state = ContainerState::of(state),
                (6, Value::Varint(nanos)) => self.finished_nanos = nanos.cast_signed(),
                (15, Value::Bytes(path)) => self.log_path = path.text(),
                (16, Value::Bytes(resources)) => self.resources.read(resources)?,
                _ => {}
            }
            Ok(())
        })
    }
}

impl Resources {
    fn read(&mut self, message: Bytes<'_>) -> Result<(), ProtoError> {
        parse_fields(message, &mut |field, value| match (field, value) {
            (1, Value::Bytes(linux)) => parse_fields(linux, &mut |field, value| {
                self.field(field, value);
                Ok(())
            }),
            _ => Ok(()),
        })
    }

    fn field(&mut self, field: u32, value: Value<'_>) {
        let place = match field {
            1 => &mut self.cpu_period,
            2 => &mut self.cpu_quota,
            3 => &mut self.cpu_shares,
            4 => &mut self.memory_limit_bytes,
            _ => return,
        };
        if let Some(number) = value.signed() {
            *place = number;
        }
    }
}
