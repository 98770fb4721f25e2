use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::path::Path;

use crate::cri::fake::{Fake, Reply};
use crate::cri::{Client, Writer, find_id};

use super::{Bench, EXITED, Node, RUNNING, WEB, container, image, sandbox, status};
use crate::{ContainerRuntime, CriRuntime, Failure, ListedImage, RuntimePod};

fn pod() -> RuntimePod {
    RuntimePod {
        running: vec!["a".into(), "b".into()],
        sandbox: Some("s".into()),
        ..RuntimePod::default()
    }
}

#[test]
fn graces_are_rounded_up() {
    let mut bench = Bench::new("grace", Node::default());
    for (grace, seconds) in [
        (Duration::ZERO, 0),
        (Duration::from_millis(1), 1),
        (Duration::from_secs(30), 30),
        (Duration::from_millis(30_001), 31),
        (Duration::from_secs(u64::MAX), u32::MAX),
    ] {
        bench.runtime.end_pod(&pod(), grace).unwrap();
        let mut acts = bench.acts();
        acts[..2].sort();
        let expected = [
            format!("StopContainer a {seconds}"),
            format!("StopContainer b {seconds}"),
            "StopPodSandbox s 0".to_owned(),
        ];
        assert_eq!(acts, expected, "{grace:?}");
    }
}

#[test]
fn ends_as_much_as_it_can() {
    for (name, code, fails) in [("gone", 5, false), ("refused", 13, true)] {
        let mut bench = Bench::new(name, Node::default());
        bench
            .node()
            .instead
            .push(("StopContainer", Reply::Status(code, "no")));
        let ended = bench.runtime.end_pod(&pod(), Duration::ZERO);
        assert_eq!(ended.is_err(), fails, "{name}");
        assert_eq!(bench.acts().len(), 3, "{name}");
    }
    let mut bench = Bench::new("sandbox", Node::default());
    bench
        .node()
        .instead
        .push(("StopPodSandbox", Reply::Status(13, "no")));
    let error = bench.runtime.end_pod(&pod(), Duration::ZERO).unwrap_err();
    assert_eq!(
        error.call,
        "/runtime.v1.RuntimeService/StopPodSandbox".into()
    );
    let alone = RuntimePod::default();
    bench.runtime.end_pod(&alone, Duration::ZERO).unwrap();
}

#[test]
fn removes_only_what_has_ended() {
    let mut bench = Bench::new(
        "removes",
        Node {
            sandboxes: vec![sandbox("s", "u", 1), sandbox("empty", "e", 1)],
            containers: vec![container(WEB, "s", EXITED)],
            statuses: vec![
                ("runs", status(RUNNING, 7)),
                ("ended", status(EXITED, 0)),
                ("odd", Reply::Status(13, "no")),
            ],
            ..Node::default()
        },
    );
    let runtime = &mut bench.runtime;
    let error = runtime.remove_container("runs").unwrap_err();
    assert!(matches!(error.failure, Failure::Refused { code: 9, .. }));
    let said = "RemoveContainer: refused with 9: the container runs";
    assert!(error.to_string().ends_with(said));
    runtime.remove_container("ended").unwrap();
    runtime.remove_container("odd").unwrap();
    runtime.remove_container("gone").unwrap();
    let error = runtime.remove_sandbox("s").unwrap_err();
    assert!(matches!(error.failure, Failure::Refused { code: 9, .. }));
    runtime.remove_sandbox("empty").unwrap();
    runtime.remove_image("sha256:1").unwrap();
    let acts = [
        "RemoveContainer ended 0",
        "RemoveContainer odd 0",
        "StopPodSandbox empty 0",
        "RemovePodSandbox empty 0",
        "RemoveImage \n\u{8}sha256:1 0",
    ];
    assert_eq!(bench.acts(), acts);
    bench
        .node()
        .instead
        .push(("RemoveImage", Reply::Status(5, "gone")));
    bench.runtime.remove_image("sha256:1").unwrap();
    bench
        .node()
        .instead
        .insert(0, ("RemoveImage", Reply::Status(9, "used")));
    assert!(bench.runtime.remove_image("sha256:1").is_err());
}

