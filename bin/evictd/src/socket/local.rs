//! The daemon's local socket: who asks it is answered by the loop itself, in its
//! idle moments.

use core::time::Duration;
use std::path::{Path, PathBuf};

use crate::socket::{Answer, Server, get, remark};
use evictd_config::Resolved;
use evictd_node::Mono;
use evictd_sys::{Token, Watch};

use crate::engine::Engine;
use crate::memory::Memory;
use crate::metrics;

/// How long who asks waits for the daemon, which may be ending a pod.
const WAIT: Duration = Duration::from_secs(5);

/// Somebody at the socket wants something.
pub(crate) const LOCAL: Token = Token(u32::MAX - 1);

/// The socket, where there is one.
pub(crate) struct Local {
    server: Option<Server>,
    /// The kernel says that somebody wants something.
    pub(crate) called: bool,
}

impl Local {
    /// Listens in the state directory, if that is ours.
    pub(crate) fn open(settings: &Resolved, memory: &Memory, watch: &mut Watch) -> Self {
        let directory = settings.state_dir.as_deref();
        let mut server = None;
        if let Some(directory) = directory.filter(|_| memory.holds_directory()) {
            let path = path_in(directory);
            server = Server::listen(&path)
                .map_err(|error| { log::warn!(event = "problem", about = "socket"; "{}: {error}; nobody can ask there", path.display()) })
                .ok();
        }
        if let Some(server) = &server {
            // What cannot be watched is never called.
            let _ = watch.add(server, LOCAL);
        }
        Self {
            server,
            called: false,
        }
    }

    /// By when to come back though nobody may call.
    pub(crate) fn deadline(&self) -> Option<Mono> {
        self.server.as_ref().and_then(Server::deadline)
    }

    /// Gives one answer, if somebody asks.
    pub(crate) fn answer(&mut self, now: Mono, engine: &Engine, memory: &Memory) {
        let is_due = self.deadline().is_some_and(|deadline| now >= deadline);
        if let Some(server) = &mut self.server
            && (core::mem::take(&mut self.called) || is_due)
        {
            server.turn(now, &mut |path| answer(path, engine, memory));
        }
    }
}

fn answer(path: &str, engine: &Engine, memory: &Memory) -> Answer {
    const TEXT: &str = "text/plain";
    let (media, text) = match path {
        "/metrics" => (
            "text/plain; version=0.0.4",
            metrics::page(engine, memory.evictions()),
        ),
        "/timing" => (TEXT, engine.timing().in_text()),
        "/timing.json" => ("application/json", engine.timing().in_json()),
        "/healthz" => (TEXT, String::from("ok\n")),
        _ => {
            let text = "there are /metrics, /timing, /timing.json and /healthz\n";
            return Answer {
                found: false,
                media: TEXT,
                text: text.to_owned(),
            };
        }
    };
    Answer {
        found: true,
        media,
        text,
    }
}

fn path_in(directory: &Path) -> PathBuf {
    directory.join("evictd.sock")
}

/// Asks the daemon that runs with the same `--state-dir`.
pub(crate) fn ask(settings: &Resolved, path: &str) -> Result<String, String> {
    let directory = settings.state_dir.as_deref();
    let directory = directory.ok_or("with an empty --state-dir the daemon has no socket to ask")?;
    let socket = path_in(directory);
    get(&socket, path, WAIT)
        .map_err(|error| format!("{}: {error}{}", socket.display(), remark(error)))
}
