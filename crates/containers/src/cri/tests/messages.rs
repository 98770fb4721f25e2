use core::num::NonZeroU64;
use std::path::Path;

use crate::cri::fake::{Fake, Reply};
use crate::cri::{
    Client, Parse, Reader, Value, Writer, parse_container, parse_disks, parse_image, parse_layer,
    parse_sandbox, parse_status,
};
use crate::{ContainerState, Details, Found, ListedContainer, LogFormat, WritableLayer};

const LONG: core::time::Duration = core::time::Duration::from_secs(20);

fn container(id: &str) -> Writer {
    let (mut container, mut metadata, mut image) =
        (Writer::default(), Writer::default(), Writer::default());
    metadata.text(1, "main").number(2, 3);
    image.text(1, "a:1");
    container.text(1, id).text(2, "pod").message(3, &metadata);
    container
        .message(4, &image)
        .text(5, "sha256:1")
        .number(6, 1);
    container
        .number(7, 17)
        .pair(8, "evictd.protect", "true")
        .pair(8, "app", "not kept")
        .pair(9, "note", "not kept");
    container.bytes(77, b"later").text(10, "sha256:2");
    container
}

#[test]
fn four_thousand_containers() {
    let mut list = Writer::default();
    for index in 0..4_000 {
        let mut one = container(&format!("{index:064}"));
        one.pair(9, "long", &"x".repeat(200));
        list.message(1, &one);
    }
    let list = list.into_bytes();
    assert!(list.len() > 1_000_000);
    let fake = Fake::start("thousands", move |_, _| Reply::Message(list.clone()));
    let client = Client::new(&fake.socket(), LONG);
    let containers = client.containers().unwrap();
    assert!(containers.notes.is_empty() && containers.items.len() == 4_000);
    let last = &containers.items[3_999].container;
    assert_eq!(*last.id, *format!("{:064}", 3_999));
}

/// What is read of an item, and what of it cannot be read.
fn read<T>(message: &[u8], parse: Parse<T>) -> (T, String) {
    let mut source = message;
    let mut reader = Reader::new(&mut source, message.len());
    let whole = reader.whole();
    let read = parse(&mut reader, whole).unwrap();
    let fault = reader.take_fault();
    assert!(source.is_empty(), "all of it is read or skipped");
    (
        read,
        fault.map_or_else(String::new, |fault| fault.to_string()),
    )
}

fn parsed<T>(message: Writer, parse: Parse<T>) -> T {
    let (read, fault) = read(&message.into_bytes(), parse);
    assert_eq!(fault, "");
    read
}

