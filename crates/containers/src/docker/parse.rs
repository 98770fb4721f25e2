//! JSON of the Docker Engine API, read into the model. No I/O.

use alloc::collections::BTreeMap;

use serde_json::Value;

use super::json::{self, Result};
use super::time::parse_rfc3339;
use crate::pods::{Details, Found, kubepods_class, millis_of_shares, path, positive};
use crate::text::clean;
use crate::{ContainerState, Failure, ListedImage, WritableLayer};

const CONTAINER_NAME: &str = "io.kubernetes.container.name";
const CONTAINER_TYPE: &str = "io.kubernetes.docker.type";
const SANDBOX_ID: &str = "io.kubernetes.sandbox.id";
const RESTART_COUNT: &str = "io.kubernetes.container.restartCount";
/// Annotations have no place of their own in Docker: dockershim and cri-dockerd
/// keep them among the labels.
const ANNOTATION: &str = "annotation.";

/// Reads the answer to `GET /containers/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_containers(text: &[u8]) -> core::result::Result<Vec<Found>, Failure> {
    json::parse_list(text, read_container)
}

fn read_container(value: &Value) -> Result<Found> {
    let mut found = Found::default();
    let names = json::texts(value, "Names")?;
    let name = own_name(&names);
    let mut labels = json::map(value, "Labels")?;
    let marks = labels.split_off(ANNOTATION);
    for (key, text) in marks {
        match key.strip_prefix(ANNOTATION) {
            Some(key) => found.annotations.insert(key.into(), text),
            None => labels.insert(key, text),
        };
    }
    found.labels = labels;
    let state = json::text(value, "State")?;
    found.told = format!("{state}\n{}", json::text(value, "Status")?).into();
    found.is_sandbox = found.label(CONTAINER_TYPE) == Some("podsandbox")
        || found.label(CONTAINER_NAME) == Some("POD");
    let attempt = attempt(&found.annotations, name);
    let own_name = clean(found.label(CONTAINER_NAME).unwrap_or(name));
    let sandbox = found.label(SANDBOX_ID).map(String::from);
    let container = &mut found.container;
    container.id = json::needed(value, "Id")?.into();
    container.name = own_name;
    container.sandbox = sandbox;
    container.state = state_of(state);
    container.attempt = attempt;
    let created = json::number(value, "Created")?;
    container.created_nanos = created.saturating_mul(1_000_000_000);
    container.image = match json::text(value, "ImageID")? {
        "" => json::text(value, "Image")?.into(),
        id => id.into(),
    };
    Ok(found)
}

/// A container linked to by others has names such as `/other/alias` as well.
fn own_name(names: &[String]) -> &str {
    let mut bare = names.iter().map(|name| name.trim_start_matches('/'));
    let first = bare.clone().next().unwrap_or_default();
    bare.find(|name| !name.contains('/')).unwrap_or(first)
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

/// Reads the answer to `GET /containers/ID/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_details(text: &[u8]) -> core::result::Result<Details, Failure> {
    json::parse(text, |value| {
        let mut details = Details::default();
        json::needed(value, "Id")?;
        details.pid = saturate(json::number(value, "State.Pid")?);
        details.finished_nanos = match json::text(value, "State.FinishedAt")? {
            "" => None,
            // Go's zero time, the year 1, is none.
            time => Some(parse_rfc3339(time.as_bytes()).map_err(|error| error.to_string())?)
                .filter(|nanos| *nanos > 0),
        };
        details.restarts = saturate(json::number(value, "RestartCount")?);
        let set = |path: &str| json::number(value, path).map(positive);
        let limits = &mut details.limits;
        limits.memory_limit_bytes = set("HostConfig.Memory")?;
        limits.memory_request_bytes = set("HostConfig.MemoryReservation")?;
        limits.cpu_request_millis = set("HostConfig.CpuShares")?.and_then(millis_of_shares);
        let nanos = json::number(value, "HostConfig.NanoCpus")?;
        limits.cpu_limit_millis = positive(nanos.saturating_add(999_999) / 1_000_000);
        details.class = kubepods_class(json::text(value, "HostConfig.CgroupParent")?);
        let seconds = json::number(value, "Config.StopTimeout")?;
        details.grace_seconds = Some(seconds).filter(|seconds| *seconds > 0);
        let layer = path(json::text(value, "GraphDriver.Data.UpperDir")?);
        details.layer = layer.map_or(WritableLayer::Unknown, WritableLayer::Dir);
        details.log = path(json::text(value, "LogPath")?);
        Ok(details)
    })
}

