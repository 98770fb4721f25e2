//! What real engines answered (dockerd 20.10.24, Podman 4.3.1), cut down, and what
//! none should.

use core::fmt::Write as _;
use core::num::NonZeroU64;
use std::path::Path;

use evictd_node::QosClass;

use crate::docker::about::EngineInfo;
use crate::docker::{
    Listed, parse_containers, parse_details, parse_image, parse_images, parse_info, parse_pods,
    parse_version,
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
        "Labels":{"evictd.priority":"b","annotation.evictd.protect":"d","annotation.e":"f",
        "other":"g","evictd.unknown":"h"},
        "State":"running","Status":"Up 2 minutes","NetworkSettings":{"Networks":null},"Mounts":[]},
        {"Id":"6f85","Labels":null,"Names":null,"Image":"one:1"}]"#;
    let found = items(parse_containers(text.as_slice()));
    assert_eq!(found.len(), 2);
    let container = &found[0].container;
    assert_eq!((&*container.id, &*container.name), ("aaf9", "bb"));
    assert_eq!(container.created_nanos, 1_795_192_113_000_000_000);
    assert_eq!(container.state, ContainerState::Running);
    assert_eq!(&*container.image, "sha256:3e67");
    assert_eq!(&*found[0].told, "running\nUp 2 minutes");
    let labels = [("evictd.priority".into(), "b".into())].into();
    let annotations = [("evictd.protect".into(), "d".into())].into();
    assert_eq!(
        (&found[0].labels, &found[0].annotations),
        (&labels, &annotations),
        "what decides nothing is not kept"
    );
    assert_eq!(
        (&*found[1].container.name, &*found[1].container.image),
        ("", "one:1")
    );
    assert_eq!(items(parse_containers(b"null".as_slice())), []);
    assert_eq!(items(parse_containers(b" [ ] ".as_slice())), []);
}

/// The items of a list of which nothing is odd.
fn items<T>(listed: Result<Listed<T>, Failure>) -> Vec<T> {
    let listed = listed.unwrap();
    assert_eq!(listed.notes, [""; 0]);
    listed.items
}

/// A cron job of `docker run` without `--rm` left 100,000 of them.
#[test]
fn of_very_many_dead_containers_the_oldest_are_kept_and_all_that_run() {
    let mut text = String::from("[");
    for at in 0..100_000_u32 {
        let (state, image) = match at {
            50_000 => ("running", "hog"),
            60_000 => ("thinking", "odd"),
            70_000 => ("exited", "seldom"),
            _ => ("exited", "cron"),
        };
        let created = 1_000_000 - at;
        let labels = r#"{"com.docker.compose.service":"x","org.opencontainers.image.title":"y"}"#;
        write!(
            text,
            r#"{{"Id":"{at}","Names":["/n{at}"],"State":"{state}","Created":{created},
            "Image":"{image}","Labels":{labels},"Mounts":[{{"x":[1,2.5,null]}}]}},"#
        )
        .unwrap();
    }
    text.pop();
    assert!(parse_containers(text.as_bytes()).is_err(), "it has no end");
    text.push(']');
    let listed = parse_containers(text.as_bytes()).unwrap();
    let ids = listed.items.iter().map(|found| &*found.container.id);
    let ids: Vec<usize> = ids.map(|id| id.parse().unwrap()).collect();
    // One without a known state may run; an image must not look unused.
    assert_eq!(ids[..3], [50_000, 60_000, 70_000]);
    assert_eq!(ids.len(), 1 + 1024 + 1);
    assert_eq!((ids[3], ids.last()), (98_977, Some(&99_999)));
    assert_eq!(
        listed.notes,
        ["of the containers that do not run only the oldest are listed, 1024 at most"]
    );
}

