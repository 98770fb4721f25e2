//! Pods and containers over CRI, for `ci/runtimes`: Debian has no crictl.
//!
//! ```text
//! crictl SOCKET version | config | pods | ps | images | stats | fs
//! crictl SOCKET image NAME                fails where there is none of that name
//! crictl SOCKET runp NAME [KEY=VALUE...]  a sandbox, in the host's network; prints its id
//!        keys: uid namespace attempt cgroup-parent log-directory label:K annotation:K
//! crictl SOCKET create SANDBOX NAME IMAGE [KEY=VALUE...] [-- ARGUMENT...]   prints its id
//!        keys: attempt memory shares log mount=HOST:CONTAINER label:K annotation:K
//! crictl SOCKET run ...                   create and start
//! crictl SOCKET start|rm|inspect CONTAINER, stop CONTAINER [SECONDS]
//! crictl SOCKET stopp|rmp|inspectp SANDBOX, rmi IMAGE
//! ```
//!
//! What a sandbox was made with is kept beside the socket, because the runtime
//! wants it again for each container.

use core::error::Error;
use core::time::Duration;
use std::path::Path;
use std::time::Instant;
use std::{env, fs};

use evictd_containers::cri_api::{Bytes, Cri, Value, Writer, parse_fields};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let words: Vec<String> = env::args().skip(1).collect();
    let Some((socket, [command, words @ ..])) = words.split_first() else {
        return Err("usage: crictl SOCKET COMMAND ARGUMENT...".into());
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut tool = Tool {
        cri: Cri::new(Path::new(socket), Duration::from_secs(60)),
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
        ("stopp", [id]) => Ok(tool.cri.stop_sandbox(id)?),
        ("rmp", [id]) => Ok(tool.cri.remove_sandbox(id)?),
        ("rm", [id]) => Ok(tool.cri.remove_container(id)?),
        ("rmi", [id]) => Ok(tool.cri.remove_image(id)?),
        ("image", [name]) => tool.image(name),
        (command, words) => show(&mut tool.cri, command, words),
    }
}

fn show(cri: &mut Cri, command: &str, words: &[&str]) -> Outcome {
    match (command, words) {
        ("version", []) => println!("{:?}", cri.version()?),
        ("config", []) => println!("{}", cri.config()?.unwrap_or_default()),
        ("pods", []) => println!("{:#?}", cri.sandboxes()?),
        ("ps", []) => println!("{:#?}", cri.containers()?),
        ("images", []) => println!("{:#?}", cri.images()?),
        ("stats", []) => println!("{:#?}", cri.layers()?),
        ("fs", []) => println!("{:#?}", cri.image_fs_info()?),
        ("inspect", [id]) => println!("{:#?}", cri.container_status(id, true)?),
        ("inspectp", [id]) => println!("{}", cri.sandbox_info(id)?.unwrap_or_default()),
        (command, _) => return Err(format!("no command {command} with these arguments").into()),
    }
    Ok(())
}

struct Tool<'a> {
    cri: Cri,
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
        let answer = self
            .cri
            .call("/runtime.v1.RuntimeService/RunPodSandbox", request)?;
        let id = first_text(&answer)?;
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
        let answer = self
            .cri
            .call("/runtime.v1.RuntimeService/CreateContainer", request)?;
        first_text(&answer)
    }

    fn start(&mut self, id: &str) -> Outcome {
        let mut request = Writer::default();
        request.text(1, id);
        self.cri
            .call("/runtime.v1.RuntimeService/StartContainer", request)?;
        Ok(())
    }

    /// Prints how many milliseconds it took.
    fn stop(&mut self, id: &str, seconds: u32) -> Outcome {
        let begun = Instant::now();
        self.cri.stop_containers(&[id.into()], seconds)?;
        println!("{}", begun.elapsed().as_millis());
        Ok(())
    }

    fn image(&mut self, name: &str) -> Outcome {
        let images = self.cri.images()?;
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
fn first_text(answer: &[u8]) -> Result<String, Box<dyn Error>> {
    let mut id = String::new();
    parse_fields(Bytes::new(answer), &mut |field, value| {
        if let (1, Value::Bytes(text)) = (field, value) {
            id = text.exact_text()?;
        }
        Ok(())
    })?;
    Ok(id)
}
