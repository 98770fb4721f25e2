//! The calls of CRI v1.

use alloc::sync::Arc;
use core::time::Duration;

use super::about::{parse_disks, parse_version};
use super::client::{Client, ignore};
use super::containers::{parse_container, parse_sandbox};
use super::image::{is_image_id, parse_image, parse_image_id};
use super::info::parse_info;
use super::layers::parse_layer;
use super::list::{Parse, Take, parse_list};
use super::reader::Fault;
use super::sandbox_image::find_id;
use super::status::parse_status;
use super::writer::Writer;
use crate::list::{Items, Listed, Ranked};
use crate::notes::unreadable;
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

const LIST_CONTAINERS: &str = method!(runtime "ListContainers");

impl Client {
    /// Reads a list, and keeps as much of it as may be.
    fn list<T: Ranked>(
        &self,
        method: &str,
        within: Duration,
        parse: Parse<T>,
    ) -> Result<Listed<T>, Error> {
        let (mut items, request) = (Items::default(), Writer::default());
        self.each(method, request, within, parse, &mut |item, part| {
            items.take(item, part);
        })?;
        Ok(items.finish())
    }

    /// Hands out each item of a list, those without a readable id too.
    fn each<T>(
        &self,
        method: &str,
        request: Writer,
        within: Duration,
        parse: Parse<T>,
        take: &mut Take<'_, T>,
    ) -> Result<(), Error> {
        let whole = self.call_within(method, request, within, |reader| {
            parse_list(reader, parse, take)
        })?;
        whole.map_err(|fault: Fault| self.error(method, Failure::malformed(fault)))
    }

    fn each_container(&self, request: Writer, take: &mut Take<'_, Found>) -> Result<(), Error> {
        self.each(LIST_CONTAINERS, request, self.within, parse_container, take)
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

    /// The sandboxes, in every state.
    pub(super) fn sandboxes(&self) -> Result<Listed<Found>, Error> {
        let method = method!(runtime "ListPodSandbox");
        self.list(method, self.within, parse_sandbox)
    }

    /// The containers, in every state.
    pub(super) fn containers(&self) -> Result<Listed<Found>, Error> {
        self.list(LIST_CONTAINERS, self.within, parse_container)
    }

    /// The id of a container, in any state, that was made from the image of this id.
    pub(super) fn user_of(&self, image: &str) -> Result<Option<Arc<str>>, Error> {
        let (mut user, mut has_names) = (None, false);
        self.each_container(Writer::default(), &mut |found, _| {
            let container = found.container;
            has_names |= !is_image_id(&container.image);
            if *container.image == *image {
                user = Some(container.id);
            }
        })?;
        if user.is_some() || !has_names {
            return Ok(user);
        }
        let images = self.images(self.within)?.items;
        let image = images.iter().find(|one| one.id == image);
        let image: Vec<ListedImage> = image.cloned().into_iter().collect();
        self.each_container(Writer::default(), &mut |found, _| {
            if find_id(&found.container.image, &image).is_some() {
                user = Some(found.container.id);
            }
        })?;
        Ok(user)
    }

    /// Whether any container is in a sandbox, in every state; one of which that cannot be
    /// read may be.
    pub(super) fn is_used(&self, sandbox: &str) -> Result<bool, Error> {
        let (mut filter, mut request) = (Writer::default(), Writer::default());
        filter.text(3, sandbox);
        request.message(1, &filter);
        let mut is_used = false;
        self.each_container(request, &mut |found, unread| {
            // In case the filter was not understood.
            let is_in_it = found.container.sandbox.as_deref() == Some(sandbox);
            is_used |= is_in_it || unread.is_some() || found.container.id.is_empty();
        })?;
        Ok(is_used)
    }

    /// What a runtime tells of a sandbox beside the API's fields, a JSON text.
    pub(super) fn sandbox_info(&self, id: &str) -> Result<Vec<u8>, Error> {
        let mut request = of_id(id);
        request.number(2, 1);
        self.call(method!(runtime "PodSandboxStatus"), request, |reader| {
            parse_info(reader, "info")
        })
    }

    /// What is told of one container alone; `None` where there is no such container. Its
    /// process is told only where it is asked for.
    pub(super) fn status(
        &self,
        id: &str,
        process: bool,
        within: Duration,
    ) -> Result<Option<Details>, Error> {
        let mut request = of_id(id);
        request.number(2, process.into());
        let method = method!(runtime "ContainerStatus");
        let status = self.call_within(method, request, within, |reader| {
            let mut details = parse_status(reader)?;
            let fault = reader.take_fault().map(Fault::part);
            details.fault = fault.map(|part| unreadable(&part).into());
            Ok(details)
        });
        match status {
            Err(error) if error.code() == Some(NOT_FOUND) => Ok(None),
            status => status.map(Some),
        }
    }

    /// Hands out what the running containers have written into their layers, by their ids.
    /// Runtimes measure it every some seconds.
    pub(super) fn each_layer(
        &self,
        take: &mut Take<'_, (String, WritableLayer)>,
    ) -> Result<(), Error> {
        let method = method!(runtime "ListContainerStats");
        self.each(method, Writer::default(), self.within, parse_layer, take)
    }

    pub(super) fn images(&self, within: Duration) -> Result<Listed<ListedImage>, Error> {
        self.list(method!(image "ListImages"), within, parse_image)
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

    /// Stops several containers at once: each gets its stop signal now, and SIGKILL after
    /// `seconds`. Returns when all have ended. A container that is gone counts as ended. A call
    /// that fails keeps no other from being made.
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
