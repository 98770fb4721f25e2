//! What CRI tells of one container alone, read into the model.

use alloc::sync::Arc;
use std::io;

use super::containers::words_of;
use super::fields::MOST_PATH_BYTES;
use super::image::image_spec;
use super::info::{find_told, take_info};
use super::reader::{Reader, Value};
use crate::ListedMount;
use crate::LogFormat;
use crate::pods::{Details, Limits, keep_mount, millis_of_shares, path, positive};

/// A weight that stands for no request of cpu.
const LEAST_SHARES: u64 = 2;
/// The most images that are mounted in one container; each may cost a call.
const MOST_IMAGE_VOLUMES: usize = 128;

/// Reads a `ContainerStatusResponse`, as far as it can be read.
///
/// # Errors
/// The source's.
pub fn parse_status(reader: &mut Reader<'_>) -> io::Result<Details> {
    let mut details = Details {
        told: words_of(Some(0)),
        log_format: LogFormat::Cri,
        ..Details::default()
    };
    let (whole, mut info) = (reader.whole(), Vec::new());
    reader.message(whole, &mut |reader, field, value| match field {
        1 => read_status(reader, value, &mut details),
        2 => take_info(reader, value, "info", &mut info),
        _ => Ok(()),
    })?;
    // As containerd and CRI-O tell it.
    details.pid = find_told(&info, &["pid"]).unwrap_or(0);
    Ok(details)
}

/// Reads a `ContainerStatus`.
fn read_status(reader: &mut Reader<'_>, status: Value, details: &mut Details) -> io::Result<()> {
    let (mut mounts, mut images) = (Vec::new(), Vec::new());
    reader.message(status, &mut |reader, field, value| {
        match field {
            3 => details.told = words_of(reader.number(value)),
            6 => {
                let finished = reader.number(value).unwrap_or(0).cast_signed();
                details.finished_nanos = (finished > 0).then_some(finished);
            }
            14 => read_mount(reader, value, &mut mounts, &mut images)?,
            15 => {
                let log = reader.text(value, MOST_PATH_BYTES)?;
                details.log = log.as_deref().and_then(path);
            }
            16 => reader.message(value, &mut |reader, field, value| {
                if field == 1 {
                    details.limits = read_limits(reader, value)?;
                }
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    details.mounts = mounts.into();
    details.image_volumes = images.into();
    Ok(())
}

/// Reads a `Mount`. An image is told as it was asked for, by the kubelet by its id. No runtime
/// says which of them is a volume.
fn read_mount(
    reader: &mut Reader<'_>,
    mount: Value,
    mounts: &mut Vec<ListedMount>,
    images: &mut Vec<Arc<str>>,
) -> io::Result<()> {
    let (mut source, mut is_read_only) = (None, false);
    reader.message(mount, &mut |reader, field, value| {
        match field {
            2 => source = reader.text(value, MOST_PATH_BYTES)?,
            3 => is_read_only = reader.number(value).is_some_and(|number| number != 0),
            // Of a container that mounts more images than makes sense the first are read.
            9 if images.len() < MOST_IMAGE_VOLUMES => {
                let image = image_spec(reader, value)?.filter(|image| !image.is_empty());
                images.extend(image.map(Arc::from));
            }
            _ => {}
        }
        Ok(())
    })?;
    if let Some(source) = source.filter(|_| !is_read_only) {
        keep_mount(mounts, &source, false);
    }
    Ok(())
}

/// Reads `LinuxContainerResources`; containerd tells them since 1.7.
fn read_limits(reader: &mut Reader<'_>, linux: Value) -> io::Result<Limits> {
    // Period and quota of cpu, its weight, and memory: the fields 1 to 4.
    let mut numbers = [None; 4];
    reader.message(linux, &mut |reader, field, value| {
        let place = usize::try_from(field)
            .ok()
            .and_then(|field| field.checked_sub(1));
        if let Some(number) = place.and_then(|place| numbers.get_mut(place)) {
            *number = positive(reader.number(value).unwrap_or(0).cast_signed());
        }
        Ok(())
    })?;
    let [period, quota, shares, memory_limit_bytes] = numbers;
    let shares = shares.filter(|shares| shares.get() > LEAST_SHARES);
    let millis = quota
        .zip(period)
        .map(|(quota, period)| quota.get().saturating_mul(1000).div_ceil(period.get()));
    Ok(Limits {
        memory_limit_bytes,
        cpu_limit_millis: millis.and_then(core::num::NonZeroU64::new),
        cpu_request_millis: shares.and_then(millis_of_shares),
        ..Limits::default()
    })
}
