use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;
use std::path::Path;

use crate::cri_api::proto::{Bytes, ProtoError, Value, parse_fields};
use crate::cri_api::{
    Client, Container, ContainerStatus, Error, Failure, FsInfo, Image, LayerUsage, Sandbox, Writer,
};

/// The method's path: the constants name them all.
macro_rules! method {
    (runtime $name:literal) => {
        concat!("/runtime.v1.RuntimeService/", $name)
    };
    (image $name:literal) => {
        concat!("/runtime.v1.ImageService/", $name)
    };
}

/// Who answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeVersion {
    /// The runtime's name: `containerd`.
    pub name: String,
    /// Its version: `1.6.20~ds1`.
    pub version: String,
}

/// The calls of CRI v1 that eviction needs, each in full or an [`Error`].
#[derive(Debug)]
pub struct Cri {
    client: Client,
    within: Duration,
}

impl Cri {
    /// For a runtime's socket. Nothing is connected yet. Each call may take
    /// `within`; one that removes, four times that; one that waits for a container,
    /// so much more than it may wait.
    #[must_use]
    pub fn new(socket: &Path, within: Duration) -> Self {
        Self {
            client: Client::new(socket),
            within,
        }
    }

    /// `Version`.
    ///
    /// # Errors
    /// See [`Failure`]. So in all calls.
    pub fn version(&mut self) -> Result<RuntimeVersion, Error> {
        let mut request = Writer::default();
        request.text(1, "v1");
        self.ask(method!(runtime "Version"), request, |answer| {
            let mut version = RuntimeVersion::default();
            parse_fields(answer, &mut |field, value| {
                match (field, value) {
                    (2, Value::Bytes(bytes)) => version.name = bytes.text(),
                    (3, Value::Bytes(bytes)) => version.version = bytes.text(),
                    _ => {}
                }
                Ok(())
            })?;
            Ok(version)
        })
    }

