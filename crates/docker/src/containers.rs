use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::json::{self, Fault, Object};
use crate::parse_rfc3339;
use crate::request::{Method, Request};
use crate::{Client, Error};

/// A container as the list of all gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerSummary {
    /// Its id.
    pub id: String,
    /// Its name, without a slash in front.
    pub name: String,
    /// The name of its image, as it was asked for.
    pub image: String,
    /// The id of its image; empty where the engine does not say.
    pub image_id: String,
    /// When it was made: seconds since 1970.
    pub created_seconds: i64,
    /// One word: `created`, `running`, `paused`, `restarting`, `removing`,
    /// `exited`, `dead`; Podman has others besides.
    pub state: String,
    /// The same for people: `Up 5 minutes`, `Exited (0) 2 hours ago`.
    pub status: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
}

/// What more is known of a container when asked for it alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerDetail {
    /// The process id of its first process; 0 while it does not run.
    pub pid: u32,
    /// When it last ended: nanoseconds since 1970; `None` where it never has.
    pub finished_nanos: Option<i64>,
    /// How often its restart policy has started it again.
    pub restart_count: u32,
    /// The memory limit in bytes; `None` without one.
    pub memory_bytes: Option<u64>,
    /// The memory reservation in bytes; `None` without one.
    pub memory_reservation_bytes: Option<u64>,
    /// The processor limit in billionths of a processor; `None` without one.
    pub nano_cpus: Option<u64>,
    /// The weight among others who want processors, of which 1024 stand for
    /// one; `None` where it was not given.
    pub cpu_shares: Option<u64>,
    /// The parent of its cgroup as it was asked for; often empty.
    pub cgroup_parent: String,
    /// The directory of its writable layer, where the storage driver has one
    /// (`overlay2`); else empty.
    pub upper_dir: String,
    /// Its log file; empty where there is none.
    pub log_path: String,
    /// The seconds it asked for between its stop signal and SIGKILL; `None` where
    /// it did not.
    pub stop_seconds: Option<u32>,
}

const SUMMARY: [&str; 8] = [
    "Id", "Names", "Image", "ImageID", "Created", "State", "Status", "Labels",
];
const DETAIL: [&str; 7] = [
    "Id",
    "State",
    "RestartCount",
    "HostConfig",
    "GraphDriver",
    "LogPath",
    "Config",
];

impl Client {
    /// All containers, in every state.
    ///
    /// # Errors
    /// When the answer is missing or is not whole.
    pub fn containers(&mut self) -> Result<Vec<ContainerSummary>, Error> {
        let request = Request::new(Method::Get, "/containers/json", "?all=true");
        self.read(&request, parse_containers)
    }

    /// What is known of one container.
    ///
    /// # Errors
    /// When the answer is missing or is not whole; status 404 where there is no
    /// such container.
    pub fn container(&mut self, id: &str) -> Result<ContainerDetail, Error> {
        let request = Request::about(Method::Get, "/containers/", id, "/json");
        self.read(&request, parse_container)
    }
}

/// Reads the answer to `GET /containers/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_containers(text: &[u8]) -> Result<Vec<ContainerSummary>, Fault> {
    let mut containers = Vec::new();
    json::parse_objects(text, &SUMMARY, &mut |object| {
        containers.push(summary(object)?);
        Ok(())
    })?;
    Ok(containers)
}

fn summary(object: &Object) -> Result<ContainerSummary, Fault> {
    Ok(ContainerSummary {
        id: object.needed("Id")?.into(),
        name: own_name(&object.texts("Names")?).into(),
        image: object.text("Image")?.into(),
        image_id: object.text("ImageID")?.into(),
        created_seconds: object.number("Created")?,
        state: object.text("State")?.into(),
        status: object.text("Status")?.into(),
        labels: labels(object)?,
    })
}

/// A container linked to by others has names such as `/other/alias` as well.
fn own_name(names: &[String]) -> &str {
    let mut bare = names
        .iter()
        .map(|name| name.strip_prefix('/').unwrap_or(name));
    let first = bare.clone().next().unwrap_or_default();
    bare.find(|name| !name.contains('/')).unwrap_or(first)
}

fn labels(object: &Object) -> Result<BTreeMap<String, String>, Fault> {
    let mut labels = BTreeMap::new();
    if let Some(map) = object.object("Labels")? {
        for key in map.keys() {
            labels.insert(key.clone(), json::text(map, key)?.into());
        }
    }
    Ok(labels)
}

/// Reads the answer to `GET /containers/ID/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_container(text: &[u8]) -> Result<ContainerDetail, Fault> {
    let object = json::parse_object(text, &DETAIL)?;
    object.needed("Id")?;
    let mut detail = ContainerDetail {
        restart_count: saturate(object.number("RestartCount")?),
        log_path: object.text("LogPath")?.into(),
        ..ContainerDetail::default()
    };
    if let Some(state) = object.object("State")? {
        detail.pid = saturate(json::number(state, "Pid")?);
        detail.finished_nanos = time(json::text(state, "FinishedAt")?)?;
    }
    if let Some(host) = object.object("HostConfig")? {
        let set = |key| json::number(host, key).map(positive);
        detail.memory_bytes = set("Memory")?;
        detail.memory_reservation_bytes = set("MemoryReservation")?;
        detail.nano_cpus = set("NanoCpus")?;
        detail.cpu_shares = set("CpuShares")?;
        detail.cgroup_parent = json::text(host, "CgroupParent")?.into();
    }
    if let Some(config) = object.object("Config")? {
        detail.stop_seconds = positive(json::number(config, "StopTimeout")?)
            .and_then(|seconds| u32::try_from(seconds).ok());
    }
    if let Some(Value::Object(data)) = object
        .object("GraphDriver")?
        .and_then(|map| map.get("Data"))
    {
        detail.upper_dir = json::text(data, "UpperDir")?.into();
    }
    Ok(detail)
}

/// What the engines write for "not set" is zero, and -1 for "no limit".
fn positive(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|number| *number > 0)
}

fn saturate(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

/// A time; `None` for Go's zero time, the year 1.
fn time(text: &str) -> Result<Option<i64>, Fault> {
    if text.is_empty() {
        return Ok(None);
    }
    let nanos = parse_rfc3339(text.as_bytes()).map_err(Fault::new)?;
    Ok(Some(nanos).filter(|nanos| *nanos > 0))
}
