use core::ffi::CStr;

use evictd_kerntext::{Limit, parse_limit};
use evictd_node::QosClass;
use evictd_node::pod::{Container, Pod, ResourceList, Resources};
use evictd_quantity::{Format, Quantity};
use evictd_stats::Version;
use rustix::fd::BorrowedFd;

use crate::dir::read_start;

/// Room for one number.
const NUMBER_BYTES: usize = 64;

/// What a cgroup says about memory. Each is `None` when it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) request_bytes: Option<u64>,
    pub(super) limit_bytes: Option<u64>,
}

impl Numbers {
    /// Reads them from a cgroup of the memory controller.
    ///
    /// v2: the request is the larger of `memory.min` and `memory.low`, the
    /// limit is `memory.max`. v1: `memory.soft_limit_in_bytes` and
    /// `memory.limit_in_bytes`. A file that is missing or makes no sense says
    /// nothing.
    pub(super) fn read(dir: BorrowedFd<'_>, version: Version) -> Self {
        let read = |name: &CStr| {
            let mut buffer = [0; NUMBER_BYTES];
            parse_limit(read_start(dir, name, &mut buffer).ok()?).ok()
        };
        match version {
            Version::V1 => Self {
                request_bytes: read(c"memory.soft_limit_in_bytes").and_then(Limit::value),
                limit_bytes: read(c"memory.limit_in_bytes").and_then(Limit::value),
            },
            Version::V2 => {
                let guarded = read(c"memory.min").max(read(c"memory.low"));
                let guarded = guarded.filter(|guarded| *guarded != Limit::Value(0));
                Self {
                    // `max` protects whatever it uses: it never exceeds that.
                    request_bytes: guarded.map(|guarded| guarded.value().unwrap_or(u64::MAX)),
                    limit_bytes: read(c"memory.max").and_then(Limit::value),
                }
            }
        }
    }

    /// A pod with one container that has these numbers.
    ///
    /// The QoS class follows from them by the pods' rule, applied to memory
    /// alone, as a cgroup does not say what it requests of the processor:
    /// BestEffort with neither, Guaranteed when both are equal, else Burstable.
    pub(super) fn pod(self, name: &str) -> Pod {
        let mut pod = Pod::default();
        pod.metadata.name = name.to_owned();
        // No room for others: there may be thousands of pods.
        pod.spec.containers = Vec::from([Container {
            name: name.to_owned(),
            resources: self.resources(),
            ..Container::default()
        }]);
        pod.status.qos_class = Some(self.qos_class());
        pod
    }

    /// Whether such a pod is this one, but for its class.
    pub(super) fn are_of(self, pod: &Pod) -> bool {
        let only = pod.spec.containers.first();
        only.is_some_and(|only| only.resources == self.resources())
    }

    pub(super) fn resources(self) -> Resources {
        let list = |bytes: Option<u64>| ResourceList {
            memory: bytes.map(quantity).map(Box::new),
            ..ResourceList::default()
        };
        Resources {
            requests: list(self.request_bytes),
            limits: list(self.limit_bytes),
        }
    }

    pub(super) fn qos_class(self) -> QosClass {
        match (self.request_bytes, self.limit_bytes) {
            (None, None) => QosClass::BestEffort,
            (Some(request), Some(limit)) if request == limit => QosClass::Guaranteed,
            (_, _) => QosClass::Burstable,
        }
    }
}

fn quantity(bytes: u64) -> Quantity {
    Quantity::from_int(i64::try_from(bytes).unwrap_or(i64::MAX), Format::BinarySi)
}
