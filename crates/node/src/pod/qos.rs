use evictd_quantity::Quantity;

use crate::pod::requests::plus;
use crate::pod::{Pod, Resources};
use crate::{Policy, QosClass};

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
