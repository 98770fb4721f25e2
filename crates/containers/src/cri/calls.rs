//! The calls of CRI v1.

use alloc::sync::Arc;
use core::time::Duration;

use super::about::{parse_disks, parse_version};
use super::client::{Client, ignore};
use super::containers::{parse_container, parse_sandbox};
use super::image::{parse_image, parse_image_id};
use super::info::parse_info;
use super::layers::parse_layer;
use super::list::{Item, Parse, Unread, parse_list};
use super::reader::Fault;
use super::status::parse_status;
use super::writer::Writer;
use crate::pods::{Details, Found};
use crate::{Error, Failure, ListedImage, RuntimeDisks, WritableLayer};

/// gRPC: what was asked for does not exist.
const NOT_FOUND: u32 = 5;
/// gRPC: a lease of that name is there already.
const ALREADY_EXISTS: u32 = 6;
/// gRPC: no such service.
const UNIMPLEMENTED: u32 = 12;
/// The method's path: the constants name them all.
macro_rules! method {
    (runtime $name:literal) => {
        concat!("/runtime.v1.RuntimeService/", $name)
    };
    (image $name:literal) => {
        concat!("/runtime.v1.ImageService/", $name)
    };
}

impl Client {
    /// Reads a list item by item: hands out those that have an id, and notes in `unread` what
    /// could not be read.
    fn list<T: Item>(
        &self,
        method: &str,
        request: Writer,
        unread: &mut Unread,
        parse: Parse<T>,
        keep: &mut dyn FnMut(T),
    ) -> Result<(), Error> {
        self.list_within(method, request, self.within, unread, parse, keep)
    }

    fn list_within<T: Item>(
        &self,
        method: &str,
        request: Writer,
        within: Duration,
        unread: &mut Unread,
        parse: Parse<T>,
        keep: &mut dyn FnMut(T),
    ) -> Result<(), Error> {
        let whole = self.call_within(method, request, within, |reader| {
            parse_list(reader, method, unread, parse, keep)
        })?;
        whole.map_err(|fault| self.error(method, Failure::malformed(fault)))
    }

    fn act(&self, method: &str, request: Writer) -> Result<(), Error> {
        let within = self.within.saturating_mul(4);
        gone_is_done(self.call_within(method, request, within, ignore))
    }

    pub(super) fn version(&self) -> Result<String, Error> {
        let mut request = Writer::default();
        request.text(1, "v1");
        self.call(method!(runtime "Version"), request, parse_version)
    }

    /// The runtime's configuration as it tells it, a JSON text.
    pub(super) fn config(&self) -> Result<Vec<u8>, Error> {
        let mut request = Writer::default();
        request.number(1, 1);
        self.call(method!(runtime "Status"), request, |reader| {
            parse_info(reader, "config")
        })
    }

    /// Hands out all sandboxes.
    pub(super) fn sandboxes(
        &self,
        unread: &mut Unread,
        keep: &mut dyn FnMut(Found),
    ) -> Result<(), Error> {
        let method = method!(runtime "ListPodSandbox");
        self.list(method, Writer::default(), unread, parse_sandbox, keep)
    }

    /// Hands out all containers, in every state.
    pub(super) fn containers(
        &self,
        unread: &mut Unread,
        keep: &mut dyn FnMut(Found),
    ) -> Result<(), Error> {
        let method = method!(runtime "ListContainers");
        self.list(method, Writer::default(), unread, parse_container, keep)
    }

    /// Whether any container is in a sandbox, in every state; one of which that cannot be
    /// read may be.
    pub(super) fn is_used(&self, sandbox: &str) -> Result<bool, Error> {
        let (mut filter, mut request) = (Writer::default(), Writer::default());
        filter.text(3, sandbox);
        request.message(1, &filter);
        let (mut unread, mut is_used) = (Unread::default(), false);
        let method = method!(runtime "ListContainers");
        self.list(
            method,
            request,
            &mut unread,
            parse_container,
            &mut |found| {
                // In case the filter was not understood.
                is_used |= found.container.sandbox.as_deref() == Some(sandbox);
            },
        )?;
        Ok(is_used || !unread.is_empty())
    }

    /// What a runtime tells of a sandbox beside the API's fields, a JSON text.
    pub(super) fn sandbox_info(&self, id: &str) -> Result<Vec<u8>, Error> {
        let mut request = of_id(id);
        request.number(2, 1);
        self.call(method!(runtime "PodSandboxStatus"), request, |reader| {
            parse_info(reader, "info")
        })
    }

    /// What is told of one container alone, and what of that could not be read; `None`
    /// where there is no such container. Its process is told only where it is asked for.
    pub(super) fn status(
        &self,
        id: &str,
        process: bool,
        within: Duration,
    ) -> Result<Option<(Details, Option<Fault>)>, Error> {
        let mut request = of_id(id);
        request.number(2, process.into());
        let method = method!(runtime "ContainerStatus");
        let status = self.call_within(method, request, within, |reader| {
            Ok((parse_status(reader)?, reader.take_fault()))
        });
        match status {
            Err(error) if error.code() == Some(NOT_FOUND) => Ok(None),
            status => status.map(Some),
        }
    }

    /// Hands out what the running containers have written into their layers, by their ids.
    /// Runtimes measure it every some seconds.
    pub(super) fn layers(
        &self,
        unread: &mut Unread,
        keep: &mut dyn FnMut((String, WritableLayer)),
    ) -> Result<(), Error> {
        let method = method!(runtime "ListContainerStats");
        self.list(method, Writer::default(), unread, parse_layer, keep)
    }

    pub(super) fn images(
        &self,
        unread: &mut Unread,
        within: Duration,
    ) -> Result<Vec<ListedImage>, Error> {
        let mut images = Vec::new();
        let method = method!(image "ListImages");
        self.list_within(
            method,
            Writer::default(),
            within,
            unread,
            parse_image,
            &mut |image| {
                images.push(image);
            },
        )?;
        Ok(images)
    }

    /// The id of the image that the runtime knows by this name; empty for none.
    pub(super) fn image_id(&self, name: &str, within: Duration) -> Result<String, Error> {
        let mut request = Writer::default();
        request.message(1, &of_id(name));
        let method = method!(image "ImageStatus");
        self.call_within(method, request, within, parse_image_id)
    }

    pub(super) fn disks(&self) -> Result<RuntimeDisks, Error> {
        let method = method!(image "ImageFsInfo");
        self.call(method, Writer::default(), parse_disks)
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
        match self.call(CREATE, lease, ignore) {
            Err(error) if error.code() == Some(UNIMPLEMENTED) => return Ok(false),
            Err(error) if error.code() != Some(ALREADY_EXISTS) => return Err(error),
            _ => {}
        }
        let within = self.within.saturating_mul(4);
        gone_is_done(self.call_within(DELETE, given_up, within, ignore)).map(|()| true)
    }

    /// Has a running container's log opened anew, where its name leads now.
    pub(super) fn reopen_log(&self, id: &str) -> Result<(), Error> {
        let method = method!(runtime "ReopenContainerLog");
        self.call(method, of_id(id), ignore)
    }

    /// With all its names. One that is gone is no error; one that a container uses may
    /// be removed too.
    pub(super) fn remove_image(&self, id: &str) -> Result<(), Error> {
        let mut request = Writer::default();
        request.message(1, &of_id(id));
        self.act(method!(image "RemoveImage"), request)
    }
}

fn gone_is_done(answer: Result<(), Error>) -> Result<(), Error> {
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