/// The sandboxes' image by the configuration, by a sandbox, by its name.
#[test]
fn pinned_images() {
    let node = |config, sandbox_info| Node {
        sandboxes: vec![sandbox("s", "u", 1)],
        images: vec![
            image("sha256:1", &["r.io/waits:3", "r.io/waits:latest"]),
            image("sha256:2", &["r.io/pause:3"]),
            image("sha256:3", &["a:1"]),
        ],
        config,
        sandbox_info,
        ..Node::default()
    };
    for (name, config, info, expected) in [
        (
            "config",
            r#"{"sandboxImage":"r.io/waits:3"}"#,
            "{}",
            [true, false, false],
        ),
        (
            "not there",
            r#"{"sandboxImage":"r.io/x"}"#,
            r#"{"image":"r.io/waits:latest"}"#,
            [true, false, false],
        ),
        (
            "sandbox",
            "{}",
            r#"{"image":"sha256:1"}"#,
            [true, false, false],
        ),
        ("name", "not json", r#"{"image":7}"#, [false, true, false]),
    ] {
        let mut bench = Bench::new(&format!("pinned-{name}"), node(config, info));
        let pinned: Vec<bool> = bench
            .runtime
            .images()
            .unwrap()
            .iter()
            .map(|image| image.pinned)
            .collect();
        assert_eq!(pinned, expected, "{name}");
        bench.node().images[2].number(8, 1);
        assert!(
            bench.runtime.images().unwrap()[2].pinned,
            "as the runtime says"
        );
        for method in ["ListImages", "Status"] {
            bench.node().instead.push((method, Reply::Status(13, "no")));
            assert!(bench.runtime.images().is_err(), "{method}");
            bench.node().instead.clear();
        }
    }
}

#[test]
fn disks() {
    let info = |images: &str, containers: Option<&str>| {
        let mut info = Writer::default();
        for (field, path) in [(1, Some(images)), (2, containers)] {
            let (mut usage, mut id) = (Writer::default(), Writer::default());
            id.text(1, path.unwrap_or_default());
            usage.message(2, &id);
            if path.is_some() {
                info.message(field, &usage);
            }
        }
        info
    };
    let containerd = "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs";
    let crio = "/var/lib/containers/storage/overlay-images";
    for (name, images, containers, apart, driver) in [
        ("containerd", containerd, None, None, "overlayfs"),
        ("crio", crio, Some(crio), None, "overlay"),
        (
            "split",
            crio,
            Some("/fast/overlay-containers"),
            Some("/fast/overlay-containers"),
            "overlay",
        ),
    ] {
        let fs_info = info(images, containers);
        let mut bench = Bench::new(
            &format!("disks-{name}"),
            Node {
                fs_info,
                ..Node::default()
            },
        );
        let disks = bench.runtime.disks().unwrap();
        assert_eq!(disks.images.as_deref(), Some(Path::new(images)), "{name}");
        assert_eq!(
            (disks.containers.as_deref(), disks.driver.as_str()),
            (apart.map(Path::new), driver)
        );
    }
    let disks = Bench::new("disks-none", Node::default())
        .runtime
        .disks()
        .unwrap();
    assert_eq!(disks, crate::RuntimeDisks::default());
}

#[test]
fn who_answers() {
    let mut answer = Writer::default();
    answer.text(2, "containerd").text(3, "1.6.20~ds1\n");
    let reply = Reply::Message(answer.into_bytes());
    let mut bench = Bench::new(
        "version",
        Node {
            instead: vec![("Version", reply)],
            ..Node::default()
        },
    );
    assert_eq!(bench.runtime.version().unwrap(), "containerd 1.6.20~ds1");
    let mut nobody = CriRuntime::new(Path::new("/nowhere/evictd.sock"));
    let error = nobody.version().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unix:///nowhere/evictd.sock: /runtime.v1.RuntimeService/Version: No such file or directory (os error 2)"
    );
}