    /// `Status`, verbose: the runtime's configuration as it tells it, a JSON text.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn config(&mut self) -> Result<Option<String>, Error> {
        let mut request = Writer::default();
        request.number(1, 1);
        let method = method!(runtime "Status");
        self.ask(method, request, |answer| told(answer, "config"))
    }

    /// `ListPodSandbox`: all there are.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn sandboxes(&mut self) -> Result<Vec<Sandbox>, Error> {
        let method = method!(runtime "ListPodSandbox");
        self.list(method, Writer::default(), Sandbox::parse)
    }

    /// `ListContainers`: all there are, in every state.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn containers(&mut self) -> Result<Vec<Container>, Error> {
        let method = method!(runtime "ListContainers");
        self.list(method, Writer::default(), Container::parse)
    }

    /// `ListContainers`: those of one sandbox, in every state.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn containers_of(&mut self, sandbox: &str) -> Result<Vec<Container>, Error> {
        let (mut filter, mut request) = (Writer::default(), Writer::default());
        filter.text(3, sandbox);
        request.message(1, &filter);
        let method = method!(runtime "ListContainers");
        let mut containers = self.list(method, request, Container::parse)?;
        // In case the filter was not understood.
        containers.retain(|container| container.sandbox == sandbox);
        Ok(containers)
    }

    /// `PodSandboxStatus`, verbose: what the runtime tells of a sandbox beside the
    /// API's fields, a JSON text that each runtime shapes as it likes.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn sandbox_info(&mut self, id: &str) -> Result<Option<String>, Error> {
        let mut request = of_id(id);
        request.number(2, 1);
        let method = method!(runtime "PodSandboxStatus");
        self.ask(method, request, |answer| told(answer, "info"))
    }

    /// `ContainerStatus`; verbose, with what the runtime tells beside the API's
    /// fields.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn container_status(&mut self, id: &str, verbose: bool) -> Result<ContainerStatus, Error> {
        let mut request = of_id(id);
        request.number(2, verbose.into());
        let method = method!(runtime "ContainerStatus");
        self.ask(method, request, ContainerStatus::parse)
    }

    /// `ListContainerStats`: what the running containers have written into their
    /// layers. Runtimes measure it every some seconds.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn layers(&mut self) -> Result<Vec<LayerUsage>, Error> {
        let method = method!(runtime "ListContainerStats");
        self.list(method, Writer::default(), LayerUsage::parse)
    }

    /// `ListImages`.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn images(&mut self) -> Result<Vec<Image>, Error> {
        let method = method!(image "ListImages");
        self.list(method, Writer::default(), Image::parse)
    }

    /// `ImageFsInfo`: where images and writable layers are.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn image_fs_info(&mut self) -> Result<FsInfo, Error> {
        let method = method!(image "ImageFsInfo");
        self.ask(method, Writer::default(), FsInfo::parse)
    }

    /// `StopContainer` for several at once: the stop signal now, SIGKILL after
    /// `timeout_seconds`. Returns when all have ended; one that is gone has.
    ///
    /// # Errors
    /// What the first failing call gave; the others were made nevertheless.
    pub fn stop_containers(&mut self, ids: &[Arc<str>], timeout_seconds: u32) -> Result<(), Error> {
        let request = |id: &Arc<str>| {
            let mut request = of_id(id);
            request.number(2, timeout_seconds.into());
            request.into_bytes()
        };
        let requests: Vec<_> = ids.iter().map(request).collect();
        let within = self
            .within
            .saturating_add(Duration::from_secs(timeout_seconds.into()));
        let method = method!(runtime "StopContainer");
        let answers = self.client.call_all(method, &requests, within);
        answers
            .into_iter()
            .map(gone_is_done)
            .fold(Ok(()), Result::and)
    }

    /// `StopPodSandbox`: ends what still runs in it. One that is gone is no error.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn stop_sandbox(&mut self, id: &str) -> Result<(), Error> {
        self.act(method!(runtime "StopPodSandbox"), of_id(id))
    }

    /// `RemovePodSandbox`, with all that is in it. One that is gone is no error.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn remove_sandbox(&mut self, id: &str) -> Result<(), Error> {
        self.act(method!(runtime "RemovePodSandbox"), of_id(id))
    }

    /// `RemoveContainer`, also one that runs. One that is gone is no error.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn remove_container(&mut self, id: &str) -> Result<(), Error> {
        self.act(method!(runtime "RemoveContainer"), of_id(id))
    }

    /// `RemoveImage`, with all its names. One that is gone is no error; one that a
    /// container uses may be removed too.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn remove_image(&mut self, id: &str) -> Result<(), Error> {
        let mut request = Writer::default();
        request.message(1, &of_id(id));
        self.act(method!(image "RemoveImage"), request)
    }

    /// Any other call, with its message as it is. For tools.
    ///
    /// # Errors
    /// See [`Cri::version`].
    pub fn call(&mut self, method: &'static str, request: Writer) -> Result<Vec<u8>, Error> {
        self.client.call(method, &request.into_bytes(), self.within)
    }

    fn act(&mut self, method: &'static str, request: Writer) -> Result<(), Error> {
        let within = self.within.saturating_mul(4);
        gone_is_done(self.client.call(method, &request.into_bytes(), within))
    }

    fn ask<T>(
        &mut self,
        method: &'static str,
        request: Writer,
        parse: impl FnOnce(Bytes<'_>) -> Result<T, ProtoError>,
    ) -> Result<T, Error> {
        let answer = self.call(method, request)?;
        parse(Bytes::new(&answer)).map_err(|error| malformed(method, error))
    }

    fn list<T>(
        &mut self,
        method: &'static str,
        request: Writer,
        parse: fn(Bytes<'_>) -> Result<T, ProtoError>,
    ) -> Result<Vec<T>, Error> {
        self.ask(method, request, |answer| parse_list(answer, parse))
    }
}

/// Reads a list: in all of them the items are the field 1. All of it or nothing.
///
/// # Errors
/// What the first item gives that cannot be read.
pub fn parse_list<T>(
    answer: Bytes<'_>,
    parse: fn(Bytes<'_>) -> Result<T, ProtoError>,
) -> Result<Vec<T>, ProtoError> {
    let mut items = Vec::new();
    parse_fields(answer, &mut |field, value| {
        if let (1, Value::Bytes(message)) = (field, value) {
            items.push(parse(message)?);
        }
        Ok(())
    })?;
    Ok(items)
}

fn malformed(call: &'static str, error: ProtoError) -> Error {
    Error {
        call,
        failure: Failure::Malformed(format!("{error}").into()),
    }
}

fn gone_is_done(answer: Result<Vec<u8>, Error>) -> Result<(), Error> {
    match answer {
        Err(error) if !error.failure.is_not_found() => Err(error),
        _ => Ok(()),
    }
}

/// In all requests that concern one thing its id stands first.
fn of_id(id: &str) -> Writer {
    let mut request = Writer::default();
    request.text(1, id);
    request
}

/// A pair of a map of texts.
pub(crate) fn read_pair(
    pair: Bytes<'_>,
    into: &mut Vec<(String, String)>,
) -> Result<(), ProtoError> {
    let (key, value) = pair_of(pair)?;
    into.push((key.text(), value.text()));
    Ok(())
}

fn pair_of(pair: Bytes<'_>) -> Result<(Bytes<'_>, Bytes<'_>), ProtoError> {
    let (mut key, mut text) = (Bytes::new(&[]), Bytes::new(&[]));
    parse_fields(pair, &mut |field, value| {
        match (field, value) {
            (1, Value::Bytes(bytes)) => key = bytes,
            (2, Value::Bytes(bytes)) => text = bytes,
            _ => {}
        }
        Ok(())
    })?;
    Ok((key, text))
}

/// What an answer tells beside the API's fields, under that key of its map.
fn told(answer: Bytes<'_>, key: &str) -> Result<Option<String>, ProtoError> {
    let mut text = None;
    parse_fields(answer, &mut |field, value| match (field, value) {
        (2, Value::Bytes(pair)) => read_info(pair, key, &mut text),
        _ => Ok(()),
    })?;
    Ok(text)
}

/// The value of one key of a map of texts.
pub(crate) fn read_info(
    pair: Bytes<'_>,
    key: &str,
    into: &mut Option<String>,
) -> Result<(), ProtoError> {
    let (found, value) = pair_of(pair)?;
    if found.bytes == key.as_bytes() {
        *into = Some(value.text());
    }
    Ok(())
}
