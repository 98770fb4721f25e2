//! Sandboxes and containers as CRI lists them, read into the model.
//!
//! Texts are UTF-8 in this protocol. An id or a name of an image that is not counts as not
//! told, because it could not be handed back; in all other texts each byte that is not
//! UTF-8 reads as `\xNN`.

use std::io;

use super::fields::{MOST_NAME_BYTES, id, pair, word};
use super::image::{image_spec, is_image_id};
use super::reader::{Reader, Value};
use crate::ContainerState;
use crate::pods::{Found, GRACE, POD_NAME, POD_NAMESPACE, POD_UID};
use crate::text::clean;

/// Reads a `PodSandbox`, as far as it can be read.
///
/// # Errors
/// The source's.
pub fn parse_sandbox(reader: &mut Reader<'_>, sandbox: Value) -> io::Result<Found> {
    let mut found = Found {
        is_sandbox: true,
        ..Found::default()
    };
    let mut names = [POD_NAME, POD_UID, POD_NAMESPACE].map(|key| (key, String::new()));
    let container = &mut found.container;
    // Of an enum that is not told the first word holds: ready.
    container.state = ContainerState::Running;
    reader.message(sandbox, &mut |reader, field, value| {
        match field {
            1 => container.id = id(reader, value)?.into(),
            2 => reader.message(value, &mut |reader, field, value| {
                match (field, field.checked_sub(1)) {
                    (1..=3, Some(place)) => {
                        let mut names = names.iter_mut();
                        if let Some((_, name)) = names.nth(usize::try_from(place).unwrap_or(0)) {
                            *name = reader.shown(value)?;
                        }
                    }
                    (4, _) => container.attempt = word(reader.number(value).unwrap_or(0)),
                    _ => {}
                }
                Ok(())
            })?,
            3 if reader.number(value).unwrap_or(0) > 0 => {
                container.state = ContainerState::Exited;
            }
            4 => container.created_nanos = reader.number(value).unwrap_or(0).cast_signed(),
            5 => pair(reader, value, &mut found.labels)?,
            6 => pair(reader, value, &mut found.annotations)?,
            _ => {}
        }
        Ok(())
    })?;
    container.name = clean(&names[0].1);
    found.group = Some((container.id.as_ref().into(), container.name.clone()));
    for (key, name) in names {
        found.labels.insert(key.into(), name);
    }
    Ok(found)
}

/// Reads a `Container`, as far as it can be read.
///
/// # Errors
/// The source's.
pub fn parse_container(reader: &mut Reader<'_>, container: Value) -> io::Result<Found> {
    let mut found = Found::default();
    let (mut state, mut images) = (Some(0), [const { None }; 3]);
    let told = &mut found.container;
    reader.message(container, &mut |reader, field, value| {
        let [image_id, reference, asked] = &mut images;
        match field {
            1 => told.id = id(reader, value)?.into(),
            2 => told.sandbox = reader.text(value, MOST_NAME_BYTES)?.map(Into::into),
            3 => reader.message(value, &mut |reader, field, value| {
                match field {
                    1 => told.name = clean(&reader.shown(value)?),
                    2 => told.attempt = word(reader.number(value).unwrap_or(0)),
                    _ => {}
                }
                Ok(())
            })?,
            4 => *asked = image_spec(reader, value)?,
            5 => *reference = reader.text(value, MOST_NAME_BYTES)?,
            6 => state = reader.number(value),
            7 => told.created_nanos = reader.number(value).unwrap_or(0).cast_signed(),
            8 => pair(reader, value, &mut found.labels)?,
            9 => pair(reader, value, &mut found.annotations)?,
            10 => *image_id = reader.text(value, MOST_NAME_BYTES)?,
            _ => {}
        }
        Ok(())
    })?;
    let grace = found.annotations.get(GRACE);
    found.grace_seconds = grace.and_then(|text| text.parse().ok());
    found.told = words_of(state);
    told.state = state_of(state);
    told.image = name_of_image(images).into();
    told.sandbox = told.sandbox.take().filter(|sandbox| !sandbox.is_empty());
    let sandbox = told.sandbox.as_deref().unwrap_or_default();
    found.group = Some((sandbox.into(), told.name.clone()));
    Ok(found)
}

/// The id, from runtimes of 2024 and later; an id or a name by digest; a name or an id as it
/// was asked for. An id is the best of them.
fn name_of_image(images: [Option<String>; 3]) -> String {
    let mut ids = images.iter().take(2).flatten();
    let by_id = ids.find(|image| is_image_id(image)).cloned();
    let told = || images.into_iter().flatten().find(|image| !image.is_empty());
    by_id.or_else(told).unwrap_or_default()
}

/// A state as the details of a container are known by; none is like that of one whose state
/// could not be read.
pub(super) fn words_of(state: Option<u64>) -> Box<str> {
    state.map_or_else(|| "?".into(), |state| state.to_string().into())
}

const fn state_of(state: Option<u64>) -> ContainerState {
    match state {
        Some(0) => ContainerState::Created,
        Some(1) => ContainerState::Running,
        Some(2) => ContainerState::Exited,
        Some(_) | None => ContainerState::Unknown,
    }
}
