use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::Policy;
use crate::QosClass::{BestEffort, Burstable, Guaranteed};
use evictd_quantity::Quantity;

use super::*;

mod requests;

fn quantity(text: &str) -> Option<Quantity> {
    (!text.is_empty()).then(|| Quantity::parse(text).unwrap())
}

/// cpu and memory, empty for none.
fn list(cpu: &str, memory: &str) -> ResourceList {
    ResourceList {
        cpu: quantity(cpu).map(Box::new),
        memory: quantity(memory).map(Box::new),
        ..Default::default()
    }
}

/// Requests, then limits: cpu and memory of each.
fn container([cpu, memory, max_cpu, max_memory]: [&str; 4]) -> Container {
    Container {
        resources: Resources {
            requests: list(cpu, memory),
            limits: list(max_cpu, max_memory),
        },
        ..Default::default()
    }
}

fn disk(request: &str, limit: &str, sidecar: bool) -> Container {
    let mut container = Container::default();
    container.resources.requests.ephemeral_storage = quantity(request).map(Box::new);
    container.resources.limits.ephemeral_storage = quantity(limit).map(Box::new);
    container.restart_policy = sidecar.then(|| "Always".into());
    container
}

fn pod(containers: Vec<Container>, init_containers: Vec<Container>) -> Pod {
    let spec = Spec {
        containers,
        init_containers: init_containers.into(),
        ..Default::default()
    };
    Pod {
        spec,
        ..Default::default()
    }
}

#[test]
fn the_qos_class_comes_from_requests_and_limits() {
    let full = ["1", "1Gi", "1", "1Gi"];
    for (name, containers, class) in [
        ("nothing", &[["", "", "", ""]][..], BestEffort),
        ("zeros", &[["0", "0", "0", "0"]], BestEffort),
        ("below zero", &[["-1", "", "", ""]], BestEffort),
        ("no containers", &[], BestEffort),
        ("all equal", &[full], Guaranteed),
        (
            "equal in another spelling",
            &[["1", "1024Mi", "1000m", "1Gi"]],
            Guaranteed,
        ),
        ("limits alone", &[["", "", "1", "1Gi"]], Burstable),
        ("requests alone", &[["1", "1Gi", "", ""]], Burstable),
        ("no cpu limit", &[["", "1Gi", "", "1Gi"]], Burstable),
        ("a zero limit", &[["0", "1Gi", "0", "1Gi"]], Burstable),
        (
            "one container without",
            &[full, ["", "", "", ""]],
            Burstable,
        ),
        (
            "sums equal",
            &[["1", "1Gi", "2", "1Gi"], ["2", "1Gi", "1", "1Gi"]],
            Guaranteed,
        ),
        ("sums differ", &[full, ["1", "1Gi", "2", "1Gi"]], Burstable),
    ] {
        let regular = pod(
            containers.iter().copied().map(container).collect(),
            Vec::new(),
        );
        assert_eq!(
            regular.computed_qos_class(&Policy::default()),
            class,
            "{name}"
        );
        let init = pod(
            Vec::new(),
            containers.iter().copied().map(container).collect(),
        );
        assert_eq!(
            init.computed_qos_class(&Policy::default()),
            class,
            "{name}, init containers"
        );
    }
}

#[test]
fn a_preset_qos_class_wins() {
    let mut pod = pod(Vec::new(), Vec::new());
    pod.status.qos_class = Some(Guaranteed);
    assert_eq!(pod.qos_class(&Policy::default()), Guaranteed);
    assert_eq!(pod.computed_qos_class(&Policy::default()), BestEffort);
}

#[test]
fn critical_is_static_mirror_or_of_system_priority() {
    for (name, key, value, priority, critical) in [
        ("plain", "", "", None, false),
        (
            "from the API server",
            "kubernetes.io/config.source",
            "api",
            None,
            false,
        ),
        (
            "from a file",
            "kubernetes.io/config.source",
            "file",
            None,
            true,
        ),
        (
            "from nowhere",
            "kubernetes.io/config.source",
            "",
            None,
            true,
        ),
        ("mirror", "kubernetes.io/config.mirror", "", None, true),
        ("just below", "", "", Some(1_999_999_999), false),
        ("system", "", "", Some(2_000_000_000), true),
    ] {
        let mut pod = Pod::default();
        if !key.is_empty() {
            pod.metadata
                .annotations
                .insert(key.to_owned(), value.to_owned());
        }
        pod.spec.priority = priority;
        assert_eq!(pod.is_critical(), critical, "{name}");
    }
}

