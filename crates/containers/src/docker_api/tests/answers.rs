//! What real engines answered (dockerd 20.10.24, Podman 4.3.1), cut down, and what
//! none should.

use core::num::NonZeroU64;

use alloc::string::ToString;
use alloc::vec;

use crate::docker_api::{
    ContainerDetail, EngineVersion, ImageSummary, PodmanPod, parse_container, parse_containers,
    parse_images, parse_info, parse_podman_pods, parse_version,
};

#[test]
fn containers() {
    let text =
        br#"[{"Id":"aaf9","Names":["/other/alias","/bb"],"Image":"one:1","ImageID":"sha256:3e67",
        "Command":"/bin/workload idle","Created":1795192113,"Ports":[],"Labels":{"a":"b"},
        "State":"running","Status":"Up 2 minutes","NetworkSettings":{"Networks":null},"Mounts":[]},
        {"Id":"6f85","Labels":null,"Names":null}]"#;
    let found = parse_containers(text).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!((&*found[0].id, &*found[0].name), ("aaf9", "bb"));
    assert_eq!(found[0].created_seconds, 1_795_192_113);
    assert_eq!(found[0].labels["a"], "b");
    assert_eq!(
        (&*found[0].state, &*found[0].status),
        ("running", "Up 2 minutes")
    );
    assert_eq!(found[0].image_id, "sha256:3e67");
    assert_eq!(found[1].name, "");
    assert_eq!(parse_containers(b"null").unwrap(), []);
    assert_eq!(parse_containers(b" [ ] ").unwrap(), []);
}

#[test]
fn ten_thousand_containers() {
    let one = r#"{"Id":"ID","Names":["/n"],"State":"running","Labels":{"k":"v"},"Mounts":[{"x":[1,2.5,null]}]}"#;
    let all: Vec<String> = (0..10_000)
        .map(|id| one.replace("ID", &id.to_string()))
        .collect();
    let text = format!("[{}]", all.join(","));
    assert_eq!(parse_containers(text.as_bytes()).unwrap().len(), 10_000);
    assert!(parse_containers(&text.as_bytes()[..text.len() - 1]).is_err());
}

