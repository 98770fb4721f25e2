//! One item of a hundred is replaced by what makes no sense: the other ninety-nine stay as
//! they are.

use alloc::collections::BTreeMap;

use super::listing::list;
use super::{Bench, IMAGE, Node, RUNNING, container, image, sandbox, status};
use crate::cri::Writer;
use crate::cri::fake::Reply;
use crate::{ContainerRuntime, ListedContainer, RuntimeListing, RuntimePod, WritableLayer};

/// Which of the hundred.
const BAD: usize = 50;

/// Ids as long as they are.
fn ids(kind: char) -> Vec<&'static str> {
    (0..100)
        .map(|at| &*format!("{kind}{at:063}").leak())
        .collect()
}

fn varint(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return number;
        }
    }
}

/// A message without one of its fields.
fn without(message: &[u8], field: u32) -> Vec<u8> {
    let (mut rest, mut at) = (Vec::new(), 0);
    while at < message.len() {
        let begun = at;
        let key = varint(message, &mut at);
        if key & 7 == 2 {
            let length = usize::try_from(varint(message, &mut at)).unwrap();
            at += length;
        } else {
            varint(message, &mut at);
        }
        if key >> 3 != u64::from(field) {
            rest.extend_from_slice(&message[begun..at]);
        }
    }
    rest
}

/// A message in which this field holds a message in which it holds a message...
fn nested(field: u32, depth: usize) -> Writer {
    let mut inner = Writer::default();
    for _ in 0..depth {
        let mut outer = Writer::default();
        outer.message(field, &inner);
        inner = outer;
    }
    inner
}

/// What one field may be poisoned with.
fn poisoned(field: u32) -> Vec<(&'static str, Vec<u8>)> {
    let written = |write: &dyn Fn(&mut Writer)| {
        let mut writer = Writer::default();
        write(&mut writer);
        writer.into_bytes()
    };
    let many = |prefix: &str, value: &str| {
        written(&|writer| {
            for number in 0..1_500 {
                writer.pair(field, &format!("{prefix}{number}"), value);
            }
        })
    };
    let fixed = |kind: u32, length: usize| {
        let mut bytes = written(&|writer| {
            writer.number(field, 1);
        });
        bytes.pop();
        // The key's wire type is in its first three bits.
        bytes[0] |= u8::try_from(kind).unwrap();
        bytes.resize(bytes.len() + length, 7);
        bytes
    };
    let text = |text: &[u8]| {
        written(&|writer| {
            writer.bytes(field, text);
        })
    };
    vec![
        ("missing", Vec::new()),
        ("empty", text(b"")),
        (
            "negative",
            written(&|writer| {
                writer.number(field, u64::MAX);
            }),
        ),
        (
            "above 2^63",
            written(&|writer| {
                writer.number(field, (1 << 63) + 1);
            }),
        ),
        ("fixed64", fixed(1, 8)),
        ("fixed32", fixed(5, 4)),
        ("a group", fixed(3, 0)),
        ("not UTF-8", text(b"\xff\xfe")),
        ("too long", text(&vec![b'x'; 300_000])),
        ("too many", many("note", "x")),
        ("too many that decide", many("evictd.", "x")),
        ("too many names", text(b"\x0a\x01x").repeat(1_500)),
        (
            "nested",
            written(&|writer| {
                writer.message(field, &nested(1, 2_000));
            }),
        ),
        (
            "cut off within",
            [text(b"x"), vec![0x0a, 0x7f, b'x']].concat(),
        ),
    ]
}

/// What an item may be replaced by, each with its name.
fn poisons(good: &[u8], fields: u32) -> Vec<(String, Vec<u8>)> {
    let mut all = vec![
        ("nothing".to_owned(), Vec::new()),
        ("twice".to_owned(), good.repeat(2)),
        ("4 MiB of labels".to_owned(), {
            let mut long = Writer::default();
            long.pair(9, "evictd.note", &"x".repeat(4 << 20));
            [good, &long.into_bytes()].concat()
        }),
    ];
    for at in [1, 2, 10, 60, good.len() - 1] {
        let cut = good.get(..at).unwrap_or(good).to_vec();
        all.push((format!("cut off at {at}"), cut));
    }
    for field in 1..=fields {
        for (name, poison) in poisoned(field) {
            let instead = [without(good, field), poison.clone()].concat();
            all.push((format!("field {field}: {name}"), instead));
            let before = [&poison, good].concat();
            all.push((format!("field {field}: {name}, then the right one"), before));
        }
    }
    all
}