#[test]
fn the_local_storage_limit_knows_sidecars() {
    let (sidecar, init) = (true, false);
    for (name, regular, steps, overhead, limit) in [
        ("none", &[""][..], &[][..], "", None),
        ("zero is a limit", &["", "0"], &[], "", Some("0")),
        ("sum", &["1Gi", "", "1Gi"], &[], "", Some("2Gi")),
        (
            "sidecars add up",
            &["1Gi"],
            &[("1Gi", sidecar), ("2Gi", sidecar)],
            "",
            Some("4Gi"),
        ),
        (
            "a small init container",
            &["2Gi"],
            &[("1Gi", init)],
            "",
            Some("2Gi"),
        ),
        (
            "a large one beside a sidecar",
            &["1Gi"],
            &[("1Gi", sidecar), ("4Gi", init)],
            "",
            Some("5Gi"),
        ),
        (
            "before the sidecar",
            &["1Gi"],
            &[("4Gi", init), ("1Gi", sidecar)],
            "",
            Some("4Gi"),
        ),
        ("init alone", &[""], &[("1Gi", init)], "", Some("1Gi")),
        ("overhead", &["1Gi"], &[], "1Gi", Some("2Gi")),
        ("overhead of zero", &["0"], &[], "1Gi", Some("0")),
        ("overhead of nothing", &[""], &[], "1Gi", None),
    ] {
        let regular = regular.iter().map(|text| disk("", text, false)).collect();
        let steps = steps
            .iter()
            .map(|(text, sidecar)| disk("", text, *sidecar))
            .collect();
        let mut pod = pod(regular, steps);
        pod.spec.overhead = Some(Box::new(ResourceList {
            ephemeral_storage: quantity(overhead).map(Box::new),
            ..ResourceList::default()
        }));
        let ours = pod.local_storage_limit().map(|limit| limit.to_string());
        assert_eq!(ours.as_deref(), limit, "{name}");
    }
}

#[test]
fn some_volumes_count_as_the_pods_own_disk() {
    let empty_dir = |medium| VolumeSource::EmptyDir {
        medium: Medium::from_name(medium),
        size_limit: None,
    };
    for (source, local) in [
        (empty_dir(""), true),
        (empty_dir("Memory"), false),
        (empty_dir("HugePages-2Mi"), false),
        (
            VolumeSource::HostPath {
                path: String::new(),
            },
            true,
        ),
        (VolumeSource::ConfigMap, true),
        (VolumeSource::GitRepo, true),
        (VolumeSource::Other, false),
    ] {
        let volume = Volume {
            source,
            ..Default::default()
        };
        assert_eq!(volume.is_local(), local, "{:?}", volume.source);
    }
}

