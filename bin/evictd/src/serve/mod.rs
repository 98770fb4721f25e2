//! Metrics and the Summary API over HTTP, in a process apart from the daemon.
//!
//! The daemon can reach no network, and what it answers at evictd.sock includes a reload: so
//! whoever is to read its numbers alone reads them here. The daemon starts this process where
//! a flag asks for it, and it ends with the daemon.

mod http;
mod places;

use core::time::Duration;
use std::io::{Read, Write, stderr, stdin};
use std::process::ExitCode;

use evictd_client::{Response, ask_within};
use evictd_config::Resolved;
use evictd_machine::summary::Summarizer;
use evictd_node::Mono;
use evictd_plain::{Plain, write_json};
use evictd_stats::now;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::sandbox;
use places::open_all;

/// What was measured is not measured again sooner, however often it is asked for.
const FRESH: Duration = Duration::from_secs(1);

/// Whoever scrapes the daemon's metrics waits no longer.
const WAIT: Duration = Duration::from_secs(2);

/// The process that the daemon starts, with its own flags behind this word; what a unit of an
/// init system starts beside a daemon that has no network.
pub(crate) const ARGUMENT: &str = "metrics-listener";

/// Between that word and the flags: end when standard input does.
pub(crate) const UNTIL_STDIN_ENDS: &str = "until-stdin-ends";

/// Serves at `--metrics-listen`, until it is ended.
///
/// # Errors
/// Why nothing is served there.
pub(crate) fn run(settings: &Resolved, until_stdin_ends: bool) -> Result<ExitCode, String> {
    // In ps it is called otherwise than the daemon.
    let _ = rustix::thread::set_name(c"evictd-serve");
    let places = open_all(
        &settings.output,
        &|length| pause(length, until_stdin_ends),
        &complain,
    )?;
    if places.is_empty() {
        return Err("nowhere to serve: give --metrics-listen".to_owned());
    }
    // Before the first thread and the first peer: whoever reaches a port is given nothing
    // but numbers, should this be taken over.
    sandbox::enter_to_look(&settings.daemon);
    if until_stdin_ends {
        std::thread::spawn(|| {
            let _ = stdin().read(&mut [0]);
            std::process::exit(0);
        });
    }
    let mut node = Node::new(settings);
    http::serve(places, &mut |path| node.answer(path))
}

/// Waits so long, and ends where it is to end meanwhile.
fn pause(length: Duration, until_stdin_ends: bool) {
    let length = Timespec::try_from(length).ok();
    let stdin = stdin();
    let mut ends = [PollFd::new(&stdin, PollFlags::IN)];
    let watched = if until_stdin_ends {
        ends.as_mut_slice()
    } else {
        &mut []
    };
    // Nothing is ever written to it.
    if poll(watched, length.as_ref()).is_ok_and(|ready| ready > 0) {
        std::process::exit(0);
    }
}

/// One line on stderr, which is the daemon's.
pub(crate) fn complain(problem: &str) {
    // Where even that cannot be written, nobody can be told.
    let _ = writeln!(stderr(), "evictd {ARGUMENT}: {}", Plain(problem));
}

/// What is known of the node, and since when.
struct Node<'a> {
    settings: &'a Resolved,
    summarizer: Option<Summarizer>,
    measured: Option<Mono>,
    summary: String,
    resource: String,
}

impl<'a> Node<'a> {
    const fn new(settings: &'a Resolved) -> Self {
        Self {
            settings,
            summarizer: None,
            measured: None,
            summary: String::new(),
            resource: String::new(),
        }
    }

    fn answer(&mut self, path: &str) -> Response {
        const METRICS: &str = "text/plain; version=0.0.4";
        match path {
            "/metrics" => match ask_within(&self.settings.paths, "/metrics", WAIT) {
                Ok(page) => Response::found(METRICS, page),
                Err(error) => unavailable(&error),
            },
            "/metrics/resource" => match self.measure() {
                Ok(()) => Response::found(METRICS, self.resource.clone()),
                Err(error) => unavailable(&error),
            },
            "/stats/summary" => match self.measure() {
                Ok(()) => Response::found("application/json", self.summary.clone()),
                Err(error) => unavailable(&error),
            },
            "/healthz" => Response::of_text("ok\n".to_owned()),
            _ => Response::not_found(
                "there are /metrics, /metrics/resource, /stats/summary and /healthz\n",
            ),
        }
    }

    /// Measures, where that is not fresh.
    fn measure(&mut self) -> Result<(), String> {
        if self.measured.is_some_and(|at| now().since(at) < FRESH) {
            return Ok(());
        }
        let summarizer = match &mut self.summarizer {
            Some(summarizer) => summarizer,
            None => self.summarizer.insert(Summarizer::new(self.settings)?),
        };
        let summary = summarizer.look();
        let mut text = Vec::new();
        write_json(&mut text, &summary).map_err(|error| error.to_string())?;
        self.summary = String::from_utf8(text).map_err(|error| error.to_string())? + "\n";
        self.resource = summary.in_metrics();
        self.measured = Some(now());
        Ok(())
    }
}

/// What is asked for cannot be had now, and why.
fn unavailable(why: &str) -> Response {
    Response::unavailable(&format!("{}\n", Plain(why)))
}