/// A list in which one item is replaced.
fn replaced(items: &[Writer], poison: &[u8]) -> Reply {
    let mut list = Writer::default();
    for (at, item) in items.iter().enumerate() {
        if at == BAD {
            list.bytes(1, poison);
        } else {
            list.message(1, item);
        }
    }
    Reply::Message(list.into_bytes())
}

/// Every container but the bad one, with its pod.
fn others(listing: &RuntimeListing, bad: &str) -> BTreeMap<String, (ListedContainer, RuntimePod)> {
    let others = listing.containers.iter().filter(|one| &*one.id != bad);
    let with_pod = |one: &ListedContainer| {
        let pod = listing.pods[one.pod].clone();
        let one = ListedContainer {
            pod: 0,
            ..one.clone()
        };
        (one.id.to_string(), (one, pod))
    };
    others.map(with_pod).collect()
}

/// A hundred pods with a container each, which runs.
struct Hundred {
    bench: Bench,
    sandboxes: Vec<&'static str>,
    containers: Vec<&'static str>,
}

impl Hundred {
    fn new(name: &str) -> Self {
        let (sandboxes, containers) = (ids('a'), ids('c'));
        let one = |(container_id, sandbox): (&&'static str, &&'static str)| {
            container(container_id, sandbox, RUNNING)
        };
        let bench = Bench::new(
            &format!("poison-{name}"),
            Node {
                sandboxes: sandboxes.iter().map(|id| sandbox(id, id, 5)).collect(),
                containers: containers.iter().zip(&sandboxes).map(one).collect(),
                statuses: containers
                    .iter()
                    .map(|id| (*id, status(RUNNING, 7)))
                    .collect(),
                images: ids('i').iter().map(|id| image(id, &["a:1"])).collect(),
                ..Node::default()
            },
        );
        for (at, id) in containers.iter().enumerate() {
            let pid = u32::try_from(at + 10).unwrap();
            bench.process(pid, &format!("kubepods/pod{}/{id}", sandboxes[at]));
            bench.node().statuses[at].1 = status(RUNNING, pid);
        }
        Self {
            bench,
            sandboxes,
            containers,
        }
    }

    fn instead(&self, method: &'static str, reply: Reply) {
        self.bench.node().instead = vec![(method, reply)];
    }
}

#[test]
fn one_bad_sandbox_or_container_of_a_hundred_costs_itself() {
    for method in ["ListPodSandbox", "ListContainers"] {
        let mut hundred = Hundred::new(method);
        let bad = hundred.containers[BAD];
        let right = others(&list(&mut hundred.bench), bad);
        assert_eq!(right.len(), 99);
        let items = match method {
            "ListPodSandbox" => hundred.bench.node().sandboxes.clone(),
            _ => hundred.bench.node().containers.clone(),
        };
        for (name, poison) in poisons(&bytes(&items[BAD]), 10) {
            hundred.instead(method, replaced(&items, &poison));
            let listing = hundred.bench.runtime.list();
            let listing = listing.unwrap_or_else(|error| panic!("{method}: {name}: {error}"));
            assert!(others(&listing, bad) == right, "{method}: {name}");
            if ["nothing", "field 1: not UTF-8", "field 1: too long"].contains(&&*name) {
                let said = format!("{method}: 1 without a readable id passed over");
                assert!(
                    listing.notes[0].contains(&said),
                    "{name}: {:?}",
                    listing.notes
                );
            }
        }
        assert!(hundred.sandboxes.len() == 100);
    }
}

