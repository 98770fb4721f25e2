//! What is asked of a container runtime.

use core::time::Duration;

use crate::{Error, Failure, ListedImage, ListedVolume, RuntimeDisks, RuntimeListing, RuntimePod};

/// What a call gives that an implementation leaves out.
fn not_offered<T>(runtime: &(impl ContainerRuntime + ?Sized), call: &str) -> Result<T, Error> {
    Err(Error::new(runtime.endpoint(), call, Failure::NotOffered))
}

/// A container runtime behind its socket: the Docker Engine API or CRI.
///
/// Every call ends by a deadline of its own, reconnects by itself when the runtime was
/// started anew, and fails where its answer breaks off. An item of which something cannot be
/// read is in the list with the rest of it.
///
/// Three methods must be written; a runtime that offers no more can be listed. Each other call
/// fails with [`Failure::NotOffered`] unless its own text says what else it does.
///
/// ```
/// use evictd_containers::{ContainerRuntime, Error, Failure, RuntimeListing};
///
/// struct Empty;
///
/// impl ContainerRuntime for Empty {
///     fn endpoint(&self) -> &str {
///         "unix:///run/empty.sock"
///     }
///     fn version(&mut self) -> Result<String, Error> {
///         Ok("empty 1".to_owned())
///     }
///     fn list(&mut self) -> Result<RuntimeListing, Error> {
///         Ok(RuntimeListing::default())
///     }
/// }
///
/// let error = Empty.images().unwrap_err();
/// assert_eq!(error.failure, Failure::NotOffered);
/// assert_eq!(error.to_string(), "unix:///run/empty.sock: images: it offers no such call");
/// ```
pub trait ContainerRuntime: Send {
    /// The socket, as `--container-runtime-endpoint` names it:
    /// `unix:///run/containerd/containerd.sock`.
    fn endpoint(&self) -> &str;

    /// The runtime's name and version, in its own words (`containerd 1.6.20`).
    ///
    /// # Errors
    /// When there is no runtime, or it does not speak this API.
    fn version(&mut self) -> Result<String, Error>;

    /// All pods and containers that run, and those that do not as far as there is room.
    ///
    /// # Errors
    /// When the answer does not come to its end. What cannot be found out about one container
    /// is told by [`RuntimeListing::notes`].
    fn list(&mut self) -> Result<RuntimeListing, Error>;

    /// Begins to follow what happens to containers, over a connection of its own. The
    /// runtime's answers to other calls stay what counts: a change may go unnoticed.
    ///
    /// # Errors
    /// When the runtime does not tell of changes; or only [`Changes::wait`] says so.
    fn follow(&mut self) -> Result<Box<dyn Changes>, Error> {
        not_offered(self, "follow")
    }

    /// Fills in what is costly to find out and [`list`](Self::list) left open: the
    /// writable layers that only the runtime can measure. What cannot be found out
    /// stays [`WritableLayer::Unknown`](crate::WritableLayer::Unknown).
    ///
    /// # Errors
    /// When the runtime does not answer; then the listing is as it was.
    fn measure_layers(&mut self, listing: &mut RuntimeListing) -> Result<(), Error> {
        let _ = listing;
        Ok(())
    }

    /// All images, as far as there is room.
    ///
    /// # Errors
    /// When the answer does not come to its end.
    fn images(&mut self) -> Result<Vec<ListedImage>, Error> {
        not_offered(self, "images")
    }

    /// Where images and writable layers lie.
    ///
    /// # Errors
    /// When the runtime does not say.
    fn disks(&mut self) -> Result<RuntimeDisks, Error> {
        not_offered(self, "disks")
    }

    /// Ends all running containers of a pod and sees to it that nothing starts
    /// them again: each gets its stop signal at once, and SIGKILL after `grace`.
    /// Without a grace they are killed. Returns when they have ended.
    ///
    /// # Errors
    /// What the first failing call gave; the others are tried nevertheless. What
    /// is gone already is no error.
    fn end_pod(&mut self, pod: &RuntimePod, grace: Duration) -> Result<(), Error> {
        let _ = (pod, grace);
        not_offered(self, "end_pod")
    }

