//! Messages of CRI v1, read into the model. No I/O.
//!
//! Texts are UTF-8 in this protocol. An id or a name of an image that is not is an error
//! of the whole call, because it could not be handed back; in all other texts each byte
//! that is not UTF-8 reads as `\xNN`.

use alloc::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::proto::{Bytes, ProtoError, Value};
use crate::pods::{
    Details, Found, Limits, POD_NAME, POD_NAMESPACE, POD_UID, millis_of_shares, path, positive,
};
use crate::text::clean;
use crate::{ContainerState, ListedImage, RuntimeDisks, WritableLayer};

/// The kubelet's: seconds of grace, on each container.
const GRACE: &str = "io.kubernetes.pod.terminationGracePeriod";

/// A weight that stands for no request of cpu.
const LEAST_SHARES: i64 = 2;

/// A digest stands behind it: so ids of images begin.
const SHA256: &str = "sha256:";

/// Reads a list: in all of them the items are the field 1. All of it or nothing.
///
/// # Errors
/// What the first item gives that cannot be read.
pub fn parse_list<T>(
    answer: Bytes<'_>,
    parse: fn(Bytes<'_>) -> Result<T, ProtoError>,
) -> Result<Vec<T>, ProtoError> {
    let mut items = Vec::new();
    for field in answer.fields() {
        if let (1, Value::Bytes(message)) = field? {
            items.push(parse(message)?);
        }
    }
    Ok(items)
}

/// The last bytes of a field of a message; empty where it is not there.
fn bytes_of(message: Bytes<'_>, number: u32) -> Result<Bytes<'_>, ProtoError> {
    let mut found = Bytes::new(&[]);
    for field in message.fields() {
        match field? {
            (of, Value::Bytes(bytes)) if of == number => found = bytes,
            _ => {}
        }
    }
    Ok(found)
}

/// The last number of a field of a message; 0 where it is not there.
fn number_of(message: Bytes<'_>, number: u32) -> Result<u64, ProtoError> {
    let mut found = 0;
    for field in message.fields() {
        match field? {
            (of, Value::Varint(value)) if of == number => found = value,
            _ => {}
        }
    }
    Ok(found)
}

/// A pair of a map of texts.
fn read_pair(pair: Bytes<'_>, into: &mut BTreeMap<String, String>) -> Result<(), ProtoError> {
    into.insert(bytes_of(pair, 1)?.text(), bytes_of(pair, 2)?.text());
    Ok(())
}

/// A number of 32 bits.
fn word(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Reads a `PodSandbox`.
///
/// # Errors
/// When that is no message, or an id in it is not UTF-8.
pub fn parse_sandbox(message: Bytes<'_>) -> Result<Found, ProtoError> {
    let mut found = Found {
        is_sandbox: true,
        ..Found::default()
    };
    let mut metadata = Bytes::new(&[]);
    let container = &mut found.container;
    // Of an enum that is not told the first word holds: ready.
    container.state = ContainerState::Running;
    for field in message.fields() {
        match field? {
            (1, Value::Bytes(id)) => container.id = id.exact_text()?.into(),
            (2, Value::Bytes(told)) => metadata = told,
            (3, Value::Varint(1..)) => container.state = ContainerState::Exited,
            (4, Value::Varint(nanos)) => container.created_nanos = nanos.cast_signed(),
            (5, Value::Bytes(pair)) => read_pair(pair, &mut found.labels)?,
            (6, Value::Bytes(pair)) => read_pair(pair, &mut found.annotations)?,
            _ => {}
        }
    }
    for (key, number) in [(POD_NAME, 1), (POD_UID, 2), (POD_NAMESPACE, 3)] {
        let text = bytes_of(metadata, number)?.text();
        found.labels.insert(key.into(), text);
    }
    container.attempt = word(number_of(metadata, 4)?);
    container.name = clean(&bytes_of(metadata, 1)?.text());
    found.group = Some((container.id.as_ref().into(), container.name.clone()));
    Ok(found)
}

/// Reads a `Container`.
///
/// # Errors
/// When that is no message, or an id or a name of an image in it is not UTF-8.
pub fn parse_container(message: Bytes<'_>) -> Result<Found, ProtoError> {
    let mut found = Found::default();
    let container = &mut found.container;
    let mut state = 0;
    // A name or an id as it was asked for; an id or a name by digest; the id, from
    // runtimes of 2024 and later.
    let (mut asked, mut reference, mut image_id) = ("", "", "");
    for field in message.fields() {
        match field? {
            (1, Value::Bytes(id)) => container.id = id.exact_text()?.into(),
            (2, Value::Bytes(id)) => {
                let id = id.exact_text()?;
                container.sandbox = (!id.is_empty()).then(|| id.into());
            }
            (3, Value::Bytes(metadata)) => {
                container.name = clean(&bytes_of(metadata, 1)?.text());
                container.attempt = word(number_of(metadata, 2)?);
            }
            (4, Value::Bytes(image)) => asked = bytes_of(image, 1)?.exact_text()?,
            (5, Value::Bytes(image)) => reference = image.exact_text()?,
            (6, Value::Varint(number)) => state = number,
            (7, Value::Varint(nanos)) => container.created_nanos = nanos.cast_signed(),
            (8, Value::Bytes(pair)) => read_pair(pair, &mut found.labels)?,
            (9, Value::Bytes(pair)) => read_pair(pair, &mut found.annotations)?,
            (10, Value::Bytes(image)) => image_id = image.exact_text()?,
            _ => {}
        }
    }
    container.state = state_of(state);
    found.told = told(state);
    let told = [image_id, reference];
    let image = told.into_iter().find(|image| is_image_id(image));
    let image = image.or_else(|| {
        [image_id, reference, asked]
            .into_iter()
            .find(|it| !it.is_empty())
    });
    container.image = image.unwrap_or_default().into();
    found.grace_seconds = found
        .annotations
        .get(GRACE)
        .and_then(|text| text.parse().ok());
    let sandbox = container.sandbox.clone().unwrap_or_default();
    found.group = Some((sandbox, container.name.clone()));
    Ok(found)
}

fn told(state: u64) -> Box<str> {
    state.to_string().into()
}

const fn state_of(number: u64) -> ContainerState {
    match number {
        0 => ContainerState::Created,
        1 => ContainerState::Running,
        2 => ContainerState::Exited,
        _ => ContainerState::Unknown,
    }
}

/// Whether the container that has these details ran when they were told.
pub(super) fn runs(details: &Details) -> bool {
    details.told == told(1)
}

/// Whether it is an image's id and not a name.
pub(super) fn is_image_id(text: &str) -> bool {
    text.strip_prefix(SHA256).is_some_and(|hex| hex.len() == 64)
}

/// The first process of a container, as containerd and CRI-O tell it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Process {
    pid: u32,
}

/// Reads what a runtime tells as a JSON text; what is not in form tells nothing. Such a
/// text may be long, as the whole OCI specification of a container is: nothing is built
/// of what is not read.
pub(super) fn parse_told<T: DeserializeOwned + Default>(json: Option<String>) -> T {
    let told = json.and_then(|json| serde_json::from_str(&json).ok());
    told.unwrap_or_default()
}

/// Reads a `ContainerStatusResponse`.
///
/// # Errors
/// When that is no message.
pub fn parse_status(response: Bytes<'_>) -> Result<Details, ProtoError> {
    let mut details = Details::default();
    let mut state = 0;
    for field in bytes_of(response, 1)?.fields() {
        match field? {
            (3, Value::Varint(number)) => state = number,
            (6, Value::Varint(nanos)) => {
                details.finished_nanos = Some(nanos.cast_signed()).filter(|nanos| *nanos > 0);
            }
            (15, Value::Bytes(log)) => details.log = path(&log.text()),
            (16, Value::Bytes(resources)) => {
                details.limits = read_limits(bytes_of(resources, 1)?)?;
            }
            _ => {}
        }
    }
    details.told = told(state);
    let process: Process = parse_told(parse_info(response, "info")?);
    details.pid = process.pid;
    Ok(details)
}

/// Reads `LinuxContainerResources`; containerd tells them since 1.7.
fn read_limits(linux: Bytes<'_>) -> Result<Limits, ProtoError> {
    let number = |field: u32| number_of(linux, field).map(u64::cast_signed);
    let shares = positive(number(3)?).filter(|_| number(3).is_ok_and(|it| it > LEAST_SHARES));
    let quota = positive(number(2)?).zip(positive(number(1)?));
    let millis =
        quota.map(|(quota, period)| quota.get().saturating_mul(1000).div_ceil(period.get()));
    Ok(Limits {
        memory_limit_bytes: positive(number(4)?),
        cpu_limit_millis: millis.and_then(core::num::NonZeroU64::new),
        cpu_request_millis: shares.and_then(millis_of_shares),
        ..Limits::default()
    })
}

/// Reads what an answer tells beside the API's fields, under that key of its map: a JSON
/// text that each runtime shapes as it likes.
///
/// # Errors
/// When that is no message.
pub fn parse_info(answer: Bytes<'_>, key: &str) -> Result<Option<String>, ProtoError> {
    let mut text = None;
    for field in answer.fields() {
        if let (2, Value::Bytes(pair)) = field?
            && bytes_of(pair, 1)?.bytes == key.as_bytes()
        {
            text = Some(bytes_of(pair, 2)?.text());
        }
    }
    Ok(text)
}

/// Reads a `ContainerStats`: what a container has written into its layer, by its id.
///
/// # Errors
/// When that is no message, or an id in it is not UTF-8.
pub fn parse_layer(message: Bytes<'_>) -> Result<(String, WritableLayer), ProtoError> {
    let id = bytes_of(bytes_of(message, 1)?, 1)?.exact_text()?;
    let (mut bytes, mut inodes) = (None, None);
    for field in bytes_of(message, 4)?.fields() {
        // An `UInt64Value` that is there without a number is 0.
        match field? {
            (3, Value::Bytes(wrapped)) => bytes = Some(number_of(wrapped, 1)?),
            (4, Value::Bytes(wrapped)) => inodes = Some(number_of(wrapped, 1)?),
            _ => {}
        }
    }
    let used = bytes.map(|bytes| WritableLayer::Used { bytes, inodes });
    Ok((id.into(), used.unwrap_or_default()))
}

/// Reads an `Image`.
///
/// # Errors
/// When that is no message, or an id or a name in it is not UTF-8.
pub fn parse_image(message: Bytes<'_>) -> Result<ListedImage, ProtoError> {
    let mut image = ListedImage::default();
    for field in message.fields() {
        match field? {
            (1, Value::Bytes(id)) => image.id = id.exact_text()?.into(),
            (2, Value::Bytes(tag)) => image.tags.push(tag.exact_text()?.into()),
            (3, Value::Bytes(digest)) => image.digests.push(digest.exact_text()?.into()),
            (4, Value::Varint(bytes)) => image.size_bytes = bytes,
            (8, Value::Varint(pinned)) => image.pinned = pinned != 0,
            _ => {}
        }
    }
    Ok(image)
}

/// Reads an `ImageFsInfoResponse`: directories within the filesystems that hold images and
/// writable layers, in spite of the field's name. The last part of containerd's ends with
/// the snapshotter's name, that of CRI-O's begins with the storage driver's.
///
/// # Errors
/// When that is no message, or a path in it is not UTF-8.
pub fn parse_disks(response: Bytes<'_>) -> Result<RuntimeDisks, ProtoError> {
    let (mut images, mut containers) = (None, None);
    for field in response.fields() {
        let (place, usage) = match field? {
            (1, Value::Bytes(usage)) => (&mut images, usage),
            // CRI-O since 1.29.
            (2, Value::Bytes(usage)) => (&mut containers, usage),
            _ => continue,
        };
        let path = bytes_of(bytes_of(usage, 2)?, 1)?.exact_text()?;
        // The first of each counts.
        if place.is_none() && !path.is_empty() {
            *place = Some(path);
        }
    }
    let name = images
        .and_then(|path| path.rsplit('/').next())
        .unwrap_or_default();
    let driver = match name.rsplit_once("snapshotter.v1.") {
        Some((_, driver)) => driver,
        None => name.strip_suffix("-images").unwrap_or(name),
    };
    Ok(RuntimeDisks {
        driver: driver.into(),
        containers: containers
            .filter(|path| Some(*path) != images)
            .map(PathBuf::from),
        images: images.map(PathBuf::from),
    })
}

/// Reads a `VersionResponse`: name and version.
///
/// # Errors
/// When that is no message.
pub fn parse_version(response: Bytes<'_>) -> Result<String, ProtoError> {
    let (name, version) = (bytes_of(response, 2)?, bytes_of(response, 3)?);
    Ok(clean(&format!("{} {}", name.text(), version.text())))
}
