//! What containers have written, where the engine names no directory.

use core::time::Duration;
use std::fs;
use std::path::Path;

use super::lists::entry;
use super::{id, not_found, runtime, version};
use crate::docker::fake::{Fake, json};
use crate::{ContainerRuntime, DockerRuntime, WritableLayer};

/// Containerd's image store: `GraphDriver` is not there, or says nothing.
#[test]
fn a_layer_that_the_engine_does_not_name_is_found_in_the_hosts_mounts() {
    let fake = Fake::new(|call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => {
            json(200, &format!("[{}]", entry('1', "a", "running", "")))
        }
        call if call.ends_with("/json") => json(200, r#"{"Id":"x","State":{"Pid":277}}"#),
        _ => not_found(),
    });
    let home = fake.socket.parent().unwrap();
    let (proc, upper) = (home.join("proc"), home.join("upper"));
    fs::create_dir_all(proc.join("277")).unwrap();
    fs::create_dir_all(proc.join("1")).unwrap();
    fs::create_dir(&upper).unwrap();
    fs::write(proc.join("277/cgroup"), format!("0::/docker/{}\n", id('1'))).unwrap();
    let overlay = |mount_point: &str, upper: &Path| {
        let upper = upper.display();
        format!(
            "22 1 0:50 / {mount_point} rw - overlay overlay rw,lowerdir=/l,upperdir={upper},workdir=/w\n"
        )
    };
    let rootfs = format!("/var/lib/docker/rootfs/overlayfs/{}", id('1'));
    fs::write(proc.join("1/mountinfo"), overlay(&rootfs, &upper)).unwrap();
    // What its process says counts for nothing.
    fs::write(proc.join("277/mountinfo"), overlay("/", home)).unwrap();

    let mut runtime = DockerRuntime::with(&fake.socket, &proc, Duration::from_secs(20));
    let listing = runtime.list().unwrap();
    let dir = WritableLayer::Dir(upper.as_path().into());
    assert_eq!(listing.containers[0].layer, dir);
}

/// The storage driver `vfs`: a layer is a copy of its image.
#[test]
fn a_layer_without_a_directory_is_measured_by_the_engine_those_with_a_limit_first() {
    let limit = r#""evictd.disk-limit":"1Gi""#;
    let entries = [
        entry('1', "a", "running", ""),
        entry('2', "b", "running", limit),
        entry('3', "odd", "running", ""),
        entry('4', "ended", "exited", ""),
        entry('5', "known", "running", ""),
    ];
    let list = format!("[{}]", entries.join(","));
    let of = |digit| format!("GET /containers/{}/json?size=true", id(digit));
    let (first, second, known) = (of('1'), of('2'), id('5'));
    let fake = Fake::new(move |call| match call {
        "GET /version" => version("Engine"),
        "GET /containers/json?all=true" => json(200, &list),
        call if call == first => json(200, r#"{"Id":"x","SizeRw":7}"#),
        call if call == second => json(200, r#"{"Id":"x","SizeRw":5}"#),
        call if call.ends_with("size=true") => not_found(),
        call if call.contains(&known) => json(
            200,
            r#"{"Id":"x","GraphDriver":{"Data":{"UpperDir":"/u"}}}"#,
        ),
        call if call.ends_with("/json") => json(200, r#"{"Id":"x"}"#),
        _ => not_found(),
    });
    let mut runtime = runtime(&fake);
    let mut listing = runtime.list().unwrap();
    runtime.measure_layers(&mut listing).unwrap();
    let used = |bytes| WritableLayer::Used {
        bytes,
        inodes: None,
    };
    let layers: Vec<_> = listing.containers.iter().map(|one| &one.layer).collect();
    assert_eq!(
        layers,
        [
            &used(7),
            &used(5),
            &WritableLayer::Unknown,
            &WritableLayer::Unknown,
            &WritableLayer::Dir(Path::new("/u").into()),
        ]
    );
    let calls = fake.calls();
    let measured: Vec<_> = calls.iter().filter(|c| c.ends_with("size=true")).collect();
    assert_eq!(measured, [&of('2'), &of('1'), &of('3')]);
}
