//! One item of a hundred is replaced by what makes no sense: the other ninety-nine stay as
//! they are. Here is what makes no sense.

mod containers;
mod images;

use alloc::collections::BTreeMap;

use super::{Bench, Node, RUNNING, container, image, sandbox, status};
use crate::cri::Writer;
use crate::cri::fake::Reply;
use crate::{ListedContainer, RuntimeListing, RuntimePod};

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
            bench.process(
                pid,
                &format!("kubepods/burstable/pod{}/{id}", sandboxes[at]),
            );
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

fn bytes(message: &Writer) -> Vec<u8> {
    message.clone().into_bytes()
}
