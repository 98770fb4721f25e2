//! Configuration files in JSON, for which the feature `yaml` is not needed.

use super::*;

#[test]
fn a_configuration_in_json_is_taken() {
    let text = "{\"apiVersion\": \"kubelet.config.k8s.io/v1beta1\",\n\
                \"kind\": \"KubeletConfiguration\",\n\
                \"evictionMaxPodGracePeriod\": 7}";
    let mut typed = Typed::default();
    typed.add_file("node.json", text.as_bytes()).unwrap();
    assert_eq!(resolve(&typed).unwrap().evict.max_pod_grace_seconds, 7);
}

#[cfg(not(feature = "yaml"))]
#[test]
fn yaml_is_refused_with_one_line() {
    let text = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";
    let refused = Typed::default().add_file("node.yaml", text.as_bytes());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "node.yaml: line 1, column 1: not JSON, and YAML is not built in; \
         the file is one mapping, JSON"
    );
}