#[test]
fn one_bad_status_of_a_hundred_costs_itself() {
    let mut hundred = Hundred::new("status");
    let bad = hundred.containers[BAD];
    let right = others(&list(&mut hundred.bench), bad);
    let Reply::Message(good) = status(RUNNING, 60) else {
        panic!("a message");
    };
    // Of the response two fields, and of the status within it all.
    let mut all = Vec::new();
    for (name, poison) in poisons(&good, 2) {
        all.push((name, poison));
    }
    let mut within = Writer::default();
    within.number(3, RUNNING).text(15, "/log");
    for (name, poison) in poisons(&bytes(&within), 17) {
        let mut response = Writer::default();
        response.bytes(1, &poison).pair(2, "info", "{\"pid\":60}");
        all.push((format!("status: {name}"), response.into_bytes()));
    }
    for json in [
        "{\"pid\":-1}",
        "{\"pid\":18446744073709551615}",
        "{\"pid\":",
        "\u{1}",
        "[[[[",
    ] {
        let mut response = Writer::default();
        response.message(1, &within).pair(2, "info", json);
        all.push((format!("info: {json}"), response.into_bytes()));
    }
    for (name, poison) in all {
        // Asked again, as it is another container's state each time.
        for state in [2, RUNNING] {
            hundred.bench.node().containers[BAD] = container(bad, hundred.sandboxes[BAD], state);
            hundred.bench.node().statuses[BAD].1 = Reply::Message(poison.clone());
            let listing = hundred.bench.runtime.list();
            let listing = listing.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(others(&listing, bad) == right, "{name}");
            let known = listing.containers.iter().find(|one| &*one.id == bad);
            assert!(known.is_some(), "{name}: it is in the list all the same");
        }
    }
}

fn bytes(message: &Writer) -> Vec<u8> {
    message.clone().into_bytes()
}

/// A dead mount or a missing plugin: the runtime never answers for one container.
#[test]
fn one_hanging_container_of_a_hundred_costs_itself() {
    let mut hundred = Hundred::new("hanging");
    let bad = hundred.containers[BAD];
    let right = others(&list(&mut hundred.bench), bad);
    let mut hundred = Hundred::new("hanging-anew");
    for reply in [Reply::Nothing, Reply::Bytes(Vec::new())] {
        hundred.bench.node().statuses[BAD].1 = reply;
        let listing = list(&mut hundred.bench);
        assert!(others(&listing, bad) == right);
        let known = listing.containers.iter().find(|one| &*one.id == bad);
        let known = known.expect("it is in the list all the same");
        assert_eq!(&*listing.pods[known.pod].running, [bad.into()]);
        assert_eq!(listing.notes.len(), 1, "{:?}", listing.notes);
        assert!(listing.notes[0].contains(bad) && listing.notes[0].contains("no answer"));
    }
    // Once it answers it is known.
    hundred.bench.node().statuses[BAD].1 = status(RUNNING, u32::try_from(BAD + 10).unwrap());
    let listing = list(&mut hundred.bench);
    assert!(listing.notes.is_empty(), "{:?}", listing.notes);
    let known = listing.containers.iter().find(|one| &*one.id == bad);
    assert!(known.unwrap().cgroup.is_some());
}

/// However many hang, those that do not are asked.
#[test]
fn hanging_containers_are_asked_last() {
    let mut hundred = Hundred::new("hang");
    for at in 0..8 {
        hundred.bench.node().statuses[at].1 = Reply::Nothing;
    }
    let known = |hundred: &mut Hundred| {
        let listing = list(&mut hundred.bench);
        assert_eq!((listing.pods.len(), listing.containers.len()), (100, 100));
        let known = listing.containers.iter().filter(|one| one.cgroup.is_some());
        known.count()
    };
    assert!((0..5).any(|_| known(&mut hundred) == 92));
}

