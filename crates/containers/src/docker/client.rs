//! Calls of the Docker Engine API.

use alloc::collections::BTreeMap;
use core::time::Duration;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::time::Instant;

use super::about::{EngineInfo, EngineVersion, parse_info, parse_version};
use super::cache_usage::{CacheUsage, parse_pruned, parse_usage};
use super::details::{parse_details, parse_size};
use super::engine::Engine;
use super::http::{Body, read_response};
use super::images::{parse_image, parse_image_labels, parse_images};
use super::listed::{parse_listed, parse_uses};
use super::message::parse_message;
use super::podman::{PodmanPod, parse_pods};
use super::request::{IMAGES, Request};
use super::volumes::parse_volumes;
use crate::list::Listed;
use crate::pods::{Details, Found};
use crate::socket::{Deadline, Socket};
use crate::text::clean;
use crate::{Error, Failure, ListedImage, ListedVolume};

pub(super) type Connection = BufReader<Socket>;
type Answer = Body<Connection>;

/// How long an answer is waited for where the time of all questions asked together is over: it
/// may have come while another was waited for.
const AFTER_ALL: Duration = Duration::from_millis(20);

/// A client of one engine. Every call blocks, at most for its time limit, and has a
/// connection of its own: an engine that was started anew is not noticed.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) endpoint: String,
    socket: PathBuf,
    /// For each call as a whole, from connecting to the last byte of the answer, and for
    /// all calls that one list leads to.
    pub(super) limit: Duration,
}

impl Client {
    /// A client of the engine behind `socket`; nothing is opened yet.
    pub(super) fn new(socket: PathBuf, limit: Duration) -> Self {
        Self {
            endpoint: format!("unix://{}", socket.display()),
            socket,
            limit,
        }
    }

    pub(super) fn version(&self) -> Result<EngineVersion, Error> {
        self.get(&Request::new("GET", "/version", ""), parse_version)
    }

    pub(super) fn info(&self) -> Result<EngineInfo, Error> {
        self.get(&Request::new("GET", "/info", ""), parse_info)
    }

    /// All containers, in every state; their labels are as they were listed.
    pub(super) fn containers(&self) -> Result<Listed<Found>, Error> {
        self.get(&all_containers(), parse_listed)
    }

    /// The name of a container that was made from this image, or may have been.
    pub(super) fn user_of(&self, image: &str) -> Result<Option<Box<str>>, Error> {
        self.get(&all_containers(), |body| parse_uses(body, image))
    }

    /// What there is to know of each of these containers, all asked at once, each on a
    /// connection of its own. Returns in the same order; what does not answer in time fails by
    /// itself.
    pub(super) fn details(&self, ids: &[&str], within: Duration) -> Vec<Result<Details, Error>> {
        let within = within.min(self.limit);
        let (begun, deadline) = (Instant::now(), Deadline::after(within));
        let ask = |id: &&str| {
            let request = Request::about("GET", "/containers/", id, "/json");
            let asked = self.begin(&request, deadline);
            (request, asked)
        };
        let asked: Vec<_> = ids.iter().map(ask).collect();
        let answer = |((request, asked), id): ((Request, Result<Socket, Failure>), &&str)| {
            let left = within.saturating_sub(begun.elapsed()).max(AFTER_ALL);
            let answer = asked.and_then(|mut socket| {
                socket.renew(Deadline::after(left));
                parse_details(finish(socket)?, id)
            });
            answer.map_err(|failure| self.error(&request, failure))
        };
        asked.into_iter().zip(ids).map(answer).collect()
    }

    /// What a container has written in its layer. The engine may have to walk it.
    pub(super) fn written_bytes(&self, id: &str) -> Result<Option<u64>, Error> {
        const SOON: Duration = Duration::from_secs(2);
        let request = Request::about("GET", "/containers/", id, "/json").query("?size=true");
        self.get_within(&request, SOON.min(self.limit), parse_size)
    }

    /// All images, without the layers between.
    pub(super) fn images(&self) -> Result<Listed<ListedImage>, Error> {
        let request = Request::new("GET", "/images/json", "?all=false");
        self.get(&request, parse_images)
    }

    pub(super) fn image(&self, id: &str) -> Result<ListedImage, Error> {
        self.image_within(id, self.limit)
    }

