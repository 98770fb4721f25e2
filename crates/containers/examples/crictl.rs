//! Pods and containers over CRI, for `ci/runtimes`: Debian has no crictl.
//!
//! ```text
//! crictl SOCKET version | pods | ps | images | fs
//! crictl SOCKET image NAME                fails where there is none of that name
//! crictl SOCKET runp NAME [KEY=VALUE...]  a sandbox, in the host's network; prints its id
//!        keys: uid namespace attempt cgroup-parent log-directory label:K annotation:K
//! crictl SOCKET create SANDBOX NAME IMAGE [KEY=VALUE...] [-- ARGUMENT...]   prints its id
//!        keys: attempt memory shares log mount=HOST:CONTAINER volume=IMAGE:CONTAINER label:K
//!        annotation:K
//! crictl SOCKET run ...                   create and start
//! crictl SOCKET start|rm CONTAINER, stop CONTAINER [SECONDS]
//! crictl SOCKET stopp|rmp SANDBOX, rmi IMAGE
//! ```
//!
//! What a sandbox was made with is kept beside the socket, because the runtime
//! wants it again for each container.

use core::error::Error;
use core::time::Duration;
use std::path::Path;
use std::time::Instant;
use std::{env, fs, io};

use evictd_containers::cri::{Client, Reader, Writer};
use evictd_containers::{ContainerRuntime, CriRuntime, RuntimePod};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let words: Vec<String> = env::args().skip(1).collect();
    let Some((socket, [command, words @ ..])) = words.split_first() else {
        return Err("usage: crictl SOCKET COMMAND ARGUMENT...".into());
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut tool = Tool {
        client: Client::new(Path::new(socket), Duration::from_secs(60)),
        runtime: CriRuntime::new(Path::new(socket)),
        socket,
    };
    match (command.as_str(), words.as_slice()) {
        ("runp", [name, keys @ ..]) => tool.run_sandbox(name, keys),
        ("create", words) => tool.create(words).map(|id| println!("{id}")),
        ("run", words) => {
            let id = tool.create(words)?;
            tool.start(&id)?;
            println!("{id}");
            Ok(())
        }
        ("start", [id]) => tool.start(id),
        ("stop", [id]) => tool.stop(id, 0),
        ("stop", [id, seconds]) => tool.stop(id, seconds.parse()?),
        ("stopp", [id]) => tool.act("StopPodSandbox", id),
        ("rmp", [id]) => tool.act("RemovePodSandbox", id),
        ("rm", [id]) => tool.act("RemoveContainer", id),
        ("rmi", [id]) => Ok(tool.runtime.remove_image(id)?),
        ("image", [name]) => tool.image(name),
        (command, []) => show(&mut tool.runtime, command),
        (command, _) => Err(format!("no command {command} with these arguments").into()),
    }
}

fn show(runtime: &mut CriRuntime, command: &str) -> Outcome {
    match command {
        "version" => println!("{}", runtime.version()?),
        "pods" => println!("{:#?}", runtime.list()?.sandboxes),
        "ps" => println!("{:#?}", runtime.list()?.containers),
        "images" => println!("{:#?}", runtime.images()?),
        "fs" => println!("{:#?}", runtime.disks()?),
        command => return Err(format!("no command {command}").into()),
    }
    Ok(())
}

struct Tool<'a> {
    client: Client,
    runtime: CriRuntime,
    socket: &'a str,
}