    /// What a container has written beside its volumes, in bytes: that is what its removal
    /// gives back. `None` where the runtime does not say so, or not soon.
    fn written_bytes(&mut self, id: &str) -> Option<u64> {
        let _ = id;
        None
    }

    /// Has a running container's log opened anew by whoever writes it, where its name leads
    /// now: after the file was renamed.
    ///
    /// # Errors
    /// When the log is still the former file; also of a runtime that has no such call.
    fn reopen_log(&mut self, id: &str) -> Result<(), Error> {
        let _ = id;
        let message = "it opens no log anew".into();
        let refused = Failure::Refused { code: 0, message };
        Err(Error::new(self.endpoint(), "ReopenContainerLog", refused))
    }

    /// Has what nothing refers to deleted, where the runtime keeps such things until it is
    /// told. Returns whether it does.
    ///
    /// # Errors
    /// When that could not be done.
    fn collect_garbage(&mut self) -> Result<bool, Error> {
        Ok(false)
    }

    /// Removes a container that has ended, and its anonymous volumes. One that
    /// is gone is no error; one that runs is.
    ///
    /// # Errors
    /// When it is still there.
    fn remove_container(&mut self, id: &str) -> Result<(), Error> {
        let _ = id;
        not_offered(self, "remove_container")
    }

    /// Stops and removes a sandbox that holds no container any more. One that is
    /// gone is no error.
    ///
    /// # Errors
    /// When it is still there.
    fn remove_sandbox(&mut self, id: &str) -> Result<(), Error> {
        let _ = id;
        not_offered(self, "remove_sandbox")
    }

    /// Removes an image with all its names. One that is gone is no error.
    ///
    /// Some runtimes remove an image that a container uses without a word: the
    /// caller asks [`list`](Self::list) first.
    ///
    /// # Errors
    /// When it is still there.
    fn remove_image(&mut self, id: &str) -> Result<(), Error> {
        let _ = id;
        not_offered(self, "remove_image")
    }

    /// The volumes that no container refers to, running or not; none where a runtime has no
    /// volumes of its own.
    ///
    /// # Errors
    /// When the answer does not come to its end.
    fn unused_volumes(&mut self) -> Result<Vec<ListedVolume>, Error> {
        Ok(Vec::new())
    }

    /// Removes a volume, never by force. One that is gone is no error; one that a container
    /// refers to is.
    ///
    /// # Errors
    /// When it is still there.
    fn remove_volume(&mut self, name: &str) -> Result<(), Error> {
        let _ = name;
        not_offered(self, "remove_volume")
    }

    /// How many bytes of what builds left for the next build could be pruned at the most;
    /// `None` where there is nothing of the kind.
    ///
    /// # Errors
    /// When the runtime does not say.
    fn prunable_build_cache(&mut self) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    /// Prunes what builds left for the next build and nobody has used for an hour, least
    /// recently used first: so much as is missing, or all of that. Returns how many bytes that
    /// freed; `None` where there is nothing of the kind.
    ///
    /// # Errors
    /// When the runtime does not do it.
    fn prune_build_cache(&mut self, missing: Option<u64>) -> Result<Option<u64>, Error> {
        let _ = missing;
        Ok(None)
    }
}

/// What a runtime says by itself while it is followed.
pub trait Changes: Send {
    /// Waits, that long at most, and returns whether a container has started, has ended, is
    /// gone, or is another one in some way. What has begun to come in may take two seconds more.
    ///
    /// # Errors
    /// When nothing more will come: the runtime has ended, does not tell of changes, or tells
    /// what makes no sense.
    fn wait(&mut self, at_most: Duration) -> Result<bool, Failure>;
}
