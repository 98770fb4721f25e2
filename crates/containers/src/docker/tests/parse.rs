//! What real engines answered (dockerd 20.10.24, Podman 4.3.1), cut down, and what
//! none should.

use core::num::NonZeroU64;
use std::path::Path;

use evictd_node::QosClass;

use crate::docker::about::{EngineInfo, EngineVersion};
use crate::docker::parse::{parse, parse_containers, parse_details, parse_images};
use crate::docker::podman::parse_pods;
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
        "Labels":{"evictd.a":"b","annotation.evictd.c":"d","annotation.e":"f","other":"g"},
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
    let labels = [("evictd.a".into(), "b".into())].into();
    let annotations = [("evictd.c".into(), "d".into())].into();
    assert_eq!(
        (&found[0].labels, &found[0].annotations),
        (&labels, &annotations),
        "what decides nothing is not kept"
    );
    assert_eq!(
        (&*found[1].container.name, &*found[1].container.image),
        ("", "one:1")
    );
    assert_eq!(parse_containers(b"null").unwrap(), []);
    assert_eq!(parse_containers(b" [ ] ").unwrap(), []);
}

#[test]
fn four_thousand_containers() {
    let one = r#"{"Id":"ID","Names":["/n"],"State":"running","Labels":{"k":"v"},"Mounts":[{"x":[1,2.5,null]}]}"#;
    let all: Vec<String> = (0..4_000)
        .map(|id| one.replace("ID", &id.to_string()))
        .collect();
    let text = format!("[{}]", all.join(","));
    assert_eq!(parse_containers(text.as_bytes()).unwrap().len(), 4_000);
    assert!(parse_containers(&text.as_bytes()[..text.len() - 1]).is_err());
}

#[test]
fn a_list_is_whole_or_none() {
    for (text, expected) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        (
            "{}",
            "invalid type: map, expected a sequence at line 1 column 0",
        ),
        (
            r#"[{"Id":"a"},{"Id":"b"}"#,
            "EOF while parsing a list at line 1 column 22",
        ),
        (
            r#"[{"Id":"a"},{}]"#,
            "missing field `Id` at line 1 column 14",
        ),
        (
            r#"[{"Id":"a"},{"Id":""}]"#,
            "an empty id at line 1 column 21",
        ),
        (
            r#"[{"Id":"a"},7]"#,
            "invalid type: integer `7`, expected struct ContainerText at line 1 column 13",
        ),
        (
            r#"[{"Id":"a","Names":"b"}]"#,
            "invalid type: string \"b\", expected a sequence at line 1 column 22",
        ),
        (
            r#"[{"Id":"a","Labels":{"k":1}}]"#,
            "invalid type: integer `1`, expected a string at line 1 column 26",
        ),
        (
            r#"[{"Id":"a","Created":1.5}]"#,
            "invalid type: floating point `1.5`, expected i64 at line 1 column 24",
        ),
        ("[] []", "trailing characters at line 1 column 4"),
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
            restart_policy: Some("always".into()),
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
        (
            r#"{"message":"x"}"#,
            "missing field `Id` at line 1 column 15",
        ),
        (
            r#"{"Id":"a","State":{"FinishedAt":"soon"}}"#,
            "FinishedAt is no time: soon",
        ),
        (
            r#"{"Id":"a","HostConfig":{"Memory":"1g"}}"#,
            "invalid type: string \"1g\", expected i64 at line 1 column 37",
        ),
        (
            r#"{"Id":"a","State":7}"#,
            "invalid type: integer `7`, expected struct StateText at line 1 column 19",
        ),
    ] {
        assert_eq!(odd(parse_details(text.as_bytes())), expected, "{text}");
    }
}

