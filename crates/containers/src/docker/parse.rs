//! JSON of the Docker Engine API, read into the model. No I/O.
//!
//! Go writes `null` for lists, maps and objects that are not there: such fields are
//! options. What is not read is not looked at.

use alloc::collections::BTreeMap;
use std::path::Path;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};

use super::few::{Few, FewPairs, List};
use super::log_config::LogText;
use super::mounts::{Mounts, image_volumes};
use super::time::parse_rfc3339;
use crate::bounds::{MOST_LABEL_BYTES, Weigh};
use crate::pods::{ANNOTATION, Details, Found, kubepods_class, millis_of_shares, path, positive};
use crate::text::clean;
use crate::{ContainerState, Failure, ListedImage, WritableLayer};

const CONTAINER_NAME: &str = "io.kubernetes.container.name";
const CONTAINER_TYPE: &str = "io.kubernetes.docker.type";
const SANDBOX_ID: &str = "io.kubernetes.sandbox.id";
const RESTART_COUNT: &str = "io.kubernetes.container.restartCount";

pub(super) fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(text).map_err(Failure::malformed)
}

pub(super) fn parse_list<T: DeserializeOwned, U: Weigh>(
    text: &[u8],
    read: fn(T) -> U,
) -> Result<Vec<U>, Failure> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let list = List(read).read(&mut json).map_err(Failure::malformed)?;
    json.end().map_err(Failure::malformed)?;
    Ok(list)
}

/// A text without which the object makes no sense.
pub(super) fn needed<'a, D: Deserializer<'a>>(deserializer: D) -> Result<String, D::Error> {
    let text = short(deserializer)?;
    if text.is_empty() {
        return Err(D::Error::custom("an empty id"));
    }
    Ok(text)
}

/// A text that is kept as it is, and copied.
fn short<'a, D: Deserializer<'a>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.len() > MOST_LABEL_BYTES {
        return Err(D::Error::custom("an id or a name of more than 1024 bytes"));
    }
    Ok(text)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct Named {
    pub(super) name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ContainerText {
    #[serde(deserialize_with = "needed")]
    id: String,
    names: Option<Few<String>>,
    #[serde(default, deserialize_with = "short")]
    image: String,
    #[serde(default, rename = "ImageID", deserialize_with = "short")]
    image_id: String,
    #[serde(default)]
    created: i64,
    #[serde(default, deserialize_with = "short")]
    state: String,
    #[serde(default, deserialize_with = "short")]
    status: String,
    labels: Option<FewPairs>,
}

/// Reads the answer to `GET /containers/json`; all labels count.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_containers(text: &[u8]) -> Result<Vec<Found>, Failure> {
    let mut all = parse_listed(text)?;
    all.iter_mut().for_each(read_labels);
    Ok(all)
}

/// Reads the same; what its labels say of a container is left to [`read_labels`].
pub(super) fn parse_listed(text: &[u8]) -> Result<Vec<Found>, Failure> {
    parse_list(text, read_container)
}