    /// An image, asked for that long at most.
    pub(super) fn image_within(&self, id: &str, within: Duration) -> Result<ListedImage, Error> {
        let request = Request::about("GET", IMAGES, id, "/json");
        self.get_within(&request, within.min(self.limit), parse_image)
    }

    /// The labels of an image, asked for that long at most.
    pub(super) fn image_labels(
        &self,
        id: &str,
        within: Duration,
    ) -> Result<BTreeMap<String, String>, Error> {
        let request = Request::about("GET", IMAGES, id, "/json");
        self.get_within(&request, within.min(self.limit), parse_image_labels)
    }

    /// The volumes that no container refers to, in whatever state.
    pub(super) fn unused_volumes(&self) -> Result<Listed<ListedVolume>, Error> {
        // {"dangling":["true"]}
        const UNUSED: &str = "?filters=%7B%22dangling%22%3A%5B%22true%22%5D%7D";
        self.get(&Request::new("GET", "/volumes", UNUSED), parse_volumes)
    }

    /// Removes a volume; status 409 where a container refers to it.
    pub(super) fn remove_volume(&self, name: &str) -> Result<(), Error> {
        let request = Request::about("DELETE", "/volumes/", name, "");
        gone_is_fine(self.call(&request))
    }

    /// What the builder keeps. Before API 1.42 the engine may have to walk its volumes too.
    pub(super) fn build_cache_usage(&self, query: &str) -> Result<CacheUsage, Error> {
        self.get(&Request::new("GET", "/system/df", query), parse_usage)
    }

    /// Prunes it, and returns what that freed. Many GB take longer than other calls.
    pub(super) fn prune_build_cache(&self, query: &str) -> Result<u64, Error> {
        let request = Request::new("POST", "/build/prune", query);
        self.get_within(&request, self.limit.saturating_mul(4), parse_pruned)
    }

    /// Shows each of Podman's pods; none of other engines.
    pub(super) fn podman_pods(
        &self,
        engine: Engine,
        show: impl FnMut(PodmanPod),
    ) -> Result<(), Error> {
        match engine {
            Engine::Podman => {
                let request = Request::new("GET", "/v4.0.0/libpod/pods/json", "");
                self.get(&request, |body| parse_pods(body, show))
            }
            Engine::Docker | Engine::Balena => Ok(()),
        }
    }

    /// Removes a pod of Podman's of which no container runs; status 409 where one does.
    pub(super) fn remove_podman_pod(&self, id: &str) -> Result<(), Error> {
        let request = Request::about("DELETE", "/v4.0.0/libpod/pods/", id, "");
        gone_is_fine(self.call(&request))
    }

    /// Removes a container that does not run, and its anonymous volumes; status 409
    /// where it runs or is being removed.
    pub(super) fn remove_container(&self, id: &str) -> Result<(), Error> {
        let request = Request::about("DELETE", "/containers/", id, "").query("?v=true");
        gone_is_fine(self.call(&request))
    }

    /// Removes an image by its id, or one of its names; status 409 where it is used
    /// or, by id, has names in several repositories.
    pub(super) fn remove_image(&self, name: &str) -> Result<(), Error> {
        let request = Request::about("DELETE", IMAGES, name, "").query("?force=false");
        gone_is_fine(self.call(&request))
    }

    /// Stops all these containers at once: their stop signal now, SIGKILL after
    /// `grace`, which counts in whole seconds and is rounded up. Returns when they have
    /// ended, or their time limit and the grace are over. One that has ended before is
    /// no error.
    pub(super) fn stop(&self, ids: &[&str], grace: Duration) -> Vec<Result<(), Error>> {
        let seconds = grace.as_secs() + u64::from(grace.subsec_nanos() > 0);
        let stop = |id: &str| about(id, "/stop").query(&format!("?t={seconds}"));
        self.post_all(ids, stop, Duration::from_secs(seconds))
    }

    /// Kills all these containers at once; status 409 where one did not run.
    pub(super) fn kill(&self, ids: &[&str]) -> Vec<Result<(), Error>> {
        self.post_all(ids, |id| about(id, "/kill"), Duration::ZERO)
    }

    /// Thaws all these containers at once, as some engines stop none that is paused.
    pub(super) fn unpause(&self, ids: &[&str]) -> Vec<Result<(), Error>> {
        self.post_all(ids, |id| about(id, "/unpause"), Duration::ZERO)
    }

