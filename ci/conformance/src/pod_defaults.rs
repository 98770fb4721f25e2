//! Pods from files, with the defaults of the API.

use evictd_manifest::parse_pods;
use evictd_node::pod::{Container, ResourceList, Resources};
use evictd_quantity::Quantity;
use serde_json::Value;

use crate::case::{Outcome, same, text};
use crate::requests::same_requests;
use crate::rules::Rules;

/// Judges one case: what the manifest reader makes of the pod.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let mut manifest = case["pod"].clone();
    if let Some(fields) = manifest.as_object_mut() {
        fields.insert("apiVersion".to_owned(), "v1".into());
        fields.insert("kind".to_owned(), "Pod".into());
    }
    let pods = parse_pods(manifest.to_string().as_bytes()).map_err(|error| error.to_string())?;
    let [pod] = &pods[..] else {
        return Err(format!("{} pods instead of one", pods.len()));
    };
    let whole = pod.spec.resources.as_deref();
    let theirs = case.get("resources");
    if let (Some(whole), theirs) = (whole, theirs.unwrap_or(&Value::Null)) {
        same_resources("the pod", whole, theirs)?;
    } else {
        same("resources of the pod", false, theirs.is_some())?;
    }
    for (field, containers) in [
        ("containers", &*pod.spec.containers),
        ("initContainers", &*pod.spec.init_containers),
    ] {
        same_containers(containers, &case[field])?;
    }
    let policy = rules.policy_of(case);
    same("qos", pod.qos_class(&policy).name(), text(case, "qos"))?;
    same_requests(pod, &case["requests"], &policy)
}

fn same_containers(ours: &[Container], theirs: &Value) -> Outcome {
    let count = theirs.as_object().map_or(0, serde_json::Map::len);
    same("containers", ours.len(), count)?;
    ours.iter().try_for_each(|container| {
        let theirs = theirs.get(&container.name).ok_or("no such container")?;
        same_resources(&container.name, &container.resources, theirs)
    })
}

fn same_resources(of: &str, ours: &Resources, theirs: &Value) -> Outcome {
    same_list(of, "requests", &ours.requests, &theirs["requests"])?;
    same_list(of, "limits", &ours.limits, &theirs["limits"])
}

/// Compares what eviction looks at; all else a pod may name is not kept.
fn same_list(of: &str, which: &str, ours: &ResourceList, theirs: &Value) -> Outcome {
    for (name, amount) in [
        ("cpu", &ours.cpu),
        ("memory", &ours.memory),
        ("ephemeral-storage", &ours.ephemeral_storage),
    ] {
        let ours = amount.as_deref().map(Quantity::canonical);
        let theirs = theirs[name].as_str();
        same(
            &format!("{which} of {name} of {of}"),
            ours.as_deref(),
            theirs,
        )?;
    }
    let fields = theirs.as_object();
    let is_huge = |name: &String| name.starts_with("hugepages-");
    let huge_pages = fields.is_some_and(|fields| fields.keys().any(is_huge));
    same(
        &format!("{which} of huge pages of {of}"),
        ours.huge_pages,
        huge_pages,
    )
}
