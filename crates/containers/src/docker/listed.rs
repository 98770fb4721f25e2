//! The list of containers.

use alloc::collections::BTreeMap;
use std::io::BufRead;

use super::answer::{MOST_TEXT_BYTES, read_list};
use crate::list::{Item, Items, Listed};
use crate::pods::{
    ANNOTATION, CONTAINER_NAME, CONTAINER_TYPE, Found, RESTART_COUNT, SANDBOX_ID, decides,
};
use crate::text::clean;
use crate::{ContainerState, Failure};
use evictd_json::{Json, ReadError, first};

/// What the list says of a container.
#[derive(Default)]
struct Told {
    id: Option<String>,
    names: Names,
    image: Option<String>,
    image_id: Option<String>,
    created: Option<i64>,
    state: Option<String>,
    status: Option<String>,
    labels: BTreeMap<String, String>,
}

/// A container linked to by others has names such as `/other/alias` as well.
#[derive(Default)]
struct Names {
    /// The first without another slash than the one it begins with.
    own: Option<String>,
    first: Option<String>,
}

/// Reads the answer to `GET /containers/json`; all labels count.
///
/// All that run are kept. Of the others 1,024 are, the oldest first, and of those beyond one
/// for each image that they use; fewer where their texts take too much.
///
/// # Errors
/// When that is no list. An item of which something cannot be read is known by the rest of
/// it, one without an id is passed over.
pub fn parse_containers(stream: impl BufRead) -> Result<Listed<Found>, Failure> {
    let mut all = parse_listed(stream)?;
    all.items.iter_mut().for_each(read_labels);
    Ok(all)
}

/// Reads the list; what its labels say of a container is left to [`read_labels`].
pub(super) fn parse_listed(stream: impl BufRead) -> Result<Listed<Found>, Failure> {
    let mut items = Items::default();
    read_list(stream, |json| {
        let found = read_container(json)?;
        items.take(found, json.fault());
        Ok(())
    })?;
    Ok(items.finish())
}

/// The name of a container of the list, in any state, that was made from this image, or from
/// one that could not be read.
///
/// # Errors
/// When that is no list.
pub fn parse_uses(stream: impl BufRead, image: &str) -> Result<Option<Box<str>>, Failure> {
    let mut user = None;
    read_list(stream, |json| {
        let found = read_container(json)?;
        let of = &*found.container.image;
        let is_user = !found.id().is_empty() && (of.is_empty() || of == image);
        first(&mut user, is_user.then(|| found.name().into()));
        Ok(())
    })?;
    Ok(user)
}

fn read_container<R: BufRead>(json: &mut Json<R>) -> Result<Found, ReadError> {
    let mut told = Told::default();
    json.object(|json, key| {
        let text = match key {
            "Id" => &mut told.id,
            "Image" => &mut told.image,
            "ImageID" => &mut told.image_id,
            "State" => &mut told.state,
            "Status" => &mut told.status,
            "Created" => {
                first(&mut told.created, json.number()?);
                return Ok(());
            }
            "Names" => return told.names.read(json),
            "Labels" => return read_pairs(json, &mut told.labels).map(drop),
            _ => return Ok(()),
        };
        first(text, json.text(MOST_TEXT_BYTES)?);
        Ok(())
    })?;
    Ok(told.found())
}

impl Names {
    fn read<R: BufRead>(&mut self, json: &mut Json<R>) -> Result<(), ReadError> {
        json.array(|json| {
            let Some(name) = json.text(MOST_TEXT_BYTES)? else {
                return Ok(());
            };
            let bare = name.trim_start_matches('/');
            let own = (!bare.contains('/')).then(|| bare.to_owned());
            first(&mut self.own, own);
            first(&mut self.first, Some(bare.to_owned()));
            Ok(())
        })?;
        Ok(())
    }
}

/// Reads labels. Those that decide nothing are passed over; of the others each can be there
/// once, so what they take is bounded.
pub(super) fn read_pairs<R: BufRead>(
    json: &mut Json<R>,
    pairs: &mut BTreeMap<String, String>,
) -> Result<bool, ReadError> {
    json.object(|json, key| {
        let bare = key.strip_prefix(ANNOTATION).unwrap_or(key);
        if decides(bare) && !pairs.contains_key(key) {
            let most = MOST_TEXT_BYTES.saturating_sub(key.len());
            pairs.extend(json.text(most)?.map(|value| (key.to_owned(), value)));
        }
        Ok(())
    })
}

impl Told {
    fn found(self) -> Found {
        let (state, status) = (
            self.state.unwrap_or_default(),
            self.status.unwrap_or_default(),
        );
        let mut found = Found {
            labels: self.labels,
            told: format!("{state}\n{status}").into(),
            ..Found::default()
        };
        let container = &mut found.container;
        container.id = self.id.unwrap_or_default().into();
        container.name = self.names.own.or(self.names.first).unwrap_or_default();
        container.state = state_of(&state);
        let created = self.created.unwrap_or_default();
        container.created_nanos = created.saturating_mul(1_000_000_000);
        let image = self.image_id.filter(|id| !id.is_empty()).or(self.image);
        container.image = image.unwrap_or_default().into();
        found
    }
}

/// What the labels say of a container that was listed.
pub(super) fn read_labels(found: &mut Found) {
    for (key, value) in core::mem::take(&mut found.labels) {
        match key.strip_prefix(ANNOTATION) {
            Some(key) => found.annotations.insert(key.into(), value),
            None => found.labels.insert(key, value),
        };
    }
    found.is_sandbox = found.label(CONTAINER_TYPE) == Some("podsandbox")
        || found.label(CONTAINER_NAME) == Some("POD");
    let attempt = attempt(&found.annotations, &found.container.name);
    let own = found.container.name.as_str();
    let name = clean(found.label(CONTAINER_NAME).unwrap_or(own));
    let sandbox = found.label(SANDBOX_ID).map(Into::into);
    let container = &mut found.container;
    (container.name, container.sandbox, container.attempt) = (name, sandbox, attempt);
}

fn state_of(word: &str) -> ContainerState {
    match word {
        "created" | "configured" | "initialized" => ContainerState::Created,
        "running" | "paused" | "restarting" | "stopping" => ContainerState::Running,
        "exited" | "stopped" | "dead" | "removing" => ContainerState::Exited,
        _ => ContainerState::Unknown,
    }
}

/// dockershim and cri-dockerd number the containers of a pod in labels, and at the
/// end of their names: `k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT`.
fn attempt(annotations: &BTreeMap<String, String>, name: &str) -> u32 {
    let told = annotations
        .get(RESTART_COUNT)
        .and_then(|text| text.parse().ok());
    let by_name = || name.strip_prefix("k8s_")?.rsplit('_').next()?.parse().ok();
    told.or_else(by_name).unwrap_or(0)
}