    /// Sends a request for each at once, each on a connection of its own, and waits for
    /// all answers, `extra` longer than for others. Returns in the same order.
    fn post_all(
        &self,
        ids: &[&str],
        request: impl Fn(&str) -> Request,
        extra: Duration,
    ) -> Vec<Result<(), Error>> {
        let deadline = Deadline::after(self.limit.saturating_add(extra));
        let begun: Vec<_> = ids
            .iter()
            .map(|id| {
                let request = request(id);
                let begun = self.begin(&request, deadline);
                (request, begun)
            })
            .collect();
        // The engine works on all of them while the first is waited for.
        let finish = |(request, begun): (Request, Result<Socket, Failure>)| {
            let answer = begun.and_then(finish).and_then(drain);
            answer.map_err(|failure| self.error(&request, failure))
        };
        begun.into_iter().map(finish).collect()
    }

    /// Begins to follow what happens to containers. The connection carries an event a line
    /// from then on, for as long as there is an engine.
    pub(super) fn events(&self) -> Result<Connection, Error> {
        // {"type":["container"]}
        const OF_CONTAINERS: &str = "?filters=%7B%22type%22%3A%5B%22container%22%5D%7D";
        const AN_END: &str = "events that come to an end";
        let request = Request::new("GET", "/events", OF_CONTAINERS).without_chunks();
        let begun = self.begin(&request, Deadline::after(self.limit));
        let begun = begun.and_then(finish).and_then(|body| {
            let stream = body.into_endless();
            stream.ok_or_else(|| Failure::malformed(AN_END))
        });
        begun.map_err(|failure| self.error(&request, failure))
    }

    fn begin(&self, request: &Request, deadline: Deadline) -> Result<Socket, Failure> {
        let mut socket = Socket::open(&self.socket, deadline)?.without_bound();
        socket.write_all(request.text().as_bytes())?;
        Ok(socket)
    }

    /// The body of the answer, read by `read`.
    fn get<T>(
        &self,
        request: &Request,
        read: impl FnOnce(Answer) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        self.get_within(request, self.limit, read)
    }

    fn get_within<T>(
        &self,
        request: &Request,
        within: Duration,
        read: impl FnOnce(Answer) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let begun = self.begin(request, Deadline::after(within));
        let answer = begun.and_then(finish).and_then(read);
        answer.map_err(|failure| self.error(request, failure))
    }

    /// Has something done, of which no answer is read.
    fn call(&self, request: &Request) -> Result<(), Error> {
        self.get(request, drain)
    }

    fn error(&self, request: &Request, failure: Failure) -> Error {
        let call = format!("{} {}", request.method, clean(&request.path));
        Error::new(&self.endpoint, &call, failure)
    }

    /// A refusal of ours, in the words of the API.
    pub(super) fn refusal(&self, call: &str, message: &str) -> Error {
        let message = message.into();
        Error::new(
            &self.endpoint,
            call,
            Failure::Refused { code: 409, message },
        )
    }
}

fn all_containers() -> Request {
    Request::new("GET", "/containers/json", "?all=true")
}

fn about(id: &str, what: &str) -> Request {
    Request::about("POST", "/containers/", id, what)
}

/// Waits for the answer. 304 says that there was nothing to do.
fn finish(socket: Socket) -> Result<Answer, Failure> {
    let mut connection = BufReader::new(socket);
    if connection.fill_buf()?.is_empty() {
        return Err(Failure::Closed);
    }
    let response = read_response(connection)?;
    match response.status {
        200..300 | 304 => Ok(response.body),
        status => Err(Failure::Refused {
            code: status.into(),
            message: parse_message(response.body).into(),
        }),
    }
}

/// Waits for the end of an answer: an engine may stop doing what nobody waits for.
fn drain(mut answer: Answer) -> Result<(), Failure> {
    io::copy(&mut answer, &mut io::sink())?;
    Ok(())
}

/// What is gone needs no removing and no stopping.
pub(super) fn gone_is_fine(answer: Result<(), Error>) -> Result<(), Error> {
    answer.or_else(|error| {
        if error.code() == Some(404) {
            Ok(())
        } else {
            Err(error)
        }
    })
}
