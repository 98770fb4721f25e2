//! Requests and limits of a container, from what it was given.

use crate::docker_api::ContainerDetail;
use evictd_node::pod::{ResourceList, Resources};
use evictd_quantity::Quantity;

use crate::remote::{bytes, cpu, thousandths};

/// What a container requests and is limited to. `memory_request` is what a label
/// asks for.
pub(super) fn resources(detail: &ContainerDetail, memory_request: Option<Quantity>) -> Resources {
    let reserved = detail.memory_reservation_bytes.map(|set| bytes(set.get()));
    Resources {
        requests: ResourceList {
            cpu: detail
                .cpu_shares
                .map(|shares| cpu(thousandths(shares.get()))),
            memory: memory_request.or(reserved),
            ..ResourceList::default()
        },
        limits: ResourceList {
            cpu: detail
                .nano_cpus
                .map(|nanos| cpu(nanos.get().div_ceil(1_000_000))),
            memory: detail.memory_bytes.map(|set| bytes(set.get())),
            ..ResourceList::default()
        },
    }
}