/// What is read of an answer that is no list.
fn answered<T>(message: Writer, parse: fn(&mut Reader<'_>) -> std::io::Result<T>) -> T {
    let message = message.into_bytes();
    let mut source = message.as_slice();
    let mut reader = Reader::new(&mut source, message.len());
    let read = parse(&mut reader).unwrap();
    assert_eq!(reader.take_fault(), None);
    read
}

#[test]
fn containers() {
    let id = format!("sha256:{:064}", 2);
    let mut message = container("id");
    message.text(10, &id);
    message.pair(9, "io.kubernetes.pod.terminationGracePeriod", "9");
    let expected = Found {
        container: ListedContainer {
            id: "id".into(),
            sandbox: Some("pod".into()),
            name: "main".into(),
            attempt: 3,
            image: id.as_str().into(),
            state: ContainerState::Running,
            created_nanos: 17,
            ..ListedContainer::default()
        },
        told: "1".into(),
        labels: [("evictd.protect".into(), "true".into())].into(),
        annotations: [(
            "io.kubernetes.pod.terminationGracePeriod".into(),
            "9".into(),
        )]
        .into(),
        group: Some(("pod".into(), "main".into())),
        grace_seconds: Some(9),
        ..Found::default()
    };
    assert_eq!(parsed(message, parse_container), expected);
    for (number, state) in [
        (0, ContainerState::Created),
        (2, ContainerState::Exited),
        (3, ContainerState::Unknown),
        (9, ContainerState::Unknown),
    ] {
        let mut message = Writer::default();
        message.number(6, number);
        assert_eq!(parsed(message, parse_container).container.state, state);
    }
}

/// An id where one is told, else what names the image most exactly.
#[test]
fn images_of_containers() {
    let id = format!("sha256:{:064}", 1);
    for (image_id, reference, asked, expected) in [
        (&*id, "b", "c", &*id),
        ("a", &*id, "c", &*id),
        ("a", "b", "c", "a"),
        ("", "b", "c", "b"),
        ("", "", "c", "c"),
        ("", "", "", ""),
    ] {
        let (mut message, mut spec) = (Writer::default(), Writer::default());
        spec.text(1, asked);
        message
            .text(10, image_id)
            .text(5, reference)
            .message(4, &spec);
        let found = parsed(message, parse_container);
        assert_eq!(&*found.container.image, expected);
    }
}

#[test]
fn statuses() {
    let [mut response, mut status, mut all, mut linux] = [(); 4].map(|()| Writer::default());
    linux
        .number(1, 100_000)
        .number(2, 50_000)
        .number(3, 512)
        .number(4, 1 << 40);
    all.message(1, &linux);
    status
        .number(3, 2)
        .number(6, 99)
        .text(15, "/log")
        .message(16, &all);
    response.message(1, &status).pair(2, "other", "{}").pair(
        2,
        "info",
        "{\"pid\":7,\"runtimeSpec\":{\"pid\":8}}",
    );
    let status = answered(response, parse_status);
    assert_eq!((&*status.told, status.finished_nanos), ("2", Some(99)));
    assert_eq!(
        (status.log.as_deref(), status.pid),
        (Some(Path::new("/log")), 7)
    );
    let limits = status.limits;
    assert_eq!(
        [
            limits.cpu_limit_millis,
            limits.cpu_request_millis,
            limits.memory_limit_bytes
        ],
        [
            NonZeroU64::new(500),
            NonZeroU64::new(500),
            NonZeroU64::new(1 << 40)
        ]
    );
    assert_eq!(limits.memory_request_bytes, None);
    let nothing = answered(Writer::default(), parse_status);
    let created = Details {
        told: "0".into(),
        log_format: LogFormat::Cri,
        ..Details::default()
    };
    assert_eq!(nothing, created);
}

/// Acceptance row 255.
#[test]
fn what_a_pod_may_write_to_outside_itself_over_cri() {
    let mount = |source: &str, readonly: u64| {
        let mut mount = Writer::default();
        mount.text(1, "/inside").text(2, source).number(3, readonly);
        mount
    };
    let mut status = Writer::default();
    status.message(14, &mount("/srv/app", 0));
    status.message(14, &mount("/etc/hosts", 1));
    status.message(14, &mount("", 0));
    let mut response = Writer::default();
    response.message(1, &status);
    let mounts = answered(response, parse_status).mounts;
    let mounts: Vec<_> = mounts
        .iter()
        .map(|mount| (&*mount.source, mount.is_volume))
        .collect();
    assert_eq!(mounts, [(Path::new("/srv/app"), false)]);

    let mut status = Writer::default();
    for number in 0..1024 {
        status.message(14, &mount(&format!("/srv/{number}"), 0));
    }
    let mut response = Writer::default();
    response.message(1, &status);
    let mounts = answered(response, parse_status).mounts;
    let left_out: u32 = mounts.iter().map(|mount| mount.left_out).sum();
    let kept = mounts.iter().filter(|mount| mount.left_out == 0).count();
    assert!(
        kept >= 64 && kept + usize::try_from(left_out).unwrap() == 1024,
        "{kept}"
    );
}

/// No quota (-1), and the least weight, which stands for no request.
#[test]
fn limits_that_are_none() {
    let [mut response, mut status, mut all, mut linux] = [(); 4].map(|()| Writer::default());
    linux.number(1, 100_000).number(2, u64::MAX).number(3, 2);
    all.message(1, &linux);
    status.message(16, &all);
    response.message(1, &status);
    let limits = answered(response, parse_status).limits;
    assert_eq!(limits, crate::Limits::default());
}

#[test]
fn sandboxes() {
    let (mut sandbox, mut metadata) = (Writer::default(), Writer::default());
    metadata
        .text(1, "web")
        .text(2, "uid")
        .text(3, "shop")
        .number(4, 1 << 40);
    sandbox
        .text(1, "s")
        .message(2, &metadata)
        .number(3, 1)
        .number(4, 5)
        .pair(5, "evictd.priority", "b")
        .pair(5, "io.kubernetes.pod.uid", "another");
    let found = parsed(sandbox, parse_sandbox);
    let label = |key: &str| found.label(key).unwrap();
    assert_eq!(
        (
            label("io.kubernetes.pod.name"),
            label("io.kubernetes.pod.uid"),
            label("io.kubernetes.pod.namespace"),
            label("evictd.priority")
        ),
        ("web", "uid", "shop", "b")
    );
    assert_eq!(found.group, Some(("s".into(), "web".into())));
    let sandbox = &found.container;
    assert_eq!(
        (sandbox.attempt, sandbox.state, sandbox.created_nanos),
        (u32::MAX, ContainerState::Exited, 5)
    );
    assert!(found.is_sandbox);
    assert!(
        parsed(Writer::default(), parse_sandbox).runs(),
        "0 is not written"
    );
}

#[test]
fn images() {
    let mut image = Writer::default();
    image
        .text(1, "sha256:1")
        .text(2, "a:1")
        .text(2, "a:2")
        .text(3, "a@sha256:9")
        .number(4, 7)
        .number(8, 1);
    let image = parsed(image, parse_image);
    assert_eq!(
        (
            image.tags.len(),
            image.digests.len(),
            image.size_bytes,
            image.pinned
        ),
        (2, 1, 7, true)
    );
}

#[test]
fn disks() {
    let (mut info, mut usage, mut path) = (Writer::default(), Writer::default(), Writer::default());
    path.text(1, "/overlay-images");
    usage.number(1, 1).message(2, &path);
    info.message(1, &usage).message(2, &usage);
    let disks = answered(info, parse_disks);
    assert_eq!(disks.images.as_deref(), Some(Path::new("/overlay-images")));
    assert_eq!((disks.containers, &*disks.driver), (None, "overlay"));
}

#[test]
fn layers() {
    let [mut stats, mut attributes, mut layer, mut bytes] = [(); 4].map(|()| Writer::default());
    bytes.number(1, 8192);
    layer.message(3, &bytes).message(4, &Writer::default());
    attributes.text(1, "c");
    stats.message(1, &attributes).message(4, &layer);
    let used = WritableLayer::Used {
        bytes: 8192,
        inodes: Some(0),
    };
    assert_eq!(parsed(stats, parse_layer), ("c".into(), used));
    let nothing = ("".into(), WritableLayer::Unknown);
    assert_eq!(parsed(Writer::default(), parse_layer), nothing);
}

/// Acceptance row 196: what cannot be read costs itself alone.
#[test]
fn texts_that_are_not() {
    let mut message = Writer::default();
    let mut pair = Writer::default();
    pair.text(1, "evictd.priority").bytes(2, b"\xc3(");
    message.message(5, &pair);
    let sandbox = parsed(message, parse_sandbox);
    assert_eq!(sandbox.label("evictd.priority"), Some("\\xc3("));
    for field in [1, 2, 5, 10] {
        let mut message = Writer::default();
        message.number(7, 17).bytes(field, b"ab\xff");
        let (found, fault) = read(&message.into_bytes(), parse_container);
        assert_eq!(found.container.created_nanos, 17);
        assert_eq!(fault, format!("field {field}: not UTF-8"));
        assert_eq!((&*found.container.id, &*found.container.image), ("", ""));
    }
}

/// Only those that decide anything are looked at.
#[test]
fn labels_that_decide_nothing_are_not_counted() {
    let mut message = Writer::default();
    for number in 0..2_000 {
        message.pair(9, &format!("{number}"), &"x".repeat(2_000));
    }
    message
        .pair(9, &"k".repeat(5_000), "v")
        .bytes(9, b"\x0a\x01\xff");
    message.pair(9, "evictd.priority", "7");
    let found = parsed(message.clone(), parse_container);
    assert_eq!(found.mark("evictd.priority"), Some("7"));
    message.pair(9, "evictd.memory-request", &"9".repeat(1_100));
    let (found, fault) = read(&message.clone().into_bytes(), parse_container);
    assert_eq!(fault, "field 9: a label of more than 1024 bytes");
    assert_eq!(found.annotations.len(), 1);
    for number in 0..2_000 {
        message.pair(8, &format!("evictd.{number}"), "x");
    }
    let (found, _) = read(&message.into_bytes(), parse_container);
    assert_eq!((found.labels.len(), found.annotations.len()), (0, 1));
}

#[test]
fn a_long_text_ends_after_four_kibibytes() {
    let text = |begin: &str| {
        let long = begin.to_owned() + &"é".repeat(3000);
        let mut message = Writer::default();
        message.text(1, &long);
        let (text, fault) = read(&message.into_bytes(), |reader, message| {
            let mut text = String::new();
            reader.message(message, &mut |reader, _, value| {
                text = reader.shown(value)?;
                Ok(())
            })?;
            Ok(text)
        });
        assert_eq!(fault, "");
        text
    };
    assert_eq!(text(""), "é".repeat(2048));
    let cut_in_two = "x".to_owned() + &"é".repeat(2047) + "\\xc3";
    assert_eq!(text("x"), cut_in_two);
}

#[test]
fn not_messages() {
    let cases: [(&str, &[u8], &str); 9] = [
        ("key", &[0x80], "cut off"),
        ("number", &[0x08, 0xff], "cut off"),
        ("eight bytes", &[0x09, 1, 2, 3], "cut off"),
        ("four bytes", &[0x0d, 1], "cut off"),
        ("length", &[0x0a, 2, b'x'], "cut off"),
        (
            "huge length",
            &[
                0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
            ],
            "cut off",
        ),
        (
            "long number",
            &[
                0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2,
            ],
            "a number of more than 64 bits",
        ),
        ("field 0", &[0x00, 1], "no field has this number"),
        ("group", &[0x08, 1, 0x0b], "not a field"),
    ];
    for (name, bytes, said) in cases {
        let (fields, fault) = read(bytes, |reader, message| {
            let mut fields = Vec::new();
            reader.message(message, &mut |_, field, value| {
                fields.push((field, value));
                Ok(())
            })?;
            Ok(fields)
        });
        assert_eq!(fault, said, "{name}");
        let before = if name == "group" {
            vec![(1, Value::Number(1))]
        } else {
            vec![]
        };
        assert_eq!(fields, before, "{name}");
    }
}

/// A list that breaks off is none.
#[test]
fn no_partial_lists() {
    let mut list = Writer::default();
    list.message(1, &container("a"));
    let mut list = list.into_bytes();
    list.extend([0x0a, 9]);
    let fake = Fake::start("partial", move |_, _| Reply::Message(list.clone()));
    let client = Client::new(&fake.socket(), LONG);
    let error = client.containers().unwrap_err();
    let said = format!("{}: {}", error.call, error.failure);
    assert_eq!(
        said,
        "/runtime.v1.RuntimeService/ListContainers: not an answer of this API: cut off"
    );
}

#[test]
fn first_processes() {
    for (json, pid) in [
        (r#"{"pid":7}"#, 7),
        (r#" { "a" : 1, "pid" : 7 , "b": 2 }"#, 7),
        (r#"{"spec":{"pid":1,"n":[{"pid":2}]},"pid":3}"#, 3),
        (r#"{"a":"\"pid\":1","b":"{[","c":"\\","pid":3}"#, 3),
        (r#"{"a":"pid","b":1}"#, 0),
        (r#"{"pid":"7"}"#, 0),
        (r#"{"pid":-1}"#, 0),
        (r#"{"pid":7"#, 7),
        (r#"{"pid":7,"runtimeSpec":{"env":["#, 7),
        (r#"[{"pid":7}]"#, 0),
        (r#"{"a":}]}]"pid":7}"#, 0),
        ("", 0),
    ] {
        let mut response = Writer::default();
        response.pair(2, "info", json);
        assert_eq!(answered(response, parse_status).pid, pid, "{json}");
    }
}
