//! Messages of CRI v1, read into the model. No I/O.
//!
//! Texts are UTF-8 in this protocol. An id or a name of an image that is not is an error
//! of the whole call, because it could not be handed back; in all other texts each byte
//! that is not UTF-8 reads as `\xNN`.

use alloc::sync::Arc;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::fields::{few, map, word};
use super::proto::{Bytes, Message, ProtoError};
use crate::bounds::{Bounds, MOST_IMAGE_VOLUMES, MOST_LABEL_BYTES, Weigh};
use crate::pods::{
    Details, Found, Limits, POD_NAME, POD_NAMESPACE, POD_UID, keep_mount, millis_of_shares, path,
    positive,
};
use crate::text::clean;
use crate::{ContainerState, ListedImage, ListedMount, LogFormat, RuntimeDisks, WritableLayer};

/// The kubelet's: seconds of grace, on each container.
const GRACE: &str = "io.kubernetes.pod.terminationGracePeriod";

/// A weight that stands for no request of cpu.
const LEAST_SHARES: u64 = 2;

/// A digest stands behind it: so ids of images begin.
const SHA256: &str = "sha256:";

/// Reads a list: in all of them the items are the field 1. All of it or nothing.
///
/// # Errors
/// What the first item gives that cannot be read, or with which it becomes too much.
pub fn parse_list<T: Weigh>(
    answer: Bytes<'_>,
    parse: fn(Bytes<'_>) -> Result<T, ProtoError>,
) -> Result<Vec<T>, ProtoError> {
    let mut bounds = Bounds::default();
    let items = answer.message()?.all(1).map(|bytes| {
        let item = parse(bytes)?;
        bounds.take(&item).map_err(|what| bytes.error(what))?;
        Ok(item)
    });
    items.collect()
}

/// Reads a `PodSandbox`.
///
/// # Errors
/// When that is no message, or an id in it is not UTF-8.
pub fn parse_sandbox(message: Bytes<'_>) -> Result<Found, ProtoError> {
    let message = message.message()?;
    let metadata = message.within(2)?;
    let mut found = Found {
        is_sandbox: true,
        labels: map(&message, 5)?,
        annotations: map(&message, 6)?,
        ..Found::default()
    };
    for (key, number) in [(POD_NAME, 1), (POD_UID, 2), (POD_NAMESPACE, 3)] {
        let text = metadata.bytes(number).text();
        found.labels.insert(key.into(), text);
    }
    let container = &mut found.container;
    container.id = message.bytes(1).exact_text()?.into();
    // Of an enum that is not told the first word holds: ready.
    container.state = match message.number(3) {
        0 => ContainerState::Running,
        _ => ContainerState::Exited,
    };
    container.created_nanos = message.number(4).cast_signed();
    container.attempt = word(metadata.number(4));
    container.name = clean(&metadata.bytes(1).text());
    found.group = Some((container.id.as_ref().into(), container.name.clone()));
    Ok(found)
}

/// Reads a `Container`.
///
/// # Errors
/// When that is no message, or an id or a name of an image in it is not UTF-8.
pub fn parse_container(message: Bytes<'_>) -> Result<Found, ProtoError> {
    let message = message.message()?;
    let metadata = message.within(3)?;
    let state = message.number(6);
    let mut found = Found {
        told: told(state),
        labels: map(&message, 8)?,
        annotations: map(&message, 9)?,
        ..Found::default()
    };
    let grace = found.annotations.get(GRACE);
    found.grace_seconds = grace.and_then(|text| text.parse().ok());
    let container = &mut found.container;
    container.id = message.bytes(1).exact_text()?.into();
    let sandbox = message.bytes(2).exact_text()?;
    container.sandbox = (!sandbox.is_empty()).then(|| sandbox.into());
    container.name = clean(&metadata.bytes(1).text());
    container.attempt = word(metadata.number(2));
    container.state = state_of(state);
    container.created_nanos = message.number(7).cast_signed();
    // The id, from runtimes of 2024 and later; an id or a name by digest; a name or an id
    // as it was asked for.
    let image_id = message.bytes(10).exact_text()?;
    let reference = message.bytes(5).exact_text()?;
    let asked = message.within(4)?.bytes(1).exact_text()?;
    let mut ids = [image_id, reference].into_iter();
    let mut all = [image_id, reference, asked].into_iter();
    let image = ids.find(|image| is_image_id(image));
    let image = image.or_else(|| all.find(|image| !image.is_empty()));
    container.image = image.unwrap_or_default().into();
    found.group = Some((sandbox.into(), container.name.clone()));
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
pub(super) fn parse_told<T: DeserializeOwned + Default>(json: Option<&str>) -> T {
    let told = json.and_then(|json| serde_json::from_str(json).ok());
    told.unwrap_or_default()
}

/// Reads a `ContainerStatusResponse`.
///
/// # Errors
/// When that is no message.
pub fn parse_status(response: Bytes<'_>) -> Result<Details, ProtoError> {
    let status = response.message()?.within(1)?;
    let finished = status.number(6).cast_signed();
    let process: Process = parse_told(parse_info(response, "info")?);
    Ok(Details {
        mounts: read_mounts(&status)?,
        told: told(status.number(3)),
        pid: process.pid,
        finished_nanos: (finished > 0).then_some(finished),
        limits: read_limits(&status.within(16)?.within(1)?),
        log: path(&status.bytes(15).text()),
        log_format: LogFormat::Cri,
        image_volumes: read_image_volumes(&status)?,
        ..Details::default()
    })
}

/// The images among the mounts of a `ContainerStatus`: runtimes tell them as they were
/// asked for, by the kubelet by their ids. Of a container that mounts more images than
/// makes sense the first are read, and no error hides its process.
fn read_image_volumes(status: &Message<'_>) -> Result<Box<[Arc<str>]>, ProtoError> {
    let mut images = Vec::new();
    for mount in status.all(14) {
        let image = mount.message()?.within(9)?.bytes(1);
        if !image.is_empty() && image.len() <= MOST_LABEL_BYTES && images.len() < MOST_IMAGE_VOLUMES
        {
            images.push(image.exact_text()?.into());
        }
    }
    Ok(images.into())
}

/// Reads the `Mount`s of a `ContainerStatus`: no runtime says which of them is a volume.
fn read_mounts(status: &Message<'_>) -> Result<Arc<[ListedMount]>, ProtoError> {
    let mut mounts = Vec::new();
    for mount in status.all(14) {
        let mount = mount.message()?;
        if mount.number(3) == 0 {
            keep_mount(&mut mounts, &mount.bytes(2).text(), false);
        }
    }
    Ok(mounts.into())
}

/// Reads `LinuxContainerResources`; containerd tells them since 1.7.
fn read_limits(linux: &Message<'_>) -> Limits {
    let number = |field| positive(linux.number(field).cast_signed());
    let (period, quota, shares) = (number(1), number(2), number(3));
    let shares = shares.filter(|shares| shares.get() > LEAST_SHARES);
    let millis = quota
        .zip(period)
        .map(|(quota, period)| quota.get().saturating_mul(1000).div_ceil(period.get()));
    Limits {
        memory_limit_bytes: number(4),
        cpu_limit_millis: millis.and_then(core::num::NonZeroU64::new),
        cpu_request_millis: shares.and_then(millis_of_shares),
        ..Limits::default()
    }
}

/// Reads what an answer tells beside the API's fields, under that key of its map: a JSON
/// text that each runtime shapes as it likes.
///
/// # Errors
/// When that is no message.
pub fn parse_info<'a>(answer: Bytes<'a>, key: &str) -> Result<Option<&'a str>, ProtoError> {
    let answer = answer.message()?;
    let mut told = None;
    for pair in answer.all(2) {
        let pair = pair.message()?;
        if pair.bytes(1).is(key) {
            told = Some(pair.bytes(2));
        }
    }
    Ok(told.and_then(|told| told.exact_text().ok()))
}