impl Tool<'_> {
    fn run_sandbox(&mut self, name: &str, keys: &[&str]) -> Outcome {
        let mut config = Writer::default();
        let mut linux = Writer::default();
        let uid = key(keys, "uid").unwrap_or(name);
        let namespace = key(keys, "namespace").unwrap_or("default");
        let mut metadata = Writer::default();
        metadata.text(1, name).text(2, uid).text(3, namespace);
        metadata.number(4, key(keys, "attempt").unwrap_or("0").parse()?);
        config.message(1, &metadata);
        config.text(3, key(keys, "log-directory").unwrap_or_default());
        config.pair(6, "io.kubernetes.pod.name", name);
        config.pair(6, "io.kubernetes.pod.namespace", namespace);
        config.pair(6, "io.kubernetes.pod.uid", uid);
        pairs(&mut config, 6, keys, "label:");
        pairs(&mut config, 7, keys, "annotation:");
        linux.text(1, key(keys, "cgroup-parent").unwrap_or_default());
        let mut security = Writer::default();
        security.message(1, &namespaces());
        linux.message(2, &security);
        config.message(8, &linux);
        let mut request = Writer::default();
        request.message(1, &config);
        let method = "/runtime.v1.RuntimeService/RunPodSandbox";
        let id = self.client.call(method, request, first_text)?;
        fs::write(self.kept(&id), config.into_bytes())?;
        println!("{id}");
        Ok(())
    }

    fn kept(&self, sandbox: &str) -> String {
        format!("{}.{sandbox}", self.socket)
    }

    fn create(&mut self, words: &[&str]) -> Result<String, Box<dyn Error>> {
        let mut parts = words.splitn(2, |word| *word == "--");
        let (before, arguments) = (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        );
        let [sandbox, name, image, keys @ ..] = before else {
            return Err("create SANDBOX NAME IMAGE".into());
        };
        let mut config = Writer::default();
        let mut metadata = Writer::default();
        metadata.text(1, name);
        metadata.number(2, key(keys, "attempt").unwrap_or("0").parse()?);
        let mut spec = Writer::default();
        spec.text(1, image);
        config.message(1, &metadata).message(2, &spec);
        for argument in arguments {
            config.bytes(4, argument.as_bytes());
        }
        if let Some((host, container)) = key(keys, "mount").and_then(|both| both.split_once(':')) {
            let mut mount = Writer::default();
            mount.text(1, container).text(2, host);
            config.message(7, &mount);
        }
        if let Some((image, path)) = key(keys, "volume").and_then(|both| both.rsplit_once(':')) {
            let (mut mount, mut spec) = (Writer::default(), Writer::default());
            spec.text(1, image);
            mount.text(1, path).number(3, 1).message(9, &spec);
            config.message(7, &mount);
        }
        config.pair(9, "io.kubernetes.container.name", name);
        pairs(&mut config, 9, keys, "label:");
        pairs(&mut config, 10, keys, "annotation:");
        config.text(11, key(keys, "log").unwrap_or_default());
        let (mut linux, mut resources, mut security) =
            (Writer::default(), Writer::default(), Writer::default());
        resources.number(3, key(keys, "shares").unwrap_or("0").parse()?);
        resources.number(4, key(keys, "memory").unwrap_or("0").parse()?);
        security.message(3, &namespaces());
        linux.message(1, &resources).message(2, &security);
        config.message(15, &linux);
        let mut request = Writer::default();
        request.text(1, sandbox).message(2, &config);
        request.bytes(3, &fs::read(self.kept(sandbox))?);
        let method = "/runtime.v1.RuntimeService/CreateContainer";
        Ok(self.client.call(method, request, first_text)?)
    }

    fn start(&mut self, id: &str) -> Outcome {
        self.act("StartContainer", id)
    }

    /// A call about one thing.
    fn act(&mut self, call: &str, id: &str) -> Outcome {
        let mut request = Writer::default();
        request.text(1, id);
        let method = format!("/runtime.v1.RuntimeService/{call}");
        Ok(self.client.call(&method, request, |_| Ok(()))?)
    }

    /// Prints how many milliseconds it took.
    fn stop(&mut self, id: &str, seconds: u64) -> Outcome {
        let begun = Instant::now();
        let mut pod = RuntimePod::default();
        pod.running.push(id.into());
        self.runtime.end_pod(&pod, Duration::from_secs(seconds))?;
        println!("{}", begun.elapsed().as_millis());
        Ok(())
    }

    fn image(&mut self, name: &str) -> Outcome {
        let images = self.runtime.images()?;
        let is_it = |known: &String| known == name;
        let found = images.iter().find(|image| image.tags.iter().any(is_it));
        let id = &found.ok_or_else(|| format!("no image {name}"))?.id;
        println!("{id}");
        Ok(())
    }
}

/// The host's network, processes of its own.
fn namespaces() -> Writer {
    let mut options = Writer::default();
    options.number(1, 2).number(2, 1);
    options
}

fn key<'a>(keys: &[&'a str], name: &str) -> Option<&'a str> {
    let value = |word: &&'a str| word.strip_prefix(name)?.strip_prefix('=');
    keys.iter().find_map(value)
}

fn pairs(config: &mut Writer, field: u32, keys: &[&str], prefix: &str) {
    for word in keys {
        if let Some((key, value)) = word
            .strip_prefix(prefix)
            .and_then(|rest| rest.split_once('='))
        {
            config.pair(field, key, value);
        }
    }
}

/// What the answer of each call that makes something begins with: its id.
fn first_text(answer: &mut Reader<'_>) -> io::Result<String> {
    let (whole, mut id) = (answer.whole(), String::new());
    answer.message(whole, &mut |reader, field, value| {
        if field == 1 {
            id = reader.shown(value)?;
        }
        Ok(())
    })?;
    Ok(id)
}
