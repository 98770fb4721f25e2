use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::num::NonZeroU64;

use crate::docker_api::json::{self, Fault, Object};
use crate::docker_api::parse_rfc3339;
use crate::docker_api::request::{Method, Request};
use crate::docker_api::{Client, Result};

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
    pub memory_bytes: Option<NonZeroU64>,
    /// The memory reservation in bytes; `None` without one.
    pub memory_reservation_bytes: Option<NonZeroU64>,
    /// The processor limit in billionths of a processor; `None` without one.
    pub nano_cpus: Option<NonZeroU64>,
    /// The weight among others who want processors, of which 1024 stand for
    /// one; `None` where it was not given.
    pub cpu_shares: Option<NonZeroU64>,
    /// The parent of its cgroup as it was asked for; often empty.
    pub cgroup_parent: String,
    /// The directory of its writable layer, where the storage driver has one
    /// (`overlay2`); else empty.
    pub upper_dir: String,
    /// Its log file; empty where there is none.
    pub log_path: String,
    /// The seconds it asked for between its stop signal and SIGKILL; `None` where
    /// it did not.
    pub stop_seconds: Option<NonZeroU64>,
}

impl Client {
    /// All containers, in every state.
    ///
    /// # Errors
    /// When the answer is missing or is not whole.
    pub fn containers(&mut self) -> Result<Vec<ContainerSummary>> {
        let request = Request::new(Method::Get, "/containers/json", "?all=true");
        self.read(&request, parse_containers)
    }

    /// What is known of one container.
    ///
    /// # Errors
    /// When the answer is missing or is not whole; status 404 where there is no
    /// such container.
    pub fn container(&mut self, id: &str) -> Result<ContainerDetail> {
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
    json::parse_objects(text, &mut |object| {
        let mut summary = ContainerSummary::default();
        read_summary(object, &mut summary)?;
        containers.push(summary);
        Ok(())
    })?;
    Ok(containers)
}

fn read_summary(object: Object<'_>, summary: &mut ContainerSummary) -> Result<(), Fault> {
    let mut names = Vec::new();
    object.texts("Names", &mut names)?;
    summary.name = own_name(&names).into();
    object.needed("Id", &mut summary.id)?;
    object.text("Image", &mut summary.image)?;
    object.text("ImageID", &mut summary.image_id)?;
    object.number("Created", &mut summary.created_seconds)?;
    object.text("State", &mut summary.state)?;
    object.text("Status", &mut summary.status)?;
    object.map("Labels", &mut summary.labels)
}

/// A container linked to by others has names such as `/other/alias` as well.
fn own_name(names: &[String]) -> &str {
    let bare = |name: &'_ String| !name.trim_start_matches('/').contains('/');
    let own = names.iter().find(|name| bare(name)).or(names.first());
    own.map_or("", |name| name.trim_start_matches('/'))
}

/// Reads the answer to `GET /containers/ID/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_container(text: &[u8]) -> Result<ContainerDetail, Fault> {
    let mut detail = ContainerDetail::default();
    json::parse_object(text, &mut |object| read_detail(object, &mut detail))?;
    Ok(detail)
}

fn read_detail(object: Object<'_>, detail: &mut ContainerDetail) -> Result<(), Fault> {
    let mut id = String::new();
    object.needed("Id", &mut id)?;
    let mut restarts = 0;
    object.number("RestartCount", &mut restarts)?;
    detail.restart_count = saturate(restarts);
    object.text("LogPath", &mut detail.log_path)?;
    object.object("State", &mut |state| read_state(state, detail))?;
    object.object("HostConfig", &mut |host| read_host(host, detail))?;
    object.object("Config", &mut |config| {
        config.positive("StopTimeout", &mut detail.stop_seconds)
    })?;
    object.object("GraphDriver", &mut |driver| {
        driver.object("Data", &mut |data| {
            data.text("UpperDir", &mut detail.upper_dir)
        })
    })
}

fn read_state(state: Object<'_>, detail: &mut ContainerDetail) -> Result<(), Fault> {
    let mut pid = 0;
    state.number("Pid", &mut pid)?;
    detail.pid = saturate(pid);
    let mut finished = String::new();
    state.text("FinishedAt", &mut finished)?;
    if !finished.is_empty() {
        let nanos = parse_rfc3339(finished.as_bytes()).map_err(|error| Fault::new(&error))?;
        // Go's zero time, the year 1, is none.
        detail.finished_nanos = Some(nanos).filter(|nanos| *nanos > 0);
    }
    Ok(())
}

fn read_host(host: Object<'_>, detail: &mut ContainerDetail) -> Result<(), Fault> {
    host.positive("Memory", &mut detail.memory_bytes)?;
    host.positive("MemoryReservation", &mut detail.memory_reservation_bytes)?;
    host.positive("NanoCpus", &mut detail.nano_cpus)?;
    host.positive("CpuShares", &mut detail.cpu_shares)?;
    host.text("CgroupParent", &mut detail.cgroup_parent)
}

fn saturate(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}