/// Reads a `ContainerStats`: what a container has written into its layer, by its id.
///
/// # Errors
/// When that is no message, or an id in it is not UTF-8.
pub fn parse_layer(message: Bytes<'_>) -> Result<(String, WritableLayer), ProtoError> {
    let message = message.message()?;
    let id = message.within(1)?.bytes(1).exact_text()?;
    let layer = message.within(4)?;
    // An `UInt64Value` that is there without a number is 0.
    let value = |number| {
        let wrapped = layer.all(number).last().map(Bytes::message).transpose()?;
        Ok(wrapped.map(|wrapped| wrapped.number(1)))
    };
    let (bytes, inodes) = (value(3)?, value(4)?);
    let used = bytes.map(|bytes| WritableLayer::Used { bytes, inodes });
    Ok((id.into(), used.unwrap_or_default()))
}

/// Reads an `Image`.
///
/// # Errors
/// When that is no message, or an id or a name in it is not UTF-8.
pub fn parse_image(message: Bytes<'_>) -> Result<ListedImage, ProtoError> {
    let message = message.message()?;
    let names = |number| {
        let names = few(&message, number)?.map(Bytes::exact_text);
        names
            .map(|name| name.map(String::from))
            .collect::<Result<Vec<_>, _>>()
    };
    Ok(ListedImage {
        id: message.bytes(1).exact_text()?.into(),
        tags: names(2)?,
        digests: names(3)?,
        size_bytes: message.number(4),
        pinned: message.number(8) != 0,
    })
}

/// Reads an `ImageStatusResponse`: the image's id, empty where there is no such image.
///
/// # Errors
/// When that is no message, or the id is not UTF-8.
pub fn parse_image_id(response: Bytes<'_>) -> Result<String, ProtoError> {
    let id = response.message()?.within(1)?.bytes(1);
    Ok(id.exact_text()?.into())
}

/// Reads an `ImageFsInfoResponse`: directories within the filesystems that hold images and
/// writable layers, in spite of the field's name. The last part of containerd's ends with
/// the snapshotter's name, that of CRI-O's begins with the storage driver's.
///
/// # Errors
/// When that is no message, or a path in it is not UTF-8.
pub fn parse_disks(response: Bytes<'_>) -> Result<RuntimeDisks, ProtoError> {
    let response = response.message()?;
    // The first that is told.
    let place = |number| {
        let paths = response
            .all(number)
            .map(|usage| usage.message()?.within(2)?.bytes(1).exact_text());
        let paths = paths.collect::<Result<Vec<_>, _>>()?;
        Ok(paths.into_iter().find(|path| !path.is_empty()))
    };
    // The second: CRI-O since 1.29.
    let (images, containers) = (place(1)?, place(2)?);
    let name = images
        .and_then(|path| path.rsplit('/').next())
        .unwrap_or_default();
    let driver = match name.rsplit_once("snapshotter.v1.") {
        Some((_, driver)) => driver,
        None => name.strip_suffix("-images").unwrap_or(name),
    };
    let root = images.and_then(|path| Path::new(path).parent());
    Ok(RuntimeDisks {
        root: root
            .filter(|root| root.parent().is_some())
            .map(Path::to_path_buf),
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
    let response = response.message()?;
    let (name, version) = (response.bytes(2), response.bytes(3));
    Ok(clean(&format!("{} {}", name.text(), version.text())))
}