#[test]
fn a_list_is_whole_or_none() {
    for (text, expected) in [
        ("", "not a list"),
        ("{}", "not a list"),
        (r#"[{"Id":"a"},{"Id":"b"}"#, "a list without an end"),
        (r#"[{"Id":"a"},{}]"#, "element 2: Id is missing"),
        (r#"[{"Id":"a"},7]"#, "element 2: not an object"),
        (r#"[{"Id":7}]"#, "element 1: Id is no text"),
        (r#"[{"Id":"a","Names":"b"}]"#, "element 1: Names is no list"),
        (
            r#"[{"Id":"a","Labels":{"k":1}}]"#,
            "element 1: k is no text",
        ),
        (
            r#"[{"Id":"a","Created":1.5}]"#,
            "element 1: Created is no whole number",
        ),
        (r#"[] []"#, "element 1: expected value at line 1 column 1"),
        (
            "[{\"Id\":\"\x07\"}]",
            "element 1: control character (\\u0000-\\u001F) found while parsing a string at line 1 column 8",
        ),
    ] {
        assert_eq!(
            parse_containers(text.as_bytes()).unwrap_err().to_string(),
            expected,
            "{text}"
        );
    }
    let deep = "[{\"Id\":\"a\",\"Labels\":".to_string() + &"[".repeat(100_000);
    assert!(parse_containers(deep.as_bytes()).is_err());
    assert!(parse_containers(b"[{\"Id\":\"\xff\"}]").is_err());
}

#[test]
fn one_container() {
    let docker = br#"{"Id":"6240","State":{"Status":"exited","Pid":0,"FinishedAt":"2026-11-20T16:28:34.5Z"},
        "RestartCount":3,"LogPath":"/l.log","HostConfig":{"Memory":33554432,"NanoCpus":500000000,
        "MemoryReservation":16777216,"CpuShares":512,"CgroupParent":"/p",
        "RestartPolicy":{"Name":"always","MaximumRetryCount":0}},
        "Config":{"StopTimeout":7},"GraphDriver":{"Data":{"UpperDir":"/u/diff"},"Name":"overlay2"}}"#;
    assert_eq!(
        parse_container(docker).unwrap(),
        ContainerDetail {
            pid: 0,
            finished_nanos: Some(1_795_192_114_500_000_000),
            restart_count: 3,
            memory_bytes: NonZeroU64::new(32 << 20),
            memory_reservation_bytes: NonZeroU64::new(16 << 20),
            nano_cpus: NonZeroU64::new(500_000_000),
            cpu_shares: NonZeroU64::new(512),
            cgroup_parent: "/p".into(),
            upper_dir: "/u/diff".into(),
            log_path: "/l.log".into(),
            stop_seconds: NonZeroU64::new(7),
        }
    );
    let podman = br#"{"Id":"73cf","State":{"Pid":277,"FinishedAt":"0001-01-01T00:00:00Z"},"GraphDriver":{"Data":null},
        "HostConfig":{"Memory":-1,"RestartPolicy":{"Name":""},"CgroupParent":""}}"#;
    let expected = ContainerDetail {
        pid: 277,
        ..ContainerDetail::default()
    };
    assert_eq!(parse_container(podman).unwrap(), expected);
    for (text, expected) in [
        (r#"{"message":"x"}"#, "Id is missing"),
        (
            r#"{"Id":"a","State":{"FinishedAt":"soon"}}"#,
            "not a time of RFC 3339 at byte 0",
        ),
        (
            r#"{"Id":"a","HostConfig":{"Memory":"1g"}}"#,
            "Memory is no whole number",
        ),
        (r#"{"Id":"a","State":[]}"#, "State is no object"),
    ] {
        assert_eq!(
            parse_container(text.as_bytes()).unwrap_err().to_string(),
            expected
        );
    }
}

#[test]
fn images() {
    let text = br#"[{"Containers":-1,"Id":"sha256:3e","Labels":null,"RepoDigests":null,
        "RepoTags":["one:1","one:latest"],"SharedSize":-1,"Size":751032,"VirtualSize":751032},
        {"Id":"sha256:88","RepoTags":["<none>:<none>"],"RepoDigests":["<none>@<none>"],"Size":-1},
        {"Id":"sha256:99","RepoTags":[],"RepoDigests":["one@sha256:aa"]}]"#;
    let image = |id: &str, size_bytes| ImageSummary {
        id: id.into(),
        size_bytes,
        ..ImageSummary::default()
    };
    let tags = vec!["one:1".into(), "one:latest".into()];
    let digests = vec!["one@sha256:aa".into()];
    let expected = [
        ImageSummary {
            tags,
            ..image("sha256:3e", 751_032)
        },
        image("sha256:88", 0),
        ImageSummary {
            digests,
            ..image("sha256:99", 0)
        },
    ];
    assert_eq!(parse_images(text).unwrap(), expected);
}

#[test]
fn engines() {
    let text =
        br#"{"Platform":{"Name":"linux/amd64/debian-12"},"Components":[{"Name":"Podman Engine",
        "Version":"4.3.1"},{"Name":"Conmon"}],"Version":"4.3.1","ApiVersion":"1.41"}"#;
    let expected = EngineVersion {
        version: "4.3.1".into(),
        component: "Podman Engine".into(),
        platform: "linux/amd64/debian-12".into(),
    };
    assert_eq!(parse_version(text).unwrap(), expected);
    assert!(parse_version(b"{}").is_err());

    let text = br#"{"Driver":"devicemapper","DockerRootDir":"/d","DriverStatus":[["Pool Name","p"],["odd"],7]}"#;
    let info = parse_info(text).unwrap();
    assert_eq!((&*info.driver, &*info.root_dir), ("devicemapper", "/d"));
    assert_eq!(info.driver_status, [("Pool Name".into(), "p".into())]);
}

#[test]
fn pods_of_podman() {
    let text = br#"[{"Cgroup":"/libpod_parent","Containers":[{"Id":"73cf","Names":"pp","Status":"created"},
        {"Id":"c676","Names":"infra","Status":"exited"}],"Id":"b157","InfraId":"c676","Name":"mypod"},
        {"Id":"242a","InfraId":"","Name":"none","Containers":null}]"#;
    let pod = |id: &str, name: &str| PodmanPod {
        id: id.into(),
        name: name.into(),
        ..PodmanPod::default()
    };
    let expected = [
        PodmanPod {
            infra_id: "c676".into(),
            container_ids: vec!["73cf".into(), "c676".into()],
            ..pod("b157", "mypod")
        },
        pod("242a", "none"),
    ];
    assert_eq!(parse_podman_pods(text).unwrap(), expected);
    assert!(parse_podman_pods(br#"[{"Id":"a","Containers":[1]}]"#).is_err());
}
