//! Calls of CRI v1: unary gRPC over a unix socket.

use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};

use super::events::Events;
use super::http2::Call;
use super::parse::{
    parse_container, parse_disks, parse_image, parse_image_id, parse_info, parse_layer, parse_list,
    parse_sandbox, parse_status, parse_version,
};
use super::proto::{Bytes, ProtoError, Writer};
use crate::bounds::Weigh;
use crate::pods::{Details, Found};
use crate::socket::{Deadline, Socket};
use crate::{Error, Failure, ListedImage, RuntimeDisks, WritableLayer};

/// How many calls are made side by side.
const MOST_CONNECTIONS: usize = 64;

/// gRPC: what was asked for does not exist.
const NOT_FOUND: u32 = 5;
/// gRPC: a lease of that name is there already.
const ALREADY_EXISTS: u32 = 6;
/// gRPC: no such service.
const UNIMPLEMENTED: u32 = 12;
/// gRPC: not to be done as things are.
const FAILED_PRECONDITION: u32 = 9;

/// The method's path: the constants name them all.
macro_rules! method {
    (runtime $name:literal) => {
        concat!("/runtime.v1.RuntimeService/", $name)
    };
    (image $name:literal) => {
        concat!("/runtime.v1.ImageService/", $name)
    };
}

/// Makes CRI's calls, each over a connection of its own: a runtime that was started anew
/// is not noticed.
#[derive(Debug)]
pub struct Client {
    pub(super) endpoint: String,
    socket: PathBuf,
    /// For each call, and for all calls that one list leads to.
    pub(super) within: Duration,
}

impl Client {
    /// For a runtime's socket. Nothing is connected yet. Each call may take `within`;
    /// one that removes, four times that; one that waits for a container, so much more
    /// than it may wait.
    #[must_use]
    pub fn new(socket: &Path, within: Duration) -> Self {
        Self {
            endpoint: format!("unix://{}", socket.display()),
            socket: socket.to_path_buf(),
            within,
        }
    }

    /// Makes a call: `method` is its path (`/runtime.v1.RuntimeService/Version`).
    /// Returns the message that came back.
    ///
    /// # Errors
    /// When there is no whole answer in time, or none that is gRPC.
    pub fn call(&self, method: &str, request: Writer) -> Result<Vec<u8>, Error> {
        self.call_within(method, request, self.within)
    }

    pub(super) fn call_within(
        &self,
        method: &str,
        request: Writer,
        within: Duration,
    ) -> Result<Vec<u8>, Error> {
        let begun = self.begin(method, request, Deadline::after(within));
        let answer = begun.and_then(Call::receive);
        answer.map_err(|failure| self.error(method, failure))
    }

    /// Begins to follow what happens to containers. A runtime that does not serve that says
    /// so when it is waited for.
    pub(super) fn events(&self) -> Result<Events<Socket>, Error> {
        // More than a day: what is said to take long ends by itself.
        const LONG: Duration = Duration::from_secs(100_000);
        let method = method!(runtime "GetContainerEvents");
        let socket = Socket::open(&self.socket, Deadline::after(self.within));
        let call = socket.and_then(|socket| Call::send(socket, method, &[], LONG));
        call.map(Events::new)
            .map_err(|failure| self.error(method, failure))
    }

    fn begin(
        &self,
        method: &str,
        request: Writer,
        deadline: Deadline,
    ) -> Result<Call<Socket>, Failure> {
        let socket = Socket::open(&self.socket, deadline)?;
        Call::send(socket, method, &request.into_bytes(), deadline.within)
    }

    /// Makes the same call with several requests at once, each over a connection of its
    /// own, and waits for all of them. Returns in the requests' order. At most 64 run
    /// side by side; each such group has its own `within`.
    pub(super) fn call_all(
        &self,
        method: &str,
        requests: &[Writer],
        within: Duration,
    ) -> Vec<Result<Vec<u8>, Error>> {
        let mut answers = Vec::new();
        for group in requests.chunks(MOST_CONNECTIONS) {
            let deadline = Deadline::after(within);
            let begin = |request: &Writer| self.begin(method, request.clone(), deadline);
            let begun: Vec<_> = group.iter().map(begin).collect();
            let finished = begun.into_iter().map(|begun| begun?.receive());
            answers.extend(finished.map(|it| it.map_err(|failure| self.error(method, failure))));
        }
        answers
    }