#[test]
fn a_bad_answer_about_an_image_volume_costs_that_volume() {
    let mut poisons = poisons(&bytes(&image(IMAGE, &["a:1"])), 8);
    poisons.push(("hanging".into(), Vec::new()));
    let mut hundred = Hundred::new("volume");
    let bad = hundred.containers[BAD];
    let [mut response, mut told, mut mount, mut spec] = [(); 4].map(|()| Writer::default());
    spec.text(1, "model:1");
    mount.text(1, "/models").number(3, 1).message(9, &spec);
    told.number(3, RUNNING).message(14, &mount);
    response.message(1, &told).pair(2, "info", "{\"pid\":60}");
    hundred.bench.node().statuses[BAD].1 = Reply::Message(response.into_bytes());
    for (name, poison) in poisons {
        let mut answer = Writer::default();
        answer.bytes(1, &poison);
        let answer = match &*name {
            "hanging" => Reply::Nothing,
            _ => Reply::Message(answer.into_bytes()),
        };
        hundred.instead("ImageStatus", answer);
        // In another state it is asked again.
        for state in [2, RUNNING] {
            let sandbox = hundred.sandboxes[BAD];
            hundred.bench.node().containers[BAD] = container(bad, sandbox, state);
            let listing = hundred.bench.runtime.list();
            let listing = listing.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(others(&listing, bad).len(), 99, "{name}");
            let known = listing.containers.iter().find(|one| &*one.id == bad);
            assert!(known.unwrap().cgroup.is_some(), "{name}");
        }
    }
}

#[test]
fn one_bad_image_of_a_hundred_costs_itself() {
    let mut hundred = Hundred::new("images");
    let items = hundred.bench.node().images.clone();
    let images = |hundred: &mut Hundred, name: &str| {
        let images = hundred.bench.runtime.images();
        let mut images = images.unwrap_or_else(|error| panic!("{name}: {error}"));
        let of_others: Vec<&str> = ids('i')
            .into_iter()
            .filter(|id| *id != ids('i')[BAD])
            .collect();
        images.retain(|image| of_others.contains(&&*image.id));
        images
    };
    let right = images(&mut hundred, "right");
    assert_eq!(right.len(), 99);
    for (name, poison) in poisons(&bytes(&items[BAD]), 8) {
        hundred.instead("ListImages", replaced(&items, &poison));
        assert!(images(&mut hundred, &name) == right, "{name}");
    }
}

/// A name that cannot be read may be one that is to stay.
#[test]
fn an_image_with_names_that_cannot_be_read_stays() {
    let mut hundred = Hundred::new("names");
    let items = hundred.bench.node().images.clone();
    for (name, poison) in poisons(&bytes(&items[BAD]), 3) {
        if !name.contains("field 2") && !name.contains("field 3") {
            continue;
        }
        hundred.instead("ListImages", replaced(&items, &poison));
        let images = hundred.bench.runtime.images().unwrap();
        let bad = images.iter().find(|image| image.id == ids('i')[BAD]);
        let Some(bad) = bad else {
            let breaks_off = name.contains("a group") || name.contains("cut off within, then");
            assert!(breaks_off, "{name}: its id is there");
            continue;
        };
        let is_said = !list(&mut hundred.bench).notes.is_empty();
        assert_eq!(bad.pinned, is_said, "{name}");
        let is_lost = name.contains("UTF-8") || name.contains("too long");
        assert!(bad.pinned || !is_lost, "{name}");
    }
}

#[test]
fn one_bad_measure_of_a_hundred_costs_itself() {
    let mut hundred = Hundred::new("stats");
    let stats = |id: &&str| {
        let [mut stats, mut who, mut layer, mut used] = [(); 4].map(|()| Writer::default());
        who.text(1, id);
        used.number(1, 4096);
        layer.message(3, &used);
        stats.message(1, &who).message(4, &layer);
        stats
    };
    let items: Vec<Writer> = hundred.containers.iter().map(stats).collect();
    let listing = list(&mut hundred.bench);
    for (name, poison) in poisons(&bytes(&items[BAD]), 5) {
        hundred.instead("ListContainerStats", replaced(&items, &poison));
        let mut measured = listing.clone();
        let done = hundred.bench.runtime.measure_layers(&mut measured);
        done.unwrap_or_else(|error| panic!("{name}: {error}"));
        let used = WritableLayer::Used {
            bytes: 4096,
            inodes: None,
        };
        let known = measured.containers.iter().filter(|one| one.layer == used);
        assert!(known.count() >= 99, "{name}");
    }
}