/// As they were asked for and as they are; other mounts, and paths, are no images.
#[test]
fn images_that_are_mounted() {
    let mounted = |text: &[u8]| {
        let told = parse_details(text).unwrap().image_volumes;
        told.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let both = br#"{"Id":"a","HostConfig":{"Mounts":[
        {"Type":"image","Source":"model:1","Target":"/m","ImageOptions":{"Subpath":"x"}},
        {"Type":"bind","Source":"/etc","Target":"/e"}]},
        "Mounts":[{"Type":"bind","Source":"/etc","Destination":"/e","RW":true},
        {"Type":"image","Source":"/var/lib/docker/overlay2/1/merged","Destination":"/m"},
        {"Type":"image","Source":"model:1","Destination":"/m"},
        {"Type":"image","Source":"","Destination":"/n"},{"Type":"tmpfs","Destination":"/t"},
        {"Type":"image","Source":"sha256:3e","Destination":"/o"}]}"#;
    assert_eq!(mounted(both), ["model:1", "sha256:3e"]);
    let none = br#"{"Id":"a","HostConfig":{"Mounts":null},"Mounts":[{"Type":null,"Source":null}]}"#;
    assert!(mounted(none).is_empty());
    let one = |at: u32| format!(r#"{{"Type":"image","Source":"i:{at}"}}"#);
    let many: Vec<String> = (0..2000).map(one).collect();
    let many = format!(r#"{{"Id":"a","Mounts":[{}]}}"#, many.join(","));
    assert_eq!(
        mounted(many.as_bytes()).len(),
        128,
        "and the container is known"
    );
}

/// Acceptance row 291.
#[test]
fn volumes_without_a_name_are_told_from_others() {
    let made_up = "0f".repeat(32);
    let text = format!(
        r#"{{"Id":"a","Mounts":[
        {{"Type":"volume","Name":"{made_up}","Source":"/v/{made_up}/_data","RW":true}},
        {{"Type":"volume","Name":"media","Source":"/v/media/_data","RW":true}},
        {{"Type":"bind","Name":"{made_up}","Source":"/srv","RW":true}}]}}"#
    );
    let mounts = parse_details(text.as_bytes()).unwrap().mounts;
    let told: Vec<bool> = mounts.iter().map(|mount| mount.is_anonymous).collect();
    assert_eq!(told, [true, false, false]);
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
    let version: EngineVersion = parse(text).unwrap();
    assert_eq!(version.version, "4.3.1");
    let names = ["podman", "debian", "conmon", "docker"].map(|word| version.names(word));
    assert_eq!(names, [true, true, false, false]);
    assert!(parse::<EngineVersion>(b"{}").is_err());
    let bare: EngineVersion = parse(br#"{"Version":"1","Components":null}"#).unwrap();
    assert!(!bare.names("engine"));

    let info = |text: &'static [u8]| parse::<EngineInfo>(text).unwrap();
    let docker = info(
        br#"{"Driver":"devicemapper","DockerRootDir":"/d","DriverStatus":[["Pool Name","p"],["odd"]]}"#,
    );
    assert_eq!(
        (&*docker.driver, &*docker.docker_root_dir),
        ("devicemapper", "/d")
    );
    assert!(!docker.is_in_containerd());
    let docker = info(br#"{"DriverStatus":[["driver-type","io.containerd.snapshotter.v1"]]}"#);
    assert!(docker.is_in_containerd());
    assert!(!info(br#"{"DriverStatus":null}"#).is_in_containerd());
}

#[test]
fn pods_of_podman() {
    let text = br#"[{"Cgroup":"/libpod_parent","Containers":[{"Id":"73cf","Names":"pp","Status":"created"},
        {"Id":"c676","Names":"infra","Status":"exited"}],"Id":"b157","InfraId":"c676","Name":"mypod"},
        {"Id":"242a","InfraId":"","Name":"none","Containers":null}]"#;
    let pods = parse_pods(text).unwrap();
    let all: Vec<_> = pods
        .iter()
        .map(|pod| {
            (
                &*pod.id,
                &*pod.name,
                &*pod.infra_id,
                pod.members().collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(
        all,
        [
            ("b157", "mypod", "c676", vec!["73cf", "c676"]),
            ("242a", "none", "", Vec::new()),
        ]
    );
    assert!(parse_pods(br#"[{"Id":"a","Containers":[1]}]"#).is_err());
}

/// Acceptance row 255.
#[test]
fn what_a_container_may_write_to_outside_itself() {
    let text = br#"{"Id":"a","Mounts":[
        {"Type":"volume","Name":"media","Source":"/d/volumes/media/_data","Destination":"/m","RW":true},
        {"Type":"bind","Source":"/srv/app","Destination":"/app","Mode":"","RW":true},
        {"Type":"bind","Source":"/etc/localtime","Destination":"/etc/localtime","RW":false},
        {"Type":"tmpfs","Source":"","Destination":"/tmp","RW":true},
        {"Type":"bind","Source":"relative","RW":true},{"Type":"npipe","Source":"/x","RW":true},{}]}"#;
    let details = parse_details(text).unwrap();
    let mounts = details.mounts.iter();
    let mounts: Vec<_> = mounts
        .map(|mount| (mount.source.to_str().unwrap(), mount.is_volume))
        .collect();
    let expected = [("/d/volumes/media/_data", true), ("/srv/app", false)];
    assert_eq!(mounts, expected);

    let one = r#"{"Type":"bind","Source":"/b","RW":true}"#;
    let of = |one: &str, times: usize| {
        format!(
            "{{\"Id\":\"a\",\"Mounts\":[{}{one}]}}",
            format!("{one},").repeat(times)
        )
    };
    let kept = |text: String| parse_details(text.as_bytes()).unwrap().mounts;
    assert_eq!(kept(of(one, 2000)).len(), 1, "mounted in many places");
    let long = one.replace("/b", &format!("/{}", "b".repeat(8192)));
    let [rest] = &*kept(of(&long, 0)) else {
        panic!("it is counted");
    };
    assert_eq!(rest.left_out, 1, "it is counted");
}
