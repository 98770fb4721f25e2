//! A container of Docker's that cannot be inspected, from the engine's answers to what the
//! pod uses.

use alloc::sync::Arc;
use core::time::Duration;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::{env, fs, process, thread};

use evictd_cgroup::{CgroupConfig, CgroupRuntime, KillLimits, Listing, Services};
use evictd_containers::{ContainerRuntime, DockerRuntime, RuntimeListing};
use evictd_stats::{Hierarchies, Hierarchy, PodReader, Version};

use super::usage::Reading;

/// What is asked for, until its blank line.
fn read_request(stream: &mut UnixStream) -> String {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        text.extend(byte);
    }
    String::from_utf8(text).unwrap()
}

/// An engine with these containers. Inspecting one is never answered.
fn serve(listener: &UnixListener, list: &str) {
    let mut hanging = Vec::new();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let request = read_request(&mut stream);
        let body = match request.split(' ').nth(1) {
            Some("/version") => r#"{"Version":"1"}"#,
            Some("/containers/json?all=true") => list,
            Some("/end") => return,
            _ => {
                hanging.push(stream);
                continue;
            }
        };
        let length = body.len();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all((head + body).as_bytes()).unwrap();
    }
}

/// A directory of the test's own, gone when it ends.
struct Scratch(PathBuf);

impl Scratch {
    fn write(&self, file: &str, text: &str) {
        let file = self.0.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// It was started when its engine could not look at it any more: all that is known of it is
/// the list, and its cgroup.
#[test]
fn a_container_whose_inspect_hangs_is_a_candidate_with_its_usage() {
    let id = "ab".repeat(32);
    let scratch = Scratch(env::temp_dir().join(format!("evictd-hanging-{}", process::id())));
    let cgroup = format!("system.slice/docker-{id}.scope");
    for (file, text) in [
        ("cgroup.procs", "4000000\n"),
        ("cgroup.events", "populated 1\nfrozen 0\n"),
        ("memory.current", "73400320\n"),
        ("memory.stat", "inactive_file 0\n"),
        ("memory.max", "104857600\n"),
    ] {
        scratch.write(&format!("cgroup/{cgroup}/{file}"), text);
    }
    scratch.write("proc/4000000/cgroup", &format!("0::/{cgroup}\n"));
    let socket = scratch.0.join("docker.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let list = format!(
        r#"[{{"Id":"{id}","Names":["/hog"],"State":"running","Status":"Up","Labels":null}}]"#
    );
    let engine = thread::spawn(move || serve(&listener, &list));

    let limit = Duration::from_secs(20);
    let mut docker = DockerRuntime::with(&socket, &scratch.0.join("proc"), limit);
    let held: Arc<RuntimeListing> = docker.list().unwrap().into();
    let mut end = UnixStream::connect(&socket).unwrap();
    end.write_all(b"GET /end HTTP/1.1\r\n\r\n").unwrap();
    engine.join().unwrap();

    let hierarchies = Hierarchies {
        memory: Some(Hierarchy {
            version: Version::V2,
            mount_point: scratch.0.join("cgroup"),
        }),
        ..Hierarchies::default()
    };
    let mut reader = PodReader::new(&hierarchies);
    let mut cgroups = CgroupRuntime::new(CgroupConfig {
        hierarchies: hierarchies.clone(),
        proc: Path::new("/proc").to_owned(),
        pod_cgroup_roots: Vec::new(),
        services: Services::default(),
        limits: KillLimits::default(),
        releaser: None,
    })
    .unwrap();
    let (held, mut problems, mut used) = ([held], Vec::new(), Vec::new());
    let mut reading = Reading::new(&hierarchies, &mut reader, &held, &mut problems);
    let mut listing = Listing::default();
    cgroups.list_again(&mut listing, &[], &[&held[0].pods], &mut |found, dir| {
        let usage = reading.whole(found, dir).ok().flatten();
        used.push(usage.and_then(|usage| usage.memory_working_set_bytes));
        true
    });
    let names = listing.pods.iter().map(|found| &*found.pod.metadata.name);
    assert_eq!(names.collect::<Vec<_>>(), ["hog"]);
    assert_eq!(used, [Some(70 << 20)]);
    // Its cgroup says what its engine did not.
    let limits = &listing.pods[0].pod.spec.containers[0].resources.limits;
    let limit = limits.memory.as_ref().map(|limit| limit.value());
    assert_eq!(limit, Some(100 << 20));
}