fn read_container(text: ContainerText) -> Found {
    let mut found = Found {
        labels: text.labels.unwrap_or_default().0,
        told: format!("{}\n{}", text.state, text.status).into(),
        ..Found::default()
    };
    let container = &mut found.container;
    container.id = text.id.into();
    container.name = own_name(&text.names.unwrap_or_default().0).into();
    container.state = state_of(&text.state);
    container.created_nanos = text.created.saturating_mul(1_000_000_000);
    let image = if text.image_id.is_empty() {
        text.image
    } else {
        text.image_id
    };
    container.image = image.into();
    found
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

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DetailsText {
    #[serde(rename = "Id", deserialize_with = "needed")]
    _id: String,
    #[serde(default)]
    restart_count: i64,
    #[serde(default)]
    log_path: String,
    state: Option<StateText>,
    host_config: Option<HostText>,
    #[serde(default)]
    hostname_path: String,
    config: Option<ConfigText>,
    graph_driver: Option<DriverText>,
    mounts: Option<Mounts>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct StateText {
    pid: i64,
    finished_at: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct HostText {
    memory: i64,
    memory_reservation: i64,
    nano_cpus: i64,
    cpu_shares: i64,
    cgroup_parent: String,
    restart_policy: Option<Named>,
    log_config: Option<LogText>,
    mounts: Option<Mounts>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct ConfigText {
    stop_timeout: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct DriverText {
    data: Option<DriverDataText>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct DriverDataText {
    upper_dir: String,
}

/// Reads the answer to `GET /containers/ID/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_details(text: &[u8]) -> Result<Details, Failure> {
    let text: DetailsText = parse(text)?;
    let mut details = Details::default();
    let state = text.state.unwrap_or_default();
    details.pid = saturate(state.pid);
    if !state.finished_at.is_empty() {
        let odd = || Failure::malformed(format!("FinishedAt is no time: {}", state.finished_at));
        let nanos = parse_rfc3339(&state.finished_at).ok_or_else(odd)?;
        // Go's zero time, the year 1, is none.
        details.finished_nanos = Some(nanos).filter(|nanos| *nanos > 0);
    }
    details.restarts = saturate(text.restart_count);
    let host = text.host_config.unwrap_or_default();
    let limits = &mut details.limits;
    limits.memory_limit_bytes = positive(host.memory);
    limits.memory_request_bytes = positive(host.memory_reservation);
    limits.cpu_request_millis = positive(host.cpu_shares).and_then(millis_of_shares);
    limits.cpu_limit_millis = positive(host.nano_cpus.saturating_add(999_999) / 1_000_000);
    details.class = kubepods_class(&host.cgroup_parent);
    let mounts = text.mounts.unwrap_or_default();
    details.image_volumes = image_volumes([&host.mounts.unwrap_or_default(), &mounts]);
    details.mounts = mounts.into_writable();
    let policy = host.restart_policy.map(|policy| clean(&policy.name));
    details.restart_policy = policy.filter(|name| !matches!(name.as_str(), "" | "no"));
    let timeout = text.config.and_then(|config| config.stop_timeout);
    details.grace_seconds = timeout.filter(|seconds| *seconds > 0);
    let layer = text.graph_driver.and_then(|driver| driver.data);
    let layer = layer.and_then(|data| path(&data.upper_dir));
    details.layer = layer.map_or(WritableLayer::Unknown, WritableLayer::Dir);
    let log = host.log_config.unwrap_or_default();
    (details.log_format, details.log_is_bounded) = (log.format(), log.is_bounded());
    let driver = log.driver();
    // Docker hides where the driver "local" writes: in the container's own directory, which
    // its other files tell.
    details.log = match Path::new(&text.hostname_path).parent() {
        Some(own) if driver == "local" && own.is_absolute() => Some(own.join("local-logs").into()),
        _ => path(&text.log_path),
    };
    Ok(details)
}

fn saturate(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ImageText {
    #[serde(deserialize_with = "needed")]
    id: String,
    repo_tags: Option<Few<String>>,
    repo_digests: Option<Few<String>>,
    #[serde(default)]
    size: i64,
}

/// Reads the answer to `GET /images/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_images(text: &[u8]) -> Result<Vec<ListedImage>, Failure> {
    parse_list(text, read_image)
}

/// Reads the answer to `GET /images/ID/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_image(text: &[u8]) -> Result<ListedImage, Failure> {
    parse(text).map(read_image)
}

/// No engine of these pins images.
fn read_image(text: ImageText) -> ListedImage {
    let names = |names: Option<Few<String>>| {
        let mut names = names.unwrap_or_default().0;
        // `<none>:<none>` and `<none>@<none>` are no names.
        names.retain(|name| !name.starts_with("<none>"));
        names
    };
    ListedImage {
        id: text.id,
        tags: names(text.repo_tags),
        digests: names(text.repo_digests),
        size_bytes: u64::try_from(text.size).unwrap_or(0),
        pinned: false,
    }
}

#[derive(Deserialize)]
struct SizeText {
    #[serde(rename = "SizeRw")]
    written: Option<i64>,
}

/// Reads what a container has written from the answer to
/// `GET /containers/ID/json?size=true`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_size(text: &[u8]) -> Result<Option<u64>, Failure> {
    let text: SizeText = parse(text)?;
    Ok(text.written.and_then(|bytes| u64::try_from(bytes).ok()))
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct ImageConfig {
    labels: Option<FewPairs>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct InspectedImage {
    config: Option<ImageConfig>,
}

/// Reads the labels from the answer to `GET /images/ID/json`.
pub fn parse_image_labels(text: &[u8]) -> Result<BTreeMap<String, String>, Failure> {
    let image: InspectedImage = parse(text)?;
    let labels = image.config.and_then(|config| config.labels);
    Ok(labels.unwrap_or_default().0)
}
