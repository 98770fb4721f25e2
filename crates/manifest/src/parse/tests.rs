use super::*;

/// The feature `yaml` is not needed for it.
#[test]
fn a_manifest_in_json_is_read() {
    let text = br#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}"#;
    let pods = parse_pods(text).unwrap();
    assert_eq!(pods[0].metadata.uid, "default_web");
}

#[cfg(not(feature = "yaml"))]
#[test]
fn yaml_is_refused_with_one_line() {
    let error = parse_pods(b"apiVersion: v1\nkind: Pod\n").unwrap_err();
    let expected = "line 1, column 1: not JSON, and YAML is not built in";
    assert_eq!(error.to_string(), expected);
}
