//! What an engine says of one container.

use alloc::sync::Arc;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::answer::{MOST_PATH_BYTES, MOST_TEXT_BYTES, read_object};
use super::log_config::LogConfig;
use super::mounts::{Mounts, image_volumes};
use super::time::parse_rfc3339;
use crate::notes::unreadable;
use crate::pods::{Details, Limits, kubepods_class, millis_of_shares, path, positive};
use crate::text::clean;
use crate::{Failure, WritableLayer};
use evictd_json::{Json, ReadError, first};

#[derive(Default)]
struct Told {
    id: Option<String>,
    pid: Option<u32>,
    finished_at: Option<String>,
    restart_count: Option<i64>,
    log_path: Option<String>,
    /// A file of the container's own directory, or of the one whose network it shares.
    own_file: Option<String>,
    host: Host,
    stop_timeout: Option<i64>,
    upper_dir: Option<String>,
    mounts: Mounts,
}

#[derive(Default)]
struct Host {
    memory: Option<i64>,
    memory_reservation: Option<i64>,
    nano_cpus: Option<i64>,
    cpu_shares: Option<i64>,
    cgroup_parent: Option<String>,
    restart_policy: Option<String>,
    log_config: LogConfig,
    mounts: Mounts,
}

/// Reads the answer to `GET /containers/ID/json` about the container of that id.
///
/// # Errors
/// When it is not about a container. What cannot be read of one does not count, and
/// [`Details::fault`] names it.
pub fn parse_details(stream: impl BufRead, id: &str) -> Result<Details, Failure> {
    let (mut told, mut has_state) = (Told::default(), false);
    let fault = read_object(stream, |json, key| {
        has_state |= key == "State";
        told.read(json, key)
    })?;
    if told.id.is_none() && !has_state {
        return Err(Failure::malformed("neither Id nor State"));
    }
    let mut details = told.details(id);
    details.fault = fault.map(|field| unreadable(&field).into());
    Ok(details)
}

/// Reads what a container has written from the answer to
/// `GET /containers/ID/json?size=true`.
///
/// # Errors
/// When that is no object.
pub fn parse_size(stream: impl BufRead) -> Result<Option<u64>, Failure> {
    let mut written: Option<i64> = None;
    read_object(stream, |json, key| {
        if key == "SizeRw" {
            first(&mut written, json.number()?);
        }
        Ok(())
    })?;
    Ok(written.and_then(|bytes| u64::try_from(bytes).ok()))
}

impl Told {
    fn read<R: BufRead>(&mut self, json: &mut Json<R>, key: &str) -> Result<(), ReadError> {
        match key {
            "Id" => first(&mut self.id, json.text(MOST_TEXT_BYTES)?),
            "RestartCount" => first(&mut self.restart_count, json.number()?),
            "LogPath" => first(&mut self.log_path, json.text(MOST_PATH_BYTES)?),
            "HostnamePath" | "HostsPath" | "ResolvConfPath" => {
                let file = json.text(MOST_PATH_BYTES)?;
                first(&mut self.own_file, file.filter(|file| !file.is_empty()));
            }
            "Mounts" => self.mounts.read(json)?,
            "HostConfig" => {
                json.object(|json, key| self.host.read(json, key))?;
            }
            "State" => {
                json.object(|json, key| self.read_state(json, key))?;
            }
            "Config" => {
                json.object(|json, key| {
                    if key == "StopTimeout" {
                        first(&mut self.stop_timeout, json.number()?);
                    }
                    Ok(())
                })?;
            }
            "GraphDriver" => {
                json.object(|json, key| self.read_driver(json, key))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn read_state<R: BufRead>(&mut self, json: &mut Json<R>, key: &str) -> Result<(), ReadError> {
        match key {
            "Pid" => first(&mut self.pid, json.number()?),
            "FinishedAt" => first(&mut self.finished_at, json.text(MOST_TEXT_BYTES)?),
            _ => {}
        }
        Ok(())
    }

    fn read_driver<R: BufRead>(&mut self, json: &mut Json<R>, key: &str) -> Result<(), ReadError> {
        if key == "Data" {
            json.object(|json, key| {
                if key == "UpperDir" {
                    first(&mut self.upper_dir, json.text(MOST_PATH_BYTES)?);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn details(self, id: &str) -> Details {
        let host = self.host;
        let mut details = Details {
            limits: host.limits(),
            image_volumes: image_volumes([&host.mounts, &self.mounts]),
            mounts: self.mounts.into_writable(),
            log_format: host.log_config.format(),
            log_is_bounded: host.log_config.is_bounded(),
            pid: self.pid.unwrap_or(0),
            ..Details::default()
        };
        let finished = self.finished_at.as_deref().and_then(parse_rfc3339);
        // Go's zero time, the year 1, is none.
        details.finished_nanos = finished.filter(|nanos| *nanos > 0);
        let restarts = self.restart_count.unwrap_or(0).max(0);
        details.restarts = u32::try_from(restarts).unwrap_or(u32::MAX);
        details.class = host.cgroup_parent.as_deref().and_then(kubepods_class);
        let policy = host.restart_policy.map(|name| clean(&name));
        details.restart_policy = policy.filter(|name| !matches!(name.as_str(), "" | "no"));
        details.grace_seconds = self.stop_timeout.filter(|seconds| *seconds > 0);
        let layer = self.upper_dir.as_deref().and_then(path);
        details.layer = layer.map_or(WritableLayer::Unknown, WritableLayer::Dir);
        details.log = if host.log_config.driver() == "local" {
            self.own_file.and_then(|file| local_log(&file, id))
        } else {
            self.log_path.as_deref().and_then(path)
        };
        details
    }
}

impl Host {
    fn read<R: BufRead>(&mut self, json: &mut Json<R>, key: &str) -> Result<(), ReadError> {
        match key {
            "Memory" => first(&mut self.memory, json.number()?),
            "MemoryReservation" => first(&mut self.memory_reservation, json.number()?),
            "NanoCpus" => first(&mut self.nano_cpus, json.number()?),
            "CpuShares" => first(&mut self.cpu_shares, json.number()?),
            "CgroupParent" => first(&mut self.cgroup_parent, json.text(MOST_PATH_BYTES)?),
            "RestartPolicy" => {
                json.object(|json, key| {
                    if key == "Name" {
                        first(&mut self.restart_policy, json.text(MOST_TEXT_BYTES)?);
                    }
                    Ok(())
                })?;
            }
            "LogConfig" => {
                json.object(|json, key| self.log_config.read(json, key))?;
            }
            "Mounts" => self.mounts.read(json)?,
            _ => {}
        }
        Ok(())
    }

    fn limits(&self) -> Limits {
        let number = |told: Option<i64>| told.and_then(positive);
        let cpus = self.nano_cpus.unwrap_or(0).saturating_add(999_999) / 1_000_000;
        Limits {
            memory_limit_bytes: number(self.memory),
            memory_request_bytes: number(self.memory_reservation),
            cpu_request_millis: number(self.cpu_shares).and_then(millis_of_shares),
            cpu_limit_millis: positive(cpus),
        }
    }
}

/// Where Docker's log driver `local` writes, which it tells nobody: in the container's own
/// directory. The engine's files tell where these directories are, but with the network of
/// another container they are the other's.
fn local_log(file: &str, id: &str) -> Option<Arc<Path>> {
    let containers = Path::new(file).parent()?.parent()?;
    let is_name = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let log = || PathBuf::from_iter([containers, Path::new(id), Path::new("local-logs")]);
    (containers.is_absolute() && is_name).then(|| log().into())
}
