use crate::QosClass;
use evictd_quantity::Quantity;

use crate::pod::{Pod, ResourceList};

impl Pod {
    /// Its QoS class: the one that the status presets, else the computed one
    /// without pod-level resources (kubelet v1.32: `GetPodQOS`).
    #[must_use]
    pub fn qos_class(&self) -> QosClass {
        self.qos_class_with(false)
    }

    /// As [`Pod::qos_class`], with or without the alpha gate
    /// `PodLevelResources`.
    #[must_use]
    pub fn qos_class_with(&self, pod_level_resources: bool) -> QosClass {
        self.status
            .qos_class
            .unwrap_or_else(|| self.computed_qos_class(pod_level_resources))
    }

    /// Its QoS class by its requests and limits, whatever the status says
    /// (kubelet v1.32: `ComputePodQOS`).
    ///
    /// Only cpu and memory count, and only above zero. BestEffort: none at all.
    /// Guaranteed: every container, init ones too, limits both, and the sums of
    /// the requests equal the sums of the limits. Limits are not taken for
    /// requests here; the API server does that before.
    /// With `pod_level_resources`, `spec.resources` takes the place of the
    /// containers' where it is given.
    #[must_use]
    pub fn computed_qos_class(&self, pod_level_resources: bool) -> QosClass {
        let mut sums = Sums::default();
        match &self.spec.resources {
            Some(resources) if pod_level_resources => {
                sums.add(&resources.requests, &resources.limits);
            }
            _ => {
                for container in self.all_containers() {
                    sums.add(&container.resources.requests, &container.resources.limits);
                }
            }
        }
        sums.class()
    }
}

/// The sums of cpu and memory over the containers; `None` while nothing above
/// zero was seen.
#[derive(Default)]
struct Sums {
    requests: [Option<Quantity>; 2],
    limits: [Option<Quantity>; 2],
    /// A container lacks one of the two limits.
    unlimited: bool,
}

impl Sums {
    fn add(&mut self, requests: &ResourceList, limits: &ResourceList) {
        let limits = counted(limits);
        self.unlimited |= limits.iter().any(Option::is_none);
        grow(&mut self.requests, counted(requests));
        grow(&mut self.limits, limits);
    }

    fn class(&self) -> QosClass {
        if self
            .requests
            .iter()
            .chain(&self.limits)
            .all(Option::is_none)
        {
            QosClass::BestEffort
        } else if !self.unlimited && self.requests == self.limits {
            QosClass::Guaranteed
        } else {
            QosClass::Burstable
        }
    }
}

/// Cpu and memory where they are above zero.
fn counted(list: &ResourceList) -> [Option<&Quantity>; 2] {
    [list.cpu.as_deref(), list.memory.as_deref()]
        .map(|quantity| quantity.filter(|q| q.signum() > 0))
}

fn grow(sums: &mut [Option<Quantity>; 2], by: [Option<&Quantity>; 2]) {
    for (sum, quantity) in sums.iter_mut().zip(by) {
        if let Some(quantity) = quantity {
            *sum = Some(
                sum.as_ref()
                    .map_or_else(|| quantity.clone(), |sum| sum.add(quantity)),
            );
        }
    }
}