/// Acceptance row 297: containerd deletes what nothing refers to once a lease is given up;
/// one that is left of a former time is given up too, and a runtime without leases is no error.
#[test]
fn a_lease_that_is_given_up_collects_garbage() {
    for (code, has_leases, calls) in [(0, true, 2), (6, true, 2), (12, false, 1)] {
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let fake = Fake::start(&format!("leases-{code}"), move |method, _| {
            count.fetch_add(1, Ordering::Relaxed);
            match method {
                "Create" if code != 0 => Reply::Status(code, "no"),
                "Create" | "Delete" => Reply::Message(Vec::new()),
                _ => Reply::Status(13, "another call"),
            }
        });
        let client = Client::new(&fake.socket(), Duration::from_secs(20));
        assert_eq!(client.collect_garbage().unwrap(), has_leases, "{code}");
        assert_eq!(made.load(Ordering::Relaxed), calls, "{code}");
    }
}

/// An air-gapped site could start no pod without it.
#[test]
fn the_sandboxes_image_stays_by_any_form_of_its_name() {
    let images = [
        image("sha256:1", &["docker.io/rancher/mirrored-pause:3.6"]),
        image("sha256:2", &["docker.io/library/waits:latest"]),
        image("sha256:3", &["docker.io/library/busybox:1"]),
        image("sha256:4", &["reg:5000/pause/tool:pause"]),
    ];
    for (name, config, runs, expected) in [
        (
            "short",
            "rancher/mirrored-pause:3.6",
            true,
            [true, false, false, false],
        ),
        (
            "library",
            "library/waits",
            true,
            [false, true, false, false],
        ),
        ("bare", "waits", true, [false, true, false, false]),
        (
            "other tag",
            "rancher/mirrored-pause:3.5",
            true,
            [true, false, false, false],
        ),
        (
            "other registry",
            "quay.io/library/waits",
            true,
            [true, false, false, false],
        ),
        // Where none runs, what is configured may be wrong.
        ("none runs", "waits", false, [true, true, false, false]),
        ("nothing", "", false, [true, false, false, false]),
    ] {
        let config = format!("{{\"sandboxImage\":\"{config}\"}}").leak();
        let mut pod = sandbox("s", "u", 1);
        pod.number(3, u64::from(!runs));
        let mut bench = Bench::new(
            &format!("pause-{name}"),
            Node {
                sandboxes: vec![pod],
                images: images.to_vec(),
                config,
                sandbox_info: "{}",
                ..Node::default()
            },
        );
        let images = bench.runtime.images().unwrap();
        let pinned: Vec<bool> = images.iter().map(|image| image.pinned).collect();
        assert_eq!(pinned, expected, "{name}");
    }
}

/// Docker and containerd read one name in many forms.
#[test]
fn an_image_is_found_by_any_form_of_its_name() {
    let one = |id: &str, tags: &[&str], digest: &str| ListedImage {
        id: id.into(),
        tags: tags.iter().map(|tag| (*tag).into()).collect(),
        digests: vec![format!("docker.io/library/busybox@sha256:{digest}")],
        ..ListedImage::default()
    };
    let images = [
        one("sha256:1", &["docker.io/library/busybox:1"], "00ff"),
        one("sha256:2", &[], "1111"),
    ];
    for (name, expected) in [
        ("busybox:1", Some("sha256:1")),
        ("busybox@sha256:00ff", Some("sha256:1")),
        ("busybox:1@sha256:1111", Some("sha256:2")),
        ("sha256:2", Some("sha256:2")),
        ("2", Some("sha256:2")),
        ("busybox", None),
        ("quay.io/busybox:1", None),
    ] {
        assert_eq!(find_id(name, &images), expected, "{name}");
    }
}
