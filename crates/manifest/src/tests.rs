use evictd_node::pod::{Pod, VolumeSource};

use crate::parse_pods;

fn read(text: &str) -> Result<Vec<Pod>, String> {
    parse_pods(text.as_bytes()).map_err(|error| error.to_string())
}

fn uids(pods: &[Pod]) -> Vec<&str> {
    pods.iter().map(|pod| pod.metadata.uid.as_str()).collect()
}

#[test]
fn what_the_api_server_fills_in_is_filled_in() {
    let pods = read(
        "apiVersion: v1
kind: Pod
metadata: {name: web.1}
spec:
  priorityClassName: system-node-critical
  containers:
  - name: a
    resources:
      limits: {cpu: 1, memory: 64Mi}
      requests: {memory: 32Mi}
  volumes:
  - name: scratch
  - name: claim
    persistentVolumeClaim: {claimName: x}
",
    )
    .unwrap();
    let pod = &pods[0];
    assert_eq!(pod.metadata.namespace, "default");
    assert_eq!(pod.metadata.uid, "default_web.1");
    assert_eq!(pod.spec.termination_grace_period_seconds, Some(30));
    assert_eq!(pod.spec.priority, Some(2_000_001_000));
    let requests = &pod.spec.containers[0].resources.requests;
    let text = |quantity: &Option<Box<evictd_quantity::Quantity>>| {
        quantity.as_ref().map(ToString::to_string)
    };
    assert_eq!(
        requests.cpu.as_ref().map(ToString::to_string).as_deref(),
        Some("1")
    );
    assert_eq!(text(&requests.memory).as_deref(), Some("32Mi"));
    assert!(matches!(
        pod.spec.volumes[0].source,
        VolumeSource::EmptyDir { .. }
    ));
    assert_eq!(pod.spec.volumes[1].source, VolumeSource::Other);
}

#[test]
fn what_is_given_stays() {
    let pods = read(
        "kind: Pod
metadata: {name: a, namespace: b, uid: 4f6e0a3c-1}
spec: {priority: 5, priorityClassName: system-node-critical, terminationGracePeriodSeconds: 0}
",
    )
    .unwrap();
    assert_eq!(uids(&pods), ["4f6e0a3c-1"]);
    assert_eq!(pods[0].spec.priority, Some(5));
    assert_eq!(pods[0].spec.termination_grace_period_seconds, Some(0));
}

#[test]
fn lists_and_several_documents_are_read() {
    let list = "kind: List\napiVersion: v1\nitems:\n- {kind: Pod, metadata: {name: a}}\n";
    let pod_list =
        r#"{"kind":"PodList","items":[{"metadata":{"name":"b"}},{"metadata":{"name":"c"}}]}"#;
    assert_eq!(uids(&read(list).unwrap()), ["default_a"]);
    assert_eq!(uids(&read(pod_list).unwrap()), ["default_b", "default_c"]);
    let both = format!("{list}---\n# nothing\n---\n{pod_list}\n");
    assert_eq!(
        uids(&read(&both).unwrap()),
        ["default_a", "default_b", "default_c"]
    );
}