/// Where an answer is about one thing, a bad field of it costs that field.
#[test]
fn a_bad_field_about_the_runtime_costs_that_field() {
    let mut hundred = Hundred::new("about");
    let mut version = Writer::default();
    version
        .text(1, "0.1.0")
        .text(3, "1.6")
        .text(2, "containerd");
    for (name, poison) in poisons(&bytes(&version), 4) {
        hundred.instead("Version", Reply::Message(poison));
        let said = hundred.bench.runtime.version();
        let said = said.unwrap_or_else(|error| panic!("{name}: {error}"));
        let breaks_off = ["field 3", "a group", "cut off", "nothing"];
        if !breaks_off.iter().any(|it| name.contains(it)) {
            assert!(said.ends_with("1.6"), "{name}: {said}");
        }
    }
    let usage = |path: &str| {
        let (mut usage, mut mount) = (Writer::default(), Writer::default());
        mount.text(1, path);
        usage.number(1, 1).message(2, &mount);
        usage
    };
    for (name, poison) in poisons(&bytes(&usage("/bad")), 4) {
        let mut info = Writer::default();
        info.bytes(2, &poison);
        for _ in 0..99 {
            info.message(1, &usage("/var/lib/overlay-images"));
        }
        hundred.instead("ImageFsInfo", Reply::Message(info.into_bytes()));
        let disks = hundred.bench.runtime.disks();
        let disks = disks.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(disks.driver, "overlay", "{name}");
    }
}

/// The configuration and what is told of a sandbox say which image stays.
#[test]
fn a_bad_word_about_the_sandboxes_image_costs_itself() {
    let mut hundred = Hundred::new("config");
    let mut right = Writer::default();
    right.pair(
        2,
        "config",
        &format!("{{\"sandboxImage\":\"{}\"}}", ids('i')[7]),
    );
    for method in ["Status", "PodSandboxStatus"] {
        for (name, poison) in poisons(&bytes(&right), 3) {
            hundred.instead(method, Reply::Message(poison));
            let images = hundred.bench.runtime.images();
            let images = images.unwrap_or_else(|error| panic!("{method}: {name}: {error}"));
            assert_eq!(images.len(), 100, "{method}: {name}");
        }
    }
}

/// Acceptance row 196.
#[test]
fn of_what_has_ended_the_oldest_is_kept_and_of_what_runs_all() {
    let mut bench = Bench::new("dead", Node::default());
    let id = |at: u64| &*format!("{at:064}").leak();
    let dead = |at: u64| {
        let mut one = container(id(at), "", 2);
        one.number(7, 1_000_000 - at)
            .text(10, &format!("sha256:{at:064}"));
        one
    };
    let running = id(9_999);
    bench.node().containers = (0..5_000).map(dead).collect();
    bench
        .node()
        .containers
        .push(container(running, "", RUNNING));
    bench.node().instead = vec![("ContainerStatus", status(2, 0))];
    let listing = list(&mut bench);
    assert_eq!(listing.containers.len(), 4_097);
    let is_kept = |at: u64| listing.containers.iter().any(|one| &*one.id == id(at));
    assert!(is_kept(4_999) && is_kept(5_000 - 4_096) && is_kept(9_999));
    assert!(!is_kept(0) && !is_kept(903));
    assert_eq!(
        listing.notes,
        ["at least 900 containers that have ended are left out; the oldest are listed"]
    );
    // Their texts count too.
    for one in &mut bench.node().containers {
        one.pair(9, "evictd.protect", &"x".repeat(900));
    }
    let fewer = list(&mut bench);
    assert!((1_000..3_000).contains(&fewer.containers.len()));
    let is_kept = |at: u64| fewer.containers.iter().any(|one| &*one.id == id(at));
    assert!(is_kept(4_999) && is_kept(9_999) && !is_kept(904));
    // An image that one of them was made from stays.
    let image = |at: u64| format!("sha256:{at:064}");
    let error = bench.runtime.remove_image(&image(3)).unwrap_err();
    assert_eq!(error.code(), Some(9));
    bench.runtime.remove_image(&image(10_000)).unwrap();
}
