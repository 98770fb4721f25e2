//! The daemon's local socket: the loop itself answers its requests, in idle moments.

mod server;

use alloc::sync::Arc;
use core::time::Duration;

use evictd_client::{HeldBack, Response, SOCKET, View};
use evictd_config::Resolved;
use evictd_exposition::page;
use evictd_machine::engine::Engine;
use evictd_node::{Condition, Mono};
use evictd_sys::{Directory, Token, Watch};

use crate::daemon::memory::Memory;
use crate::daemon::reload::Reloads;
use server::{Method, Server};

/// A connection or a request has arrived at the socket.
pub(crate) const LOCAL: Token = Token(u32::MAX - 1);

/// The socket, where there is one.
pub(crate) struct Local {
    server: Option<Server>,
    /// Held for as long as the server may remove its socket there.
    _directory: Option<Arc<Directory>>,
    view: View,
    /// Whether [`LOCAL`] was reported since the last turn.
    pub(crate) is_ready: bool,
}

impl Local {
    /// Listens in the state directory, if that is ours.
    pub(crate) fn open(settings: &Resolved, memory: &Memory, watch: &mut Watch) -> Self {
        let listen = |directory: &Arc<Directory>| {
            let server = Server::listen(&directory.path_to(SOCKET));
            server
                .map_err(|error| { log::warn!(event = "problem", about = "socket"; "{SOCKET} in --state-dir: {error}; there are no metrics and no timing") })
                .ok()
        };
        let directory = memory.directory();
        let server = directory.and_then(listen);
        if let Some(server) = &server {
            // Without it the socket is looked at by its deadlines alone.
            let _ = watch.add(server, LOCAL);
        }
        Self {
            server,
            _directory: directory.cloned(),
            view: View::of_settings(settings),
            is_ready: false,
        }
    }

    /// When [`answer`](Self::answer) is due though [`LOCAL`] is not reported.
    pub(crate) fn deadline(&self) -> Option<Mono> {
        self.server.as_ref().and_then(Server::deadline)
    }

    /// These settings are in force now.
    pub(crate) fn follow(&mut self, settings: &Resolved) {
        self.view = View::of_settings(settings);
    }

    /// Answers one request, if there is one.
    pub(crate) fn answer(
        &mut self,
        now: Mono,
        (engine, memory): (&mut Engine, &Memory),
        reloads: &mut Reloads,
    ) {
        let is_due = self.deadline().is_some_and(|deadline| now >= deadline);
        if let Some(server) = &mut self.server
            && (core::mem::take(&mut self.is_ready) || is_due)
        {
            let view = &self.view;
            server.turn(now, &mut |method, path| match (method, path) {
                (Method::Post, "/reload") => {
                    let before = reloads.in_text();
                    reloads.begin(now);
                    Response::of_text(before)
                }
                (Method::Get, "/reload") => {
                    Response::takes_only("POST", "it changes the settings in force: POST /reload\n")
                }
                (Method::Get, "/reloaded") => Response::of_text(reloads.in_text()),
                (Method::Get, _) => answer(now, path, (&mut *engine, memory), view),
                (Method::Post, _) => Response::takes_only(
                    "GET",
                    "only /reload changes anything: all others are asked for by GET\n",
                ),
            });
        }
    }
}

fn answer(
    now: Mono,
    path: &str,
    (engine, memory): (&mut Engine, &Memory),
    view: &View,
) -> Response {
    match path {
        "/metrics" => Response::found("text/plain; version=0.0.4", page(engine, memory.counts())),
        "/timing" => Response::of_text(engine.timing().in_text()),
        "/timing.json" => Response::found("application/json", engine.timing().in_json()),
        "/view.json" => {
            let verdicts = engine.verdicts(now);
            let pod = engine.evict().proposed();
            let gate = engine.held_back_by();
            let held_back = gate.map(|gate| HeldBack::new(&gate, pod, &verdicts));
            let answer = view.in_json(
                engine.evict().thresholds(),
                reported(engine, now),
                engine.readings(),
                (&verdicts, held_back),
            );
            Response::found("application/json", answer)
        }
        "/healthz" => Response::of_text(String::from("ok\n")),
        _ => Response::not_found(
            "there are /metrics, /timing, /timing.json, /view.json, /reload, /reloaded and \
             /healthz\n",
        ),
    }
}

/// The conditions, and how long each lasts if no threshold is met again.
fn reported(engine: &Engine, now: Mono) -> impl Iterator<Item = (Condition, Duration)> {
    let left = move |of| engine.evict().reported_for(of, now);
    Condition::ALL
        .into_iter()
        .filter_map(move |of| Some((of, left(of)?)))
}

#[cfg(test)]
mod tests;