#[test]
fn errors_name_the_document_the_field_and_the_kind() {
    for (text, message) in [
        ("", "no pod in it"),
        ("---\n", "no pod in it"),
        ("kind: List\n", "no pod in it"),
        ("a", "is not an object"),
        (
            "a: [",
            "line 2, column 1: while parsing a node, did not find expected node content",
        ),
        ("a: 1", ".kind: is missing: it must be Pod, List or PodList"),
        (
            "kind: Deployment\napiVersion: apps/v1\n",
            ".apiVersion: is \"apps/v1\" (kind \"Deployment\"): it must be v1",
        ),
        (
            "kind: Service",
            ".kind: is \"Service\": it must be Pod, List or PodList",
        ),
        ("kind: 5", ".kind: is not a string"),
        ("kind: List\nitems: {}\n", ".items: is not a list"),
        (
            "kind: List\nitems: [{metadata: {name: a}}]\n",
            ".items[0].kind: is missing: it must be Pod",
        ),
        (
            "kind: PodList\nitems: [{metadata: {name: a}}, {spec: {}}]\n",
            ".items[1].metadata.name: is missing",
        ),
        (
            "kind: Pod\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: b}\nspec: {priority: high}\n",
            "document 2: .spec.priority: invalid type: string \"high\", expected i32",
        ),
        (
            "kind: Pod\nmetadata: {name: 5}\n",
            ".metadata.name: invalid type: integer `5`, expected a string",
        ),
        (
            "kind: Pod\nmetadata: 1\n",
            ".metadata: invalid type: integer `1`, expected an object",
        ),
    ] {
        assert_eq!(read(text), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn names_that_kubernetes_refuses_are_refused() {
    for (name, good) in [
        ("a", true),
        ("a-1.b", true),
        ("A", false),
        ("-a", false),
        ("a.", false),
        ("../a", false),
        ("a_b", false),
        (&"a".repeat(254), false),
    ] {
        let verdict = read(&format!("kind: Pod\nmetadata: {{name: \"{name}\"}}\n"));
        assert_eq!(verdict.is_ok(), good, "name {name}");
        let verdict = read(&format!(
            "kind: Pod\nmetadata: {{name: a, namespace: \"{name}\"}}\n"
        ));
        assert_eq!(verdict.is_ok(), good, "namespace {name}");
    }
    for (uid, good) in [
        ("A_b.c-1", true),
        ("..", false),
        ("a/b", false),
        ("a\\nb", false),
    ] {
        let verdict = read(&format!(
            "kind: Pod\nmetadata: {{name: a, uid: \"{uid}\"}}\n"
        ));
        assert_eq!(verdict.is_ok(), good, "uid {uid}");
    }
}

/// As the API server: what the containers request together, else the pod's own limits.
#[test]
fn what_the_whole_pod_requests_is_filled_in_where_it_is_limited() {
    let sidecar = "initContainers: [{name: s, restartPolicy: Always, resources: \
                   {requests: {cpu: 1}}}]";
    for (name, whole, more, [cpu, memory]) in [
        ("nothing of its own", "", sidecar, ["", ""]),
        ("requests alone", "{requests: {cpu: 3}}", "", ["3", ""]),
        (
            "limits",
            "{limits: {cpu: 4, memory: 2Gi}}",
            "",
            ["1", "2Gi"],
        ),
        ("with a sidecar", "{limits: {cpu: 4}}", sidecar, ["2", ""]),
        (
            "what is given",
            "{requests: {cpu: 3}, limits: {cpu: 4}}",
            "",
            ["3", ""],
        ),
        ("an empty list", "{limits: {}}", "", ["", ""]),
        (
            "huge pages",
            "{limits: {hugepages-2Mi: 4Mi}}",
            "",
            ["1", ""],
        ),
    ] {
        let text = format!(
            "kind: Pod\nmetadata: {{name: a}}\nspec:\n  resources: {whole}\n  {more}\n  \
             containers: [{{name: c, resources: {{limits: {{cpu: 1}}}}}}]\n"
        );
        let pods = read(&text).unwrap();
        let whole = pods[0].spec.resources.clone().unwrap_or_default();
        let shown = |quantity: &Option<Box<evictd_quantity::Quantity>>| {
            quantity.as_ref().map_or(String::new(), ToString::to_string)
        };
        assert_eq!(
            [shown(&whole.requests.cpu), shown(&whole.requests.memory)],
            [cpu, memory],
            "{name}"
        );
    }
}

/// A size of huge pages that a container may use is a limit of the whole pod, if that has
/// anything of its own; and a limit makes the pod request what its containers do.
#[test]
fn huge_pages_of_a_container_limit_the_whole_pod() {
    let text = |whole: &str| {
        format!(
            "kind: Pod\nmetadata: {{name: a}}\nspec:\n  resources: {whole}\n  containers:\n  \
             - {{name: c, resources: {{limits: {{cpu: 1, memory: 1Gi, hugepages-2Mi: 2Mi}}}}}}\n"
        )
    };
    let whole = |text: &str| read(text).unwrap()[0].spec.resources.clone().unwrap();
    let named = whole(&text("{requests: {memory: 512Mi}}"));
    assert!(named.limits.huge_pages && named.requests.huge_pages);
    assert!(named.requests.cpu.is_some());
    let empty = whole(&text("{}"));
    assert!(!empty.name_anything(), "{empty:?}");
}