    fn error(&self, method: &str, failure: Failure) -> Error {
        Error::new(&self.endpoint, method, failure)
    }

    /// A refusal of ours, in the words of the API.
    pub(super) fn refusal(&self, call: &str, message: &str) -> Error {
        let (code, message) = (FAILED_PRECONDITION, message.into());
        self.error(call, Failure::Refused { code, message })
    }

    fn ask<T>(
        &self,
        method: &str,
        request: Writer,
        parse: impl FnOnce(Bytes<'_>) -> Result<T, ProtoError>,
    ) -> Result<T, Error> {
        let answer = self.call(method, request)?;
        let parsed = parse(Bytes::new(&answer));
        parsed.map_err(|error| self.error(method, Failure::malformed(error)))
    }

    fn list<T: Weigh>(
        &self,
        method: &str,
        parse: fn(Bytes<'_>) -> Result<T, ProtoError>,
    ) -> Result<Vec<T>, Error> {
        self.ask(method, Writer::default(), |answer| {
            parse_list(answer, parse)
        })
    }

    fn act(&self, method: &str, request: Writer) -> Result<(), Error> {
        let within = self.within.saturating_mul(4);
        gone_is_done(self.call_within(method, request, within))
    }

    pub(super) fn version(&self) -> Result<String, Error> {
        let mut request = Writer::default();
        request.text(1, "v1");
        self.ask(method!(runtime "Version"), request, parse_version)
    }

    /// The runtime's configuration as it tells it, a JSON text.
    pub(super) fn config(&self) -> Result<Option<String>, Error> {
        let mut request = Writer::default();
        request.number(1, 1);
        let method = method!(runtime "Status");
        self.ask(method, request, |answer| {
            Ok(parse_info(answer, "config")?.map(String::from))
        })
    }

    /// All sandboxes.
    pub(super) fn sandboxes(&self) -> Result<Vec<Found>, Error> {
        self.list(method!(runtime "ListPodSandbox"), parse_sandbox)
    }

    /// All containers, in every state.
    pub(super) fn containers(&self) -> Result<Vec<Found>, Error> {
        self.list(method!(runtime "ListContainers"), parse_container)
    }

    /// Whether any container is in a sandbox, in every state.
    pub(super) fn is_used(&self, sandbox: &str) -> Result<bool, Error> {
        let (mut filter, mut request) = (Writer::default(), Writer::default());
        filter.text(3, sandbox);
        request.message(1, &filter);
        let method = method!(runtime "ListContainers");
        let within = self.ask(method, request, |answer| {
            parse_list(answer, parse_container)
        })?;
        // In case the filter was not understood.
        let is_in = |found: &Found| found.container.sandbox.as_deref() == Some(sandbox);
        Ok(within.iter().any(is_in))
    }

    /// What a runtime tells of a sandbox beside the API's fields, a JSON text.
    pub(super) fn sandbox_info(&self, id: &str) -> Result<Option<String>, Error> {
        let mut request = of_id(id);
        request.number(2, 1);
        let method = method!(runtime "PodSandboxStatus");
        self.ask(method, request, |answer| {
            Ok(parse_info(answer, "info")?.map(String::from))
        })
    }

    /// What is told of one container alone; `None` where there is no such container. Its
    /// process is told only where it is asked for.
    pub(super) fn status(&self, id: &str, process: bool) -> Result<Option<Details>, Error> {
        let mut request = of_id(id);
        request.number(2, process.into());
        match self.ask(method!(runtime "ContainerStatus"), request, parse_status) {
            Err(error) if error.code() == Some(NOT_FOUND) => Ok(None),
            status => status.map(Some),
        }
    }

    /// What the running containers have written into their layers, by their ids.
    /// Runtimes measure it every some seconds.
    pub(super) fn layers(&self) -> Result<Vec<(String, WritableLayer)>, Error> {
        self.list(method!(runtime "ListContainerStats"), parse_layer)
    }

    pub(super) fn images(&self) -> Result<Vec<ListedImage>, Error> {
        self.list(method!(image "ListImages"), parse_image)
    }

    /// The id of the image that the runtime knows by this name; empty for none.
    pub(super) fn image_id(&self, name: &str) -> Result<String, Error> {
        let mut request = Writer::default();
        request.message(1, &of_id(name));
        self.ask(method!(image "ImageStatus"), request, parse_image_id)
    }

    pub(super) fn disks(&self) -> Result<RuntimeDisks, Error> {
        self.ask(method!(image "ImageFsInfo"), Writer::default(), parse_disks)
    }

    /// The stop signal now, SIGKILL after so many seconds, for several containers at
    /// once. Returns when all have ended; one that is gone has. Where calls fail, the
    /// others are made nevertheless.
    pub(super) fn stop(&self, ids: &[Arc<str>], seconds: u32) -> Result<(), Error> {
        let request = |id: &Arc<str>| {
            let mut request = of_id(id);
            request.number(2, seconds.into());
            request
        };
        let requests: Vec<_> = ids.iter().map(request).collect();
        let within = self
            .within
            .saturating_add(Duration::from_secs(seconds.into()));
        let answers = self.call_all(method!(runtime "StopContainer"), &requests, within);
        answers.into_iter().try_for_each(gone_is_done)
    }

    /// Ends what still runs in a sandbox. One that is gone is no error.
    pub(super) fn stop_sandbox(&self, id: &str) -> Result<(), Error> {
        self.act(method!(runtime "StopPodSandbox"), of_id(id))
    }

    /// With all that is in it. One that is gone is no error.
    pub(super) fn remove_sandbox(&self, id: &str) -> Result<(), Error> {
        self.act(method!(runtime "RemovePodSandbox"), of_id(id))
    }

    /// Also one that runs. One that is gone is no error.
    pub(super) fn remove_container(&self, id: &str) -> Result<(), Error> {
        self.act(method!(runtime "RemoveContainer"), of_id(id))
    }

    /// Has containerd delete what nothing refers to, as it does after changes alone: a lease
    /// that is made and given up at once is one. It holds nothing, so one that is left behind
    /// does no harm. Returns whether the runtime has leases.
    pub(super) fn collect_garbage(&self) -> Result<bool, Error> {
        const CREATE: &str = "/containerd.services.leases.v1.Leases/Create";
        const DELETE: &str = "/containerd.services.leases.v1.Leases/Delete";
        let (mut lease, mut given_up) = (of_id("evictd-gc"), of_id("evictd-gc"));
        lease.pair(3, "evictd", "gc");
        given_up.number(2, 1); // and wait until it is done
        match self.call(CREATE, lease) {
            Err(error) if error.code() == Some(UNIMPLEMENTED) => return Ok(false),
            Err(error) if error.code() != Some(ALREADY_EXISTS) => return Err(error),
            _ => {}
        }
        let within = self.within.saturating_mul(4);
        gone_is_done(self.call_within(DELETE, given_up, within)).map(|()| true)
    }

    /// Has a running container's log opened anew, where its name leads now.
    pub(super) fn reopen_log(&self, id: &str) -> Result<(), Error> {
        let method = method!(runtime "ReopenContainerLog");
        self.call(method, of_id(id)).map(drop)
    }

    /// With all its names. One that is gone is no error; one that a container uses may
    /// be removed too.
    pub(super) fn remove_image(&self, id: &str) -> Result<(), Error> {
        let mut request = Writer::default();
        request.message(1, &of_id(id));
        self.act(method!(image "RemoveImage"), request)
    }
}

fn gone_is_done(answer: Result<Vec<u8>, Error>) -> Result<(), Error> {
    match answer {
        Err(error) if error.code() != Some(NOT_FOUND) => Err(error),
        _ => Ok(()),
    }
}

/// In all requests that concern one thing its id stands first.
fn of_id(id: &str) -> Writer {
    let mut request = Writer::default();
    request.text(1, id);
    request
}