fn saturate(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

/// Reads the answer to `GET /images/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_images(text: &[u8]) -> core::result::Result<Vec<ListedImage>, Failure> {
    json::parse_list(text, read_image)
}

/// Reads the answer to `GET /images/ID/json`.
pub(super) fn parse_image(text: &[u8]) -> core::result::Result<ListedImage, Failure> {
    json::parse(text, read_image)
}

/// No engine of these pins images.
fn read_image(value: &Value) -> Result<ListedImage> {
    let names = |path: &str| -> Result<Vec<String>> {
        let mut names = json::texts(value, path)?;
        // `<none>:<none>` and `<none>@<none>` are no names.
        names.retain(|name| !name.starts_with("<none>"));
        Ok(names)
    };
    Ok(ListedImage {
        id: json::needed(value, "Id")?.into(),
        tags: names("RepoTags")?,
        digests: names("RepoDigests")?,
        size_bytes: u64::try_from(json::number(value, "Size")?).unwrap_or(0),
        pinned: false,
    })
}

/// What answers behind the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineVersion {
    /// Its version: `20.10.24+dfsg1`.
    pub version: String,
    /// The name of its main component: `Engine`, `Podman Engine`; empty where
    /// it has none.
    pub component: String,
    /// The name of its platform: `Docker Engine - Community`, `balenaEngine`,
    /// `linux/amd64/debian-12`; often empty.
    pub platform: String,
}

/// Reads the answer to `GET /version`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_version(text: &[u8]) -> core::result::Result<EngineVersion, Failure> {
    json::parse(text, |value| {
        // The first is the engine itself.
        let component = match json::list(value, "Components")?.first() {
            Some(component) => json::text(component, "Name")?,
            None => "",
        };
        Ok(EngineVersion {
            version: json::needed(value, "Version")?.into(),
            component: component.into(),
            platform: json::text(value, "Platform.Name")?.into(),
        })
    })
}

/// How an engine is set up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineInfo {
    /// The directory of all it keeps.
    pub root_dir: String,
    /// What stores images and writable layers: `overlay2`.
    pub driver: String,
    /// Whether that is a snapshotter of containerd (Docker 29).
    pub in_containerd: bool,
}

/// Reads the answer to `GET /info`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_info(text: &[u8]) -> core::result::Result<EngineInfo, Failure> {
    json::parse(text, |value| {
        let says_containerd = |pair: &Value| {
            let text = |index: usize| pair.get(index).and_then(Value::as_str);
            text(0) == Some("driver-type") && text(1).is_some_and(|it| it.contains("containerd"))
        };
        Ok(EngineInfo {
            root_dir: json::text(value, "DockerRootDir")?.into(),
            driver: json::text(value, "Driver")?.into(),
            in_containerd: json::list(value, "DriverStatus")?
                .iter()
                .any(says_containerd),
        })
    })
}

/// A pod of Podman's: what Docker's API has no word for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PodmanPod {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The container that holds its namespaces, by id; empty where it has none.
    pub infra_id: String,
    /// Its containers by id, that one among them.
    pub container_ids: Vec<String>,
}

/// Reads the answer to `GET /libpod/pods/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_podman_pods(text: &[u8]) -> core::result::Result<Vec<PodmanPod>, Failure> {
    json::parse_list(text, |value| {
        let containers = json::list(value, "Containers")?.iter();
        let ids = containers.map(|container| json::text(container, "Id").map(String::from));
        Ok(PodmanPod {
            id: json::needed(value, "Id")?.into(),
            name: json::text(value, "Name")?.into(),
            infra_id: json::text(value, "InfraId")?.into(),
            container_ids: ids.collect::<Result<_>>()?,
        })
    })
}

/// The `message` or `cause` of an error's body, else the whole text.
pub(super) fn parse_message(body: &[u8]) -> String {
    let read = |value: &Value| match json::text(value, "message")? {
        "" => json::needed(value, "cause").map(clean),
        message => Ok(clean(message)),
    };
    json::parse(body, read).unwrap_or_else(|_| clean(&String::from_utf8_lossy(body)))
}
