//! What kubelets say and enforce since 1.36, and what evictd does beyond.

use alloc::format;

use evictd_node::KubeletVersion;
use evictd_node::pod::{Container, Resources};

use super::*;

/// What is said of the pod's eviction for memory.
fn message(pod: &Pod, usage: &PodUsage, policy: Policy) -> Message {
    let candidates = [Candidate::new(pod, Some(usage))];
    let lists = Lists {
        hard: "memory.available<1Gi",
        ..Lists::default()
    };
    let mut evict = machine(&lists, |config| config.policy = policy);
    let low = readings(seconds(0), &[(MEMORY, GI / 2)]);
    let observation = Observation {
        readings: &low,
        layout: None,
    };
    let Plan::Evict(eviction) = evict.step(seconds(0), &observation, Some(&candidates)) else {
        panic!("a pod is evicted")
    };
    evict.message(&eviction, &candidates[0])
}

/// In the kubelet's words, which claim that the pod uses more whether or not it does.
#[test]
fn the_message_names_the_pod_that_requests_memory_as_a_whole() {
    let mut whole = pod("web", 0);
    let mut resources = Resources::default();
    resources.requests.memory = Quantity::parse("1Gi").ok().map(Into::into);
    whole.spec.resources = Some(Box::new(resources));
    let usage = PodUsage {
        memory_working_set_bytes: Some(512 << 20),
        ..PodUsage::default()
    };
    let threshold =
        "The node was low on resource: memory. Threshold quantity: 1Gi, available: 512Mi. ";
    let ours = message(&whole, &usage, Policy::default());
    let pod = "Pod web was using 512Mi, request is 1Gi, has larger consumption of memory. ";
    assert_eq!(ours.text, format!("{threshold}{pod}"));
    let (name, used) = ours.annotations.unwrap().offending_pod.unwrap();
    assert_eq!((&*name, &*used.to_string()), ("web", "512Mi"));

    let older = Policy::of(KubeletVersion::V1_32);
    let without = message(&whole, &usage, older);
    assert_eq!(without.text, threshold);
    assert_eq!(without.annotations.unwrap().offending_pod, None);
    let whole = super::pod("web", 0);
    let without = message(&whole, &usage, Policy::default());
    assert_eq!(without.text, threshold, "it requests nothing as a whole");
}

/// As in 1.37; an init container that ends is not looked at.
#[test]
fn a_sidecar_above_its_own_limit_of_disk_is_evicted() {
    let mut limited = pod("web", 0);
    let mut sidecar = Container {
        name: "proxy".to_string(),
        restart_policy: Some("Always".into()),
        ..Container::default()
    };
    sidecar.resources.limits.ephemeral_storage = Quantity::parse("1Mi").ok().map(Into::into);
    limited.spec.init_containers = [sidecar].into();
    let usage = PodUsage {
        containers: [ContainerUsage {
            name: "proxy".to_string(),
            logs_bytes: Some((1 << 20) + 1),
            ..ContainerUsage::default()
        }]
        .into(),
        ..PodUsage::default()
    };
    let evicted = |pod: &Pod, policy: Policy| {
        let candidates = [Candidate::new(pod, Some(&usage))];
        let mut evict = machine(&Lists::default(), |config| config.policy = policy);
        let readings = Readings::default();
        let observation = Observation {
            readings: &readings,
            layout: Some(Layout::OneFilesystem),
        };
        match evict.step(seconds(0), &observation, Some(&candidates)) {
            Plan::Evict(eviction) => Some(evict.message(&eviction, &candidates[0]).text),
            Plan::Rest
            | Plan::ReadPods
            | Plan::Relieve(_)
            | Plan::KillNow
            | Plan::NoCandidate(..) => None,
        }
    };
    assert_eq!(
        evicted(&limited, Policy::default()).as_deref(),
        Some("Container proxy exceeded its local ephemeral storage limit \"1Mi\". ")
    );
    assert_eq!(evicted(&limited, Policy::kubelet()), None);
    limited.spec.init_containers[0].restart_policy = None;
    assert_eq!(evicted(&limited, Policy::default()), None);
}
