//! The backend against a runtime that answers what a test wants.

mod acting;
mod calls;
mod details;
mod events;
mod hpack;
mod listing;
mod messages;
mod poison;

use alloc::sync::Arc;
use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::cri::fake::{Fake, Reply};
use crate::cri::{Reader, Writer};

use super::CriRuntime;

/// What the runtime holds, as messages.
#[derive(Default)]
struct Node {
    sandboxes: Vec<Writer>,
    containers: Vec<Writer>,
    images: Vec<Writer>,
    stats: Vec<Writer>,
    /// Answers to `ContainerStatus`, by id; others do not exist.
    statuses: Vec<(&'static str, Reply)>,
    /// The JSON of `Status` and of each `PodSandboxStatus`.
    config: &'static str,
    sandbox_info: &'static str,
    fs_info: Writer,
    /// What is answered to these methods instead.
    instead: Vec<(&'static str, Reply)>,
    /// Ids, and timeouts, of calls that act.
    acts: Vec<String>,
}

impl Node {
    fn answer(&mut self, method: &str, request: &[u8]) -> Reply {
        let (id, number) = id_and_number(request);
        if !method.starts_with("List") && !method.ends_with("Status") {
            self.acts.push(format!("{method} {id} {number}"));
        }
        let instead = self.instead.iter().find(|(name, _)| *name == method);
        if let Some((_, reply)) = instead {
            return reply.clone();
        }
        match method {
            "ListPodSandbox" => list(&self.sandboxes),
            "ListContainers" => list(&self.containers),
            "ListImages" => list(&self.images),
            "ListContainerStats" => list(&self.stats),
            "ContainerStatus" => {
                let status = self.statuses.iter().find(|(name, _)| *name == id);
                let none = Reply::Status(5, "not found");
                status.map_or(none, |(_, reply)| reply.clone())
            }
            "Status" => info("config", self.config),
            "PodSandboxStatus" => info("info", self.sandbox_info),
            "ImageFsInfo" => Reply::Message(self.fs_info.clone().into_bytes()),
            _ => Reply::Message(Vec::new()),
        }
    }
}

fn id_and_number(mut request: &[u8]) -> (String, u64) {
    let (mut id, mut count) = (String::new(), 0);
    let length = request.len();
    let mut reader = Reader::new(&mut request, length);
    let whole = reader.whole();
    reader
        .message(whole, &mut |reader, field, value| {
            match field {
                1 => id = reader.shown(value)?,
                2 => count = reader.number(value).unwrap_or(0),
                _ => {}
            }
            Ok(())
        })
        .unwrap();
    (id, count)
}

fn list(items: &[Writer]) -> Reply {
    let mut list = Writer::default();
    for item in items {
        list.message(1, item);
    }
    Reply::Message(list.into_bytes())
}

fn info(key: &str, json: &str) -> Reply {
    let mut answer = Writer::default();
    answer.pair(2, key, json);
    Reply::Message(answer.into_bytes())
}

/// A runtime with its client, and a `/proc` of a test's own.
struct Bench {
    fake: Fake,
    node: Arc<Mutex<Node>>,
    runtime: CriRuntime,
    proc: PathBuf,
}

impl Bench {
    fn new(name: &str, node: Node) -> Self {
        let node = Arc::new(Mutex::new(node));
        let held = Arc::clone(&node);
        let fake = Fake::start(&format!("backend-{name}"), move |method, request| {
            held.lock().unwrap().answer(method, request)
        });
        let proc = fake.socket().with_file_name("proc");
        fs::create_dir(&proc).unwrap();
        let runtime = CriRuntime::with(&fake.socket(), &proc, Duration::from_secs(20));
        Self {
            fake,
            node,
            runtime,
            proc,
        }
    }

    /// A process in a cgroup.
    fn process(&self, pid: u32, cgroup: &str) -> &Self {
        write(&self.proc.join(pid.to_string()), cgroup);
        self
    }

    fn node(&self) -> std::sync::MutexGuard<'_, Node> {
        self.node.lock().unwrap()
    }

    fn acts(&self) -> Vec<String> {
        core::mem::take(&mut self.node().acts)
    }
}

fn write(process: &Path, cgroup: &str) {
    fs::create_dir_all(process).unwrap();
    let text = format!("4:memory:/{cgroup}\n0::/elsewhere\n");
    fs::write(process.join("cgroup"), text).unwrap();
}

const RUNNING: u64 = 1;
const EXITED: u64 = 2;

/// Ids as long as they are.
const WEB: &str = "webwebwebwebwebwebwebwebwebwebwebwebwebwebwebwebwebwebwebwebwebweb0";
const DB: &str = "dbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdbdb00";
const IMAGE: &str = "sha256:1111111111111111111111111111111111111111111111111111111111111111";

fn sandbox(id: &str, uid: &str, created: u64) -> Writer {
    let (mut sandbox, mut metadata) = (Writer::default(), Writer::default());
    metadata
        .text(1, &format!("pod-{uid}"))
        .text(2, uid)
        .text(3, "shop");
    sandbox.text(1, id).message(2, &metadata).number(4, created);
    sandbox
}

fn container(id: &str, sandbox: &str, state: u64) -> Writer {
    let (mut container, mut metadata) = (Writer::default(), Writer::default());
    metadata.text(1, "main").number(2, 2);
    container.text(1, id).text(2, sandbox).message(3, &metadata);
    container.text(5, IMAGE).number(6, state).number(7, 70);
    container
}

fn status(state: u64, pid: u32) -> Reply {
    status_of(state, pid, &Writer::default())
}

fn status_of(state: u64, pid: u32, linux: &Writer) -> Reply {
    let (mut response, mut status, mut resources) =
        (Writer::default(), Writer::default(), Writer::default());
    resources.message(1, linux);
    status
        .number(3, state)
        .text(15, "/log")
        .message(16, &resources);
    if state == EXITED {
        status.number(6, 99);
    }
    response.message(1, &status);
    response.pair(
        2,
        "info",
        &format!("{{\"pid\":{pid},\"runtimeSpec\":{{}}}}"),
    );
    Reply::Message(response.into_bytes())
}

fn image(id: &str, tags: &[&str]) -> Writer {
    let mut image = Writer::default();
    image.text(1, id).number(4, 1000);
    for tag in tags {
        image.text(2, tag);
    }
    image
}