#[test]
fn tolerations_match_as_in_kubernetes() {
    let key = "node.kubernetes.io/memory-pressure";
    for (name, ours, tolerates) in [
        ("exact", [key, "Exists", "", "NoSchedule"], true),
        ("any key", ["", "Exists", "", "NoSchedule"], true),
        ("any effect", [key, "Exists", "", ""], true),
        ("equal to no value", [key, "", "", "NoSchedule"], true),
        ("equal to another", [key, "Equal", "x", "NoSchedule"], false),
        ("other effect", [key, "Exists", "", "NoExecute"], false),
        ("other key", ["foo", "Exists", "", ""], false),
        ("unknown operator", [key, "exists", "", ""], false),
        ("greater, with its gate off", [key, "Gt", "1", ""], false),
        ("less, with its gate off", [key, "Lt", "1", ""], false),
    ] {
        let [key_of_ours, operator, value, effect] = ours.map(ToOwned::to_owned);
        let toleration = Toleration {
            key: key_of_ours,
            operator,
            value,
            effect,
        };
        assert_eq!(
            toleration.tolerates(key, "", "NoSchedule"),
            tolerates,
            "{name}"
        );
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::*;

    fn read(text: &str) -> Result<Pod, String> {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let from_value: Result<Pod, _> = serde_json::from_value(value);
        from_value.map_err(|error| error.to_string())
    }

    #[test]
    fn a_pod_is_read_in_the_kubernetes_shape() {
        let pod = read(
            r#"{"apiVersion":"v1","kind":"Pod",
            "metadata":{"name":"a","namespace":"b","uid":"c","labels":{"app":"x","none":null}},
            "spec":{"containers":[{"name":"c0","image":"i","resources":
                {"requests":{"cpu":1,"memory":" 64Mi ","nvidia.com/gpu":"1"},"limits":{"cpu":0.5}}},null],
              "initContainers":[{"name":"i0","restartPolicy":"Always"}],
              "volumes":[{"name":"v","emptyDir":{"medium":"Memory","sizeLimit":"1Gi"}},
                {"emptyDir":null,"name":"w","hostPath":{"path":"/x"}},{"name":"n","nfs":{}}],
              "priority":7,"terminationGracePeriodSeconds":-1,"nodeName":null,
              "tolerations":[{"operator":"Exists"}]},
            "status":{"qosClass":"Burstable"}}"#,
        )
        .unwrap();
        assert_eq!(pod.metadata.uid, "c");
        assert_eq!(pod.metadata.labels["none"], "");
        let resources = &pod.spec.containers[0].resources;
        assert_eq!(resources.requests, list("1", "64Mi"));
        assert_eq!(resources.limits, list("500m", ""));
        assert_eq!(pod.spec.containers[1], Container::default());
        assert!(pod.spec.init_containers[0].is_sidecar());
        let sources: Vec<_> = pod
            .spec
            .volumes
            .iter()
            .map(|volume| volume.source.clone())
            .collect();
        assert_eq!(
            sources,
            [
                VolumeSource::EmptyDir {
                    medium: Medium::Memory,
                    size_limit: quantity("1Gi")
                },
                VolumeSource::HostPath {
                    path: "/x".to_owned()
                },
                VolumeSource::Other,
            ]
        );
        assert_eq!(
            (pod.priority(), pod.spec.termination_grace_period_seconds),
            (7, Some(-1))
        );
        assert_eq!(pod.status.qos_class, Some(Burstable));
    }

    #[test]
    fn null_counts_as_absent() {
        for text in [
            r#"{"metadata":null,"spec":null,"status":null}"#,
            r#"{"metadata":{"name":null,"labels":null}}"#,
            r#"{"spec":{"containers":null,"overhead":null,"resources":null,"priority":null}}"#,
            r#"{"spec":{"overhead":{"cpu":null}},"status":{"qosClass":null}}"#,
            r#"{"status":{"qosClass":""}}"#,
        ] {
            assert_eq!(read(text), Ok(Pod::default()), "{text}");
        }
    }

    #[test]
    fn errors_name_the_field() {
        for (text, message) in [
            ("[]", "invalid type: sequence, expected an object"),
            (
                r#"{"metadata":{"name":5}}"#,
                ".metadata.name: invalid type: integer `5`, expected a string",
            ),
            (
                r#"{"metadata":{"labels":{"a/b":true}}}"#,
                ".metadata.labels.a/b: invalid type: boolean `true`, expected a string",
            ),
            (
                r#"{"spec":{"containers":{}}}"#,
                ".spec.containers: invalid type: map, expected a list",
            ),
            (
                r#"{"spec":{"initContainers":[{},{"resources":{"limits":{"cpu":[]}}}]}}"#,
                ".spec.initContainers[1].resources.limits.cpu: \
                 invalid type: sequence, expected a quantity",
            ),
            (
                r#"{"spec":{"volumes":[{"emptyDir":{"sizeLimit":true}}]}}"#,
                ".spec.volumes[0].emptyDir.sizeLimit: \
                 invalid type: boolean `true`, expected a quantity",
            ),
            (
                r#"{"spec":{"priority":3000000000}}"#,
                ".spec.priority: invalid value: integer `3000000000`, expected i32",
            ),
            (
                r#"{"spec":{"priority":7.5}}"#,
                ".spec.priority: invalid type: floating point `7.5`, expected i32",
            ),
            (
                r#"{"spec":{"terminationGracePeriodSeconds":18446744073709551615}}"#,
                ".spec.terminationGracePeriodSeconds: \
                 invalid value: integer `18446744073709551615`, expected i64",
            ),
            (
                r#"{"status":{"qosClass":"Gold"}}"#,
                ".status.qosClass: \"Gold\" is no QoS class",
            ),
        ] {
            assert_eq!(read(text), Err(message.to_owned()), "{text}");
        }
        let error =
            read(r#"{"spec":{"containers":[{"resources":{"requests":{"memory":"1k5"}}}]}}"#);
        let error = error.unwrap_err();
        let start = ".spec.containers[0].resources.requests.memory: \"1k5\" is no quantity: ";
        assert!(error.starts_with(start), "{error}");
    }

    #[test]
    fn text_that_is_no_pod_names_the_field_too() {
        let error = serde_json::from_str::<Pod>(r#"{"spec":{"priority":"x"}}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            ".spec.priority: invalid type: string \"x\", expected i32"
        );
    }

    #[test]
    fn errors_keep_path_and_problem_apart() {
        let value = serde_json::json!({"metadata": {"labels": {"a: b": 1.5}}});
        let error = Pod::from_json(&value).unwrap_err();
        assert_eq!(error.path, ".metadata.labels.a: b");
        assert_eq!(
            error.problem,
            "invalid type: floating point `1.5`, expected a string"
        );
    }
}