#[test]
fn what_is_no_list_is_refused() {
    for (text, expected) in [
        ("", "JSON that ends at byte 0"),
        ("{}", "no list"),
        (r#"[{"Id":"a"},{"Id":"b"}"#, "JSON that ends at byte 22"),
        (r#"[{"Id":"a",}]"#, "no JSON at byte 11"),
        (r#"[{"Id":"a"},]"#, "no JSON at byte 12"),
        (r#"[{"Id" "a"}]"#, "no JSON at byte 7"),
        (r#"[{"Id":tru}]"#, "no JSON at byte 10"),
        ("[] []", "no JSON at byte 3"),
    ] {
        assert_eq!(odd(parse_containers(text.as_bytes())), expected, "{text}");
    }
}

#[test]
fn one_container() {
    let docker = br#"{"Id":"6240","State":{"Status":"exited","Pid":0,"FinishedAt":"2026-11-20T16:28:34.5Z"},
        "RestartCount":3,"LogPath":"/l.log","HostConfig":{"Memory":33554432,"NanoCpus":500000000,
        "MemoryReservation":16777216,"CpuShares":512,"CgroupParent":"/kubepods/burstable/p",
        "RestartPolicy":{"Name":"always","MaximumRetryCount":0}},
        "Config":{"StopTimeout":7},"GraphDriver":{"Data":{"UpperDir":"/u/diff"},"Name":"overlay2"}}"#;
    assert_eq!(
        parse_details(docker.as_slice(), "6240").unwrap(),
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
    assert_eq!(parse_details(podman.as_slice(), "73cf").unwrap(), expected);
    let message = br#"{"message":"x"}"#.as_slice();
    assert_eq!(odd(parse_details(message, "a")), "neither Id nor State");
    for (text, field) in [
        (r#"{"Id":"a","State":{"Pid":7},"LogPath":[]}"#, "LogPath"),
        (
            r#"{"Id":"a","HostConfig":{"Memory":"1g"},"State":{"Pid":7}}"#,
            "Memory",
        ),
        (
            r#"{"Id":"a","State":{"FinishedAt":{},"Pid":7}}"#,
            "FinishedAt",
        ),
        (r#"{"Id":1e9,"State":{"Pid":7,"Pid":-1}}"#, "Id"),
    ] {
        let details = parse_details(text.as_bytes(), "a").unwrap();
        let fault = format!("{field} cannot be read and does not count");
        assert_eq!(
            (details.pid, details.fault.as_deref()),
            (7, Some(&*fault)),
            "{text}"
        );
    }
    let unknown = br#"{"Id":"a","State":{"FinishedAt":"soon"}}"#.as_slice();
    assert_eq!(parse_details(unknown, "a").unwrap().finished_nanos, None);
}

/// As they were asked for and as they are; other mounts, and paths, are no images.
#[test]
fn images_that_are_mounted() {
    let mounted = |text: &[u8]| {
        let told = parse_details(text, "a").unwrap().image_volumes;
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
    let mounts = parse_details(text.as_bytes(), "a").unwrap().mounts;
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
    assert_eq!(items(parse_images(text.as_slice())), expected);
    assert!(parse_image(br#"{"Id":""}"#.as_slice()).is_err());
}

/// One of them may be a name by which it is to be kept.
#[test]
fn an_image_whose_names_are_not_all_known_is_pinned() {
    let many = vec![r#""one:1""#; 1025].join(",");
    let long = format!(r#""{}""#, "x".repeat(1025));
    for (tags, is_pinned) in [
        (r#"["one:1"]"#, false),
        ("null", false),
        (r#"["one:1",7]"#, true),
        (r#""one:1""#, true),
        (&format!("[{many}]"), true),
        (&format!("[{long}]"), true),
    ] {
        let text = format!(r#"[{{"Id":"a","RepoTags":{tags}}}]"#);
        let images = parse_images(text.as_bytes()).unwrap().items;
        assert_eq!(images[0].pinned, is_pinned, "{tags:.20}");
    }
}

#[test]
fn engines() {
    let text =
        br#"{"Platform":{"Name":"linux/amd64/debian-12"},"Components":[{"Name":"Podman Engine",
        "Version":"4.3.1"},{"Name":"Conmon"}],"Version":"4.3.1","ApiVersion":"1.41"}"#;
    let version = parse_version(text.as_slice()).unwrap();
    assert_eq!((&*version.version, version.api()), ("4.3.1", (1, 41)));
    let names = ["podman", "debian", "conmon", "docker"].map(|word| version.names(word));
    assert_eq!(names, [true, true, false, false]);
    assert!(parse_version(b"{}".as_slice()).is_err());
    let bare = parse_version(br#"{"Version":"1","Components":null}"#.as_slice()).unwrap();
    assert!(!bare.names("engine"));
    let odd = br#"{"Version":7,"ApiVersion":"1.41","Components":[3,{"Name":"Podman Engine"}]}"#;
    let odd = parse_version(odd.as_slice()).unwrap();
    assert!(odd.names("podman") && odd.api() == (1, 41));

    let info = |text: &'static [u8]| -> EngineInfo { parse_info(text).unwrap() };
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
        {"Id":"242a","InfraId":"","Name":"none","Containers":null},{"Id":"a","Containers":[1]},{}]"#;
    let mut all = Vec::new();
    parse_pods(text.as_slice(), |pod| {
        let members = pod.members.join(" ");
        all.push(format!(
            "{} {} {} {members} {}",
            pod.id, pod.name, pod.infra_id, pod.is_partial
        ));
    })
    .unwrap();
    assert_eq!(
        all,
        [
            "b157 mypod c676 73cf c676 false",
            "242a none   false",
            "a    true"
        ]
    );
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
    let details = parse_details(text.as_slice(), "a").unwrap();
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
    let kept = |text: String| parse_details(text.as_bytes(), "a").unwrap().mounts;
    assert_eq!(kept(of(one, 2000)).len(), 1, "mounted in many places");
    let long = one.replace("/b", &format!("/{}", "b".repeat(8192)));
    let [rest] = &*kept(of(&long, 0)) else {
        panic!("it is counted");
    };
    assert_eq!(rest.left_out, 1, "it is counted");
}
