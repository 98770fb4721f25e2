use alloc::string::String;

use crate::cri_api::fake::{Fake, Reply};
use crate::cri_api::{
    Bytes, Container, ContainerState, ContainerStatus, Cri, FsInfo, Image, LayerUsage, ProtoError,
    ProtoErrorKind, Sandbox, Writer, parse_fields, parse_list,
};

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
        .pair(8, "label", "l")
        .pair(9, "note", "n");
    container.bytes(77, b"later").text(10, "sha256:2");
    container
}

#[test]
fn ten_thousand_containers() {
    let mut list = Writer::default();
    for index in 0..10_000 {
        let mut one = container(&format!("{index:064}"));
        one.pair(9, "long", &"x".repeat(600));
        list.message(1, &one);
    }
    let list = list.into_bytes();
    assert!(list.len() > 7_000_000);
    let fake = Fake::start("thousands", move |_, _| Reply::Message(list.clone()));
    let containers = Cri::new(&fake.socket(), LONG).containers().unwrap();
    assert_eq!(containers.len(), 10_000);
    assert_eq!(containers[9_999].id, format!("{:064}", 9_999));
}

fn parsed<T>(message: Writer, parse: fn(Bytes<'_>) -> Result<T, ProtoError>) -> T {
    parse(Bytes::new(&message.into_bytes())).unwrap()
}

#[test]
fn containers() {
    let expected = Container {
        id: "id".into(),
        sandbox: "pod".into(),
        name: "main".into(),
        attempt: 3,
        image: "a:1".into(),
        image_ref: "sha256:1".into(),
        image_id: "sha256:2".into(),
        state: ContainerState::Running,
        created_nanos: 17,
        labels: [("label".into(), "l".into())].into(),
        annotations: [("note".into(), "n".into())].into(),
    };
    assert_eq!(parsed(container("id"), Container::parse), expected);
    assert_eq!(
        parsed(Writer::default(), Container::parse),
        Container::default()
    );
    for (number, state) in [
        (2, ContainerState::Exited),
        (3, ContainerState::Unknown),
        (9, ContainerState::Unknown),
    ] {
        let mut message = Writer::default();
        message.number(6, number);
        assert_eq!(parsed(message, Container::parse).state, state);
    }
}

#[test]
fn statuses() {
    let (mut response, mut status, mut all, mut linux) = (
        Writer::default(),
        Writer::default(),
        Writer::default(),
        Writer::default(),
    );
    linux
        .number(1, 100_000)
        .number(2, u64::MAX)
        .number(3, 512)
        .number(4, 1 << 40);
    all.message(1, &linux);
    status
        .number(3, 2)
        .number(6, 99)
        .text(15, "/log")
        .message(16, &all);
    response
        .message(1, &status)
        .pair(2, "other", "{}")
        .pair(2, "info", "{\"pid\":1}");
    let status = parsed(response, ContainerStatus::parse);
    assert_eq!(
        (status.state, status.finished_nanos),
        (ContainerState::Exited, 99)
    );
    assert_eq!(
        (status.log_path.as_str(), status.info.as_deref()),
        ("/log", Some("{\"pid\":1}"))
    );
    let resources = status.resources;
    assert_eq!(
        (
            resources.cpu_period,
            resources.cpu_quota,
            resources.cpu_shares
        ),
        (100_000, -1, 512)
    );
    assert_eq!(resources.memory_limit_bytes, 1 << 40);
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
        .pair(5, "a", "b");
    let sandbox = parsed(sandbox, Sandbox::parse);
    assert_eq!(
        (
            sandbox.name.as_str(),
            sandbox.uid.as_str(),
            sandbox.namespace.as_str()
        ),
        ("web", "uid", "shop")
    );
    assert_eq!(
        (sandbox.attempt, sandbox.is_ready, sandbox.created_nanos),
        (u32::MAX, false, 5)
    );
    assert!(
        parsed(Writer::default(), Sandbox::parse).is_ready,
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
    let image = parsed(image, Image::parse);
    assert_eq!(
        (
            image.tags.len(),
            image.digests.len(),
            image.size_bytes,
            image.is_pinned
        ),
        (2, 1, 7, true)
    );
}

#[test]
fn disks() {
    let (mut info, mut usage, mut path) = (Writer::default(), Writer::default(), Writer::default());
    path.text(1, "/images");
    usage.number(1, 1).message(2, &path);
    info.message(1, &usage).message(2, &usage);
    let info = parsed(info, FsInfo::parse);
    assert_eq!(
        (info.images, info.containers),
        (
            alloc::vec!["/images".into()],
            alloc::vec![String::from("/images")]
        )
    );
}

#[test]
fn layers() {
    let (mut stats, mut who, mut layer, mut bytes) = (
        Writer::default(),
        Writer::default(),
        Writer::default(),
        Writer::default(),
    );
    bytes.number(1, 8192);
    layer.message(3, &bytes).message(4, &Writer::default());
    who.text(1, "c");
    stats.message(1, &who).message(4, &layer);
    let layer = parsed(stats, LayerUsage::parse);
    assert_eq!(
        (layer.id.as_str(), layer.bytes, layer.inodes),
        ("c", Some(8192), Some(0))
    );
}

#[test]
fn texts_that_are_not() {
    let mut message = Writer::default();
    message.bytes(5, &[0x0a, 3, b'a', 0xff, b'b', 0x12, 2, 0xc3, 0x28]);
    let sandbox = parsed(message, Sandbox::parse);
    assert_eq!(
        sandbox.labels,
        [("a\\xffb".to_owned(), "\\xc3(".to_owned())]
    );
    for field in [1, 2, 5, 10] {
        let mut message = Writer::default();
        message.number(7, 1).bytes(field, b"ab\xff");
        let error = Container::parse(Bytes::new(&message.into_bytes())).unwrap_err();
        assert_eq!(
            (error.at, error.kind),
            (6, ProtoErrorKind::NotText),
            "field {field}"
        );
    }
}

#[test]
fn not_messages() {
    let cases: [(&str, &[u8], &str); 9] = [
        ("key", &[0x80], "cut off at byte 1"),
        ("number", &[0x08, 0xff], "cut off at byte 2"),
        ("eight bytes", &[0x09, 1, 2, 3], "cut off at byte 1"),
        ("four bytes", &[0x0d, 1], "cut off at byte 1"),
        ("length", &[0x0a, 2, b'x'], "cut off at byte 2"),
        (
            "huge length",
            &[
                0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
            ],
            "cut off at byte 11",
        ),
        (
            "long number",
            &[
                0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2,
            ],
            "a number of more than 64 bits at byte 1",
        ),
        ("field 0", &[0x00, 1], "no field has this number at byte 0"),
        ("group", &[0x08, 1, 0x0b], "not a field at byte 2"),
    ];
    for (name, bytes, said) in cases {
        let error = parse_fields(Bytes::new(bytes), &mut |_, _| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), said, "{name}");
    }
}

/// One bad item costs the list.
#[test]
fn no_partial_lists() {
    let mut list = Writer::default();
    list.message(1, &container("a"))
        .bytes(1, &[0x0a, 9])
        .message(1, &container("b"));
    let list = list.into_bytes();
    let error = parse_list(Bytes::new(&list), Container::parse).unwrap_err();
    assert_eq!(list[error.at - 2..error.at], [0x0a, 9]);
    let fake = Fake::start("partial", move |_, _| Reply::Message(list.clone()));
    let error = Cri::new(&fake.socket(), LONG).containers().unwrap_err();
    assert!(error.to_string().starts_with(
        "/runtime.v1.RuntimeService/ListContainers: not an answer of this API: cut off at byte "
    ));
}
