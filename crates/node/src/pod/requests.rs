//! What a pod requests, and which QoS class that makes it.

use evictd_quantity::{Format, Quantity};

use crate::pod::{Container, Pod, ResourceList, Resources};
use crate::{Policy, QosClass};

/// What a pod may request that eviction compares its usage with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Requested {
    /// Cores.
    Cpu,
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
            Self::Cpu => list.cpu.as_deref(),
            Self::Memory => list.memory.as_deref(),
            Self::EphemeralStorage => list.ephemeral_storage.as_deref(),
            Self::Inodes => list.inodes.as_deref(),
        }
    }

    const fn format(self) -> Format {
        match self {
            Self::Memory | Self::EphemeralStorage => Format::BinarySi,
            Self::Cpu | Self::Inodes => Format::DecimalSi,
        }
    }

    /// Whether `spec.resources` may name it.
    const fn is_of_the_whole(self) -> bool {
        matches!(self, Self::Cpu | Self::Memory)
    }
}

impl Pod {
    /// What the whole pod requests, as the eviction manager reckons it (K: `PodRequests`).
    ///
    /// Containers add up as in [`Pod::local_storage_limit`]. With `spec.resources` they are
    /// not looked at: what it does not name is not requested, but for what it cannot name,
    /// local storage, which the containers go on requesting. The overhead is added unless
    /// that is zero. The switches of `policy` give the kubelets' ways.
    #[must_use]
    pub fn request(&self, what: Requested, policy: &Policy) -> Quantity {
        let request = match self.resources_of_the_whole(policy) {
            Some(whole) if what.is_of_the_whole() => what.of(&whole.requests).map(without_text),
            Some(_) if policy.pod_resources_hide_storage_requests => None,
            _ if policy.sidecars_do_not_add_up => self.request_without_sidecars(what),
            _ => self.aggregate_request(what),
        };
        let request = request.unwrap_or(Quantity::from_int(0, what.format()));
        self.with_overhead(request, what)
    }

    /// `spec.resources`, where it counts.
    fn resources_of_the_whole(&self, policy: &Policy) -> Option<&Resources> {
        let whole = self.spec.resources.as_deref();
        whole.filter(|whole| !policy.pod_resources_are_ignored && whole.name_anything())
    }

    /// The sum of the regular containers, or the request of a single init container that is
    /// larger (kubelet v1.32: `GetResourceRequestQuantity`).
    fn request_without_sidecars(&self, what: Requested) -> Option<Quantity> {
        let mut most = None;
        for container in &self.spec.containers {
            most = plus(most, what.of(&container.resources.requests));
        }
        for container in &self.spec.init_containers {
            most = larger(
                most,
                what.of(&container.resources.requests).map(without_text),
            );
        }
        most
    }

    fn with_overhead(&self, amount: Quantity, what: Requested) -> Quantity {
        match self.spec.overhead.as_deref().and_then(|all| what.of(all)) {
            Some(overhead) if !amount.is_zero() => &amount + overhead,
            _ => amount,
        }
    }

    /// Bytes of local storage that the whole pod may use; `None` where no
    /// container is limited (kubelet v1.32: `PodLimits` of component-helpers).
    ///
    /// Regular containers and sidecars add up. Each init container needs room
    /// beside the sidecars started before it, and the largest such sum counts if
    /// it is larger. The overhead is added unless the limit is zero. A limit of
    /// zero is a limit. `spec.resources` plays no part.
    #[must_use]
    pub fn local_storage_limit(&self) -> Option<Quantity> {
        let what = Requested::EphemeralStorage;
        let limit = self.aggregate(|container| what.of(&container.resources.limits).cloned())?;
        Some(self.with_overhead(limit, what))
    }

    /// What the containers request together, sidecars counted as in
    /// [`Pod::local_storage_limit`] and without overhead; `None` where none does (K:
    /// `AggregateContainerRequests`).
    ///
    /// Not what eviction compares with: that is [`Pod::request`].
    #[must_use]
    pub fn aggregate_request(&self, what: Requested) -> Option<Quantity> {
        self.aggregate(|container| what.of(&container.resources.requests).map(without_text))
    }

    /// The sidecar-aware sum of what `of` says of each container.
    fn aggregate(&self, of: impl Fn(&Container) -> Option<Quantity>) -> Option<Quantity> {
        let mut sum = None;
        for container in &self.spec.containers {
            sum = plus(sum, of(container).as_ref());
        }
        let mut sidecars = None;
        let mut peak = None;
        for container in &self.spec.init_containers {
            let own = of(container);
            // The left side gives a sum its format, hence two orders.
            let step = if container.is_sidecar() {
                sum = plus(sum, own.as_ref());
                sidecars = plus(sidecars, own.as_ref());
                sidecars.clone()
            } else {
                plus(own, sidecars.as_ref())
            };
            peak = larger(peak, step);
        }
        larger(sum, peak)
    }
}

/// The number alone. A copy of the text that it was read from would take memory, which
/// may be short where requests are compared.
fn without_text(quantity: &Quantity) -> Quantity {
    &Quantity::ZERO + quantity
}

/// The sum of those that are there.
pub(super) fn plus(sum: Option<Quantity>, more: Option<&Quantity>) -> Option<Quantity> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(&sum + more),
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

impl Pod {
    /// Its QoS class: the one that the status presets, else the computed one (K:
    /// `GetPodQOS`).
    #[must_use]
    pub fn qos_class(&self, policy: &Policy) -> QosClass {
        let computed = || self.computed_qos_class(policy);
        self.status.qos_class.unwrap_or_else(computed)
    }

    /// Its QoS class by its requests and limits, whatever the status says (K:
    /// `ComputePodQOS`).
    ///
    /// Only cpu and memory count, and only above zero. BestEffort: none at all.
    /// Guaranteed: every container, init ones too, limits both, and the sums of
    /// the requests equal the sums of the limits. Limits are not taken for
    /// requests here; the API server does that before.
    /// `spec.resources` takes the place of the containers' where it names anything; the
    /// switches of `policy` give the kubelets' ways.
    #[must_use]
    pub fn computed_qos_class(&self, policy: &Policy) -> QosClass {
        let decides = |whole: &&Resources| {
            !policy.pod_resources_are_ignored
                && (policy.empty_pod_resources_decide_qos || whole.name_anything())
        };
        let pod_level = self.spec.resources.as_deref().filter(decides);
        let containers = self.all_containers().map(|container| &container.resources);
        let containers = containers.filter(|_| pod_level.is_none());
        let mut all = pod_level.into_iter().chain(containers);
        let sum = |of: fn(&Resources) -> Option<&Quantity>| {
            let amounts = all.clone().filter_map(of).filter(is_counted);
            amounts.fold(None, |sum, amount| plus(sum, Some(amount)))
        };
        let requests = [
            sum(|resources| resources.requests.cpu.as_deref()),
            sum(|resources| resources.requests.memory.as_deref()),
        ];
        let limits = [
            sum(|resources| resources.limits.cpu.as_deref()),
            sum(|resources| resources.limits.memory.as_deref()),
        ];
        let is_limited = |resources: &Resources| {
            let limits = [&resources.limits.cpu, &resources.limits.memory];
            limits
                .iter()
                .all(|l| l.as_deref().is_some_and(|l| is_counted(&l)))
        };
        if requests.iter().chain(&limits).all(Option::is_none) {
            QosClass::BestEffort
        } else if requests == limits && all.all(is_limited) {
            QosClass::Guaranteed
        } else {
            QosClass::Burstable
        }
    }
}

fn is_counted(amount: &&Quantity) -> bool {
    amount.signum() > 0
}
