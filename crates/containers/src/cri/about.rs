//! What CRI tells of the runtime itself, read into the model.

use std::io;
use std::path::{Path, PathBuf};

use super::fields::{MOST_PATH_BYTES, id};
use super::reader::{Reader, Value};
use crate::RuntimeDisks;
use crate::text::clean;

/// Reads a `VersionResponse`: name and version.
///
/// # Errors
/// The source's.
pub fn parse_version(reader: &mut Reader<'_>) -> io::Result<String> {
    let (mut name, mut version) = (String::new(), String::new());
    let whole = reader.whole();
    reader.message(whole, &mut |reader, field, value| {
        match field {
            2 => name = id(reader, value)?,
            3 => version = id(reader, value)?,
            _ => {}
        }
        Ok(())
    })?;
    // Neither is cut for the other's sake.
    let [name, version] = [name, version].map(|text| clean(&text));
    Ok(format!("{name} {version}").trim().to_owned())
}

/// Reads an `ImageFsInfoResponse`: directories within the filesystems that hold images and
/// writable layers, in spite of the field's name. The last part of containerd's ends with
/// the snapshotter's name, that of CRI-O's begins with the storage driver's.
///
/// # Errors
/// The source's.
pub fn parse_disks(reader: &mut Reader<'_>) -> io::Result<RuntimeDisks> {
    // Of each the first that is told; the second since CRI-O 1.29.
    let (mut images, mut containers) = (None, None);
    let whole = reader.whole();
    reader.message(whole, &mut |reader, field, value| {
        match field {
            1 if images.is_none() => images = mount_point(reader, value)?,
            2 if containers.is_none() => containers = mount_point(reader, value)?,
            _ => {}
        }
        Ok(())
    })?;
    let name = images.as_deref().and_then(|path| path.rsplit('/').next());
    let name = name.unwrap_or_default();
    let driver = match name.rsplit_once("snapshotter.v1.") {
        Some((_, driver)) => driver,
        None => name.strip_suffix("-images").unwrap_or(name),
    };
    let root = images.as_deref().and_then(|path| Path::new(path).parent());
    Ok(RuntimeDisks {
        root: root
            .filter(|root| root.parent().is_some())
            .map(Path::to_path_buf),
        driver: driver.into(),
        containers: containers
            .filter(|path| Some(path) != images.as_ref())
            .map(PathBuf::from),
        images: images.map(PathBuf::from),
    })
}

/// Reads the `FilesystemIdentifier` of a `FilesystemUsage`: its mount point, where one is told.
fn mount_point(reader: &mut Reader<'_>, usage: Value) -> io::Result<Option<String>> {
    let mut path = None;
    reader.message(usage, &mut |reader, field, value| {
        if field == 2 {
            reader.message(value, &mut |reader, field, value| {
                if field == 1 {
                    path = reader.text(value, MOST_PATH_BYTES)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(path.filter(|path| !path.is_empty()))
}
