use evictd_quantity::{Format, Quantity};

use crate::pod::{Container, Pod, ResourceList};

/// What a pod may request that eviction compares its usage with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Requested {
    /// Bytes of memory.
    Memory,
    /// Bytes of local disk.
    EphemeralStorage,
    /// Inodes: hardly ever requested, see [`ResourceList::inodes`].
    Inodes,
}

impl Requested {
    /// The quantity of this resource in `list`.
    #[must_use]
    pub fn of(self, list: &ResourceList) -> Option<&Quantity> {
        match self {
            Self::Memory => list.memory.as_deref(),
            Self::EphemeralStorage => list.ephemeral_storage.as_deref(),
            Self::Inodes => list.inodes.as_deref(),
        }
    }

    const fn format(self) -> Format {
        match self {
            Self::Memory | Self::EphemeralStorage => Format::BinarySi,
            Self::Inodes => Format::DecimalSi,
        }
    }
}

impl Pod {
    /// What the whole pod requests, as the eviction manager reckons it (kubelet
    /// v1.32: `GetResourceRequestQuantity`).
    ///
    /// The sum of the regular containers; a single init container, sidecars too,
    /// that requests more takes its place; the overhead is added unless that is
    /// zero. Pod-level resources play no part.
    #[must_use]
    pub fn request(&self, what: Requested) -> Quantity {
        let mut request = Quantity::from_int(0, what.format());
        for container in &self.spec.containers {
            if let Some(own) = what.of(&container.resources.requests) {
                request = request.add(own);
            }
        }
        for container in &self.spec.init_containers {
            if let Some(own) = what.of(&container.resources.requests)
                && *own > request
            {
                request = own.clone();
            }
        }
        match self.spec.overhead.as_deref().and_then(|all| what.of(all)) {
            Some(overhead) if !request.is_zero() => request.add(overhead),
            _ => request,
        }
    }

    /// Bytes of local storage that the whole pod may use; `None` where no
    /// container is limited (kubelet v1.32: `PodLimits` of component-helpers).
    ///
    /// Regular containers and sidecars add up. Each init container needs room
    /// beside the sidecars started before it, and the largest such sum counts if
    /// it is larger. The overhead is added unless the limit is zero. A limit of
    /// zero is a limit.
    #[must_use]
    pub fn local_storage_limit(&self) -> Option<Quantity> {
        let what = Requested::EphemeralStorage;
        let limit = self.aggregate(|container| what.of(&container.resources.limits))?;
        Some(
            match self.spec.overhead.as_deref().and_then(|all| what.of(all)) {
                Some(overhead) if !limit.is_zero() => limit.add(overhead),
                _ => limit,
            },
        )
    }

    /// Bytes of memory that the containers request together, sidecars counted as
    /// in [`Pod::local_storage_limit`] and without overhead; `None` where none
    /// does (kubelet v1.32: `AggregateContainerRequests`).
    ///
    /// Not what eviction compares with: that is [`Pod::request`].
    #[must_use]
    pub fn aggregate_memory_request(&self) -> Option<Quantity> {
        self.aggregate(|container| Requested::Memory.of(&container.resources.requests))
    }

    /// The sidecar-aware sum of what `of` says of each container.
    fn aggregate(&self, of: impl Fn(&Container) -> Option<&Quantity>) -> Option<Quantity> {
        let mut sum = None;
        for container in &self.spec.containers {
            sum = plus(sum, of(container));
        }
        let mut sidecars = None;
        let mut peak = None;
        for container in &self.spec.init_containers {
            let own = of(container);
            // The left side gives a sum its format, hence two orders.
            let step = if container.is_sidecar() {
                sum = plus(sum, own);
                sidecars = plus(sidecars, own);
                sidecars.clone()
            } else {
                plus(own.cloned(), sidecars.as_ref())
            };
            peak = larger(peak, step);
        }
        larger(sum, peak)
    }
}

/// The sum of those that are there.
pub(super) fn plus(sum: Option<Quantity>, more: Option<&Quantity>) -> Option<Quantity> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(sum.add(more)),
        (sum, more) => sum.or_else(|| more.cloned()),
    }
}

/// The larger of those that are there; the first of equals.
fn larger(first: Option<Quantity>, second: Option<Quantity>) -> Option<Quantity> {
    match (first, second) {
        (Some(first), Some(second)) if second > first => Some(second),
        (first, second) => first.or(second),
    }
}
