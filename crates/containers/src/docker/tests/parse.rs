//! What real engines answered (dockerd 20.10.24, Podman 4.3.1), cut down, and what
//! none should.

use core::num::NonZeroU64;
use std::path::Path;

use evictd_node::QosClass;

use crate::docker::{
    EngineVersion, PodmanPod, parse_containers, parse_details, parse_images, parse_info,
    parse_podman_pods, parse_version,
};
use crate::{ContainerState, Details, Failure, Limits, ListedImage, WritableLayer};

/// What is odd, as it is said.
fn odd<T>(read: Result<T, Failure>) -> String {
    match read.err() {
        Some(Failure::Malformed(what)) => what.into(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn containers() {
    let text =
        br#"[{"Id":"aaf9","Names":["/other/alias","/bb"],"Image":"one:1","ImageID":"sha256:3e67",
        "Command":"/bin/workload idle","Created":1795192113,"Ports":[],
        "Labels":{"a":"b","annotation.c":"d","annotationless":"e"},
        "State":"running","Status":"Up 2 minutes","NetworkSettings":{"Networks":null},"Mounts":[]},
        {"Id":"6f85","Labels":null,"Names":null,"Image":"one:1"}]"#;
    let found = parse_containers(text).unwrap();
    assert_eq!(found.len(), 2);
    let container = &found[0].container;
    assert_eq!((&*container.id, &*container.name), ("aaf9", "bb"));
    assert_eq!(container.created_nanos, 1_795_192_113_000_000_000);
    assert_eq!(container.state, ContainerState::Running);
    assert_eq!(&*container.image, "sha256:3e67");
    assert_eq!(&*found[0].told, "running\nUp 2 minutes");
    assert_eq!(found[0].labels["a"], "b");
    assert_eq!(
        (found[0].labels.len(), &*found[0].annotations["c"]),
        (2, "d")
    );
    assert_eq!(
        (&*found[1].container.name, &*found[1].container.image),
        ("", "one:1")
    );
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
        ("", "EOF while parsing a value at line 1 column 0"),
        (
            "{}",
            "invalid type: map, expected a list at line 1 column 2",
        ),
        (
            r#"[{"Id":"a"},{"Id":"b"}"#,
            "EOF while parsing a list at line 1 column 22",
        ),
        (r#"[{"Id":"a"},{}]"#, "Id is missing at line 1 column 15"),
        (r#"[{"Id":"a"},7]"#, "it is no object at line 1 column 14"),
        (r#"[{"Id":7}]"#, "Id is no text at line 1 column 10"),
        (
            r#"[{"Id":"a","Names":"b"}]"#,
            "Names is no list at line 1 column 24",
        ),
        (
            r#"[{"Id":"a","Names":[1]}]"#,
            "Names is no list of texts at line 1 column 24",
        ),
        (
            r#"[{"Id":"a","Labels":{"k":1}}]"#,
            "k is no text at line 1 column 29",
        ),
        (
            r#"[{"Id":"a","Created":1.5}]"#,
            "Created is no whole number at line 1 column 26",
        ),
        (r#"[] []"#, "trailing characters at line 1 column 4"),
        (
            "[{\"Id\":\"\x07\"}]",
            "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 9",
        ),
    ] {
        assert_eq!(odd(parse_containers(text.as_bytes())), expected, "{text}");
    }
    let deep = "[{\"Id\":\"a\",\"Labels\":".to_string() + &"[".repeat(100_000);
    assert!(parse_containers(deep.as_bytes()).is_err());
    assert!(parse_containers(b"[{\"Id\":\"\xff\"}]").is_err());
}

#[test]
fn one_container() {
    let docker = br#"{"Id":"6240","State":{"Status":"exited","Pid":0,"FinishedAt":"2026-11-20T16:28:34.5Z"},
        "RestartCount":3,"LogPath":"/l.log","HostConfig":{"Memory":33554432,"NanoCpus":500000000,
        "MemoryReservation":16777216,"CpuShares":512,"CgroupParent":"/kubepods/burstable/p",
        "RestartPolicy":{"Name":"always","MaximumRetryCount":0}},
        "Config":{"StopTimeout":7},"GraphDriver":{"Data":{"UpperDir":"/u/diff"},"Name":"overlay2"}}"#;
    assert_eq!(
        parse_details(docker).unwrap(),
        Details {
            finished_nanos: Some(1_795_192_114_500_000_000),
            restarts: 3,
            limits: Limits {
                memory_limit_bytes: NonZeroU64::new(32 << 20),
                memory_request_bytes: NonZeroU64::new(16 << 20),
                cpu_limit_millis: NonZeroU64::new(500),
                cpu_request_millis: NonZeroU64::new(500),
            },
            class: Some(QosClass::Burstable),
            layer: WritableLayer::Dir(Path::new("/u/diff").into()),
            log: Some(Path::new("/l.log").into()),
            grace_seconds: Some(7),
            ..Details::default()
        }
    );
    let podman = br#"{"Id":"73cf","State":{"Pid":277,"FinishedAt":"0001-01-01T00:00:00Z"},"GraphDriver":{"Data":null},
        "HostConfig":{"Memory":-1,"RestartPolicy":{"Name":""},"CgroupParent":""}}"#;
    let expected = Details {
        pid: 277,
        ..Details::default()
    };
    assert_eq!(parse_details(podman).unwrap(), expected);
    for (text, expected) in [
        ("[]", "not an object"),
        (r#"{"message":"x"}"#, "Id is missing"),
        (
            r#"{"Id":"a","State":{"FinishedAt":"soon"}}"#,
            "not a time of RFC 3339 at byte 0",
        ),
        (
            r#"{"Id":"a","HostConfig":{"Memory":"1g"}}"#,
            "HostConfig.Memory is no whole number",
        ),
        (r#"{"Id":"a","State":[]}"#, "State is no object"),
    ] {
        assert_eq!(odd(parse_details(text.as_bytes())), expected);
    }
}

#[test]
fn images() {
    let text = br#"[{"Containers":-1,"Id":"sha256:3e","Labels":null,"RepoDigests":null,
        "RepoTags":["one:1","one:latest"],"SharedSize":-1,"Size":751032,"VirtualSize":751032},
        {"Id":"sha256:88","RepoTags":["<none>:<none>"],"RepoDigests":["<none>@<none>"],"Size":-1},
        {"Id":"sha256:99","RepoTags":[],"RepoDigests":["one@sha256:aa"]}]"#;
    let image = |id: &str, size_bytes| ListedImage {
        id: id.into(),
        size_bytes,
        ..ListedImage::default()
    };
    let tags = vec!["one:1".into(), "one:latest".into()];
    let digests = vec!["one@sha256:aa".into()];
    let expected = [
        ListedImage {
            tags,
            ..image("sha256:3e", 751_032)
        },
        image("sha256:88", 0),
        ListedImage {
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
    assert!(!info.in_containerd);
    let text = br#"{"DriverStatus":[["driver-type","io.containerd.snapshotter.v1"]]}"#;
    assert!(parse_info(text).unwrap().in_containerd);
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
