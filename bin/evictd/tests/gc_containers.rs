//! `evictd gc containers` in directories of the test's own. The pods are told by
//! manifests, so no root is needed.

#![cfg(feature = "cli")]
#![cfg(feature = "yaml")]
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

use core::time::Duration;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

struct Node(PathBuf);

impl Node {
    fn new(what: &str) -> Self {
        let name = format!("evictd-test-gc-{what}-{}", std::process::id());
        let node = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(node.0.join("manifests")).unwrap();
        node
    }

    /// A file, and all above it, of that age.
    fn file(&self, path: &str, seconds: u64) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "text").unwrap();
        let time = now() - Duration::from_secs(seconds);
        let below = |path: &&Path| path.starts_with(&self.0) && **path != *self.0;
        for path in path.ancestors().take_while(below) {
            File::open(path).unwrap().set_modified(time).unwrap();
        }
    }

    fn manifest(&self, name: &str, text: &str) {
        fs::write(self.0.join("manifests").join(name), text).unwrap();
    }

    fn evictd(&self, arguments: &[&str]) -> Output {
        let flag = |name: &str, dir: &str| format!("--{name}={}", self.0.join(dir).display());
        Command::new(env!("CARGO_BIN_EXE_evictd"))
            .args(["gc", "containers"])
            .arg(flag("pod-manifest-path", "manifests"))
            .args(arguments)
            .output()
            .unwrap()
    }

    fn logs(&self) -> String {
        format!("--pod-logs-dir={}", self.0.join("logs").display())
    }

    fn root(&self) -> String {
        format!("--root-dir={}", self.0.join("kubelet").display())
    }

    fn has(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "files are as old as they are now"
)]
fn now() -> SystemTime {
    SystemTime::now()
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

const LIVING: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: a, uid: u1}\n\
                      spec: {containers: [{name: c}]}\n";

/// Rows 110, 112, 115 and 116; decision D7.
fn node(what: &str) -> Node {
    let node = Node::new(what);
    node.manifest("web.yaml", LIVING);
    for number in 0..4 {
        node.file(&format!("logs/a_web_u1/c/{number}.log"), 9000 - number);
    }
    node.file("logs/a_old_u2/c/0.log", 8000);
    node.file("logs/a_older_u3/c/0.log", 9000);
    node.file("logs/a_young_u4/c/0.log", 1);
    node.file("logs/backup/c/0.log", 9000);
    for uid in ["u1", "u2"] {
        let dir = format!("kubelet/pods/{uid}/volumes/kubernetes.io~empty-dir");
        node.file(&format!("{dir}/cache/data"), 9000);
    }
    node
}

#[test]
fn what_is_gone_is_deleted_and_the_rest_is_not() {
    let node = node("all");
    let (logs, root) = (node.logs(), node.root());
    let dry = node.evictd(&[&logs, &root, "--dry-run"]);
    assert_eq!((text(&dry.stderr), dry.status.code()), ("", Some(0)));
    assert!(node.has("logs/a_old_u2/c/0.log"), "only told");
    let shown = text(&dry.stdout).replace("\n  ", " ");
    let order = ["a_older_u3", "u2: the pod is gone", "1.log", "2.log"];
    let places = order.map(|part| shown.find(part).unwrap());
    assert!(places.is_sorted(), "{shown}");
    assert!(shown.starts_with("would delete "), "{shown}");

    let output = node.evictd(&[&logs, &root, "--json"]);
    assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let deleted = document["deleted"].as_array().unwrap();
    assert_eq!(deleted.len(), 5, "{document}");
    // Twice a directory, its container's and a log; a pod's directory with two
    // above the volume, which holds a file; two logs.
    assert_eq!(document["entries"], 3 + 3 + 5 + 2);
    for kept in [
        "logs/a_web_u1/c/0.log",
        "logs/a_web_u1/c/3.log",
        "logs/a_young_u4/c/0.log",
        "logs/backup/c/0.log",
        "kubelet/pods/u1/volumes/kubernetes.io~empty-dir/cache/data",
    ] {
        assert!(node.has(kept), "{kept}");
    }
    for gone in [
        "logs/a_web_u1/c/1.log",
        "logs/a_web_u1/c/2.log",
        "logs/a_old_u2",
        "logs/a_older_u3",
        "kubelet/pods/u2",
    ] {
        assert!(!node.has(gone), "{gone}");
    }
    let again = node.evictd(&[&logs, &root]);
    assert_eq!(text(&again.stdout), "nothing to delete\n");
}

#[test]
fn only_a_named_directory_is_touched() {
    let node = node("named");
    let output = node.evictd(&[]);
    assert_eq!(output.status.code(), Some(2));
    let told = "evictd: gc containers: no container runtime is here; ";
    assert!(text(&output.stderr).starts_with(told));
    let output = node.evictd(&[&node.logs()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(!node.has("logs/a_old_u2"));
    assert!(node.has("kubelet/pods/u2/volumes/kubernetes.io~empty-dir/cache/data"));
}

#[test]
fn who_cannot_tell_the_pods_deletes_nothing() {
    let node = node("doubt");
    node.manifest("broken.yaml", "kind: Pod\nmetadata: [");
    let arguments = [node.logs(), node.root()];
    let output = node.evictd(&[&arguments[0], &arguments[1]]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains("broken.yaml"), "{told}");
    assert!(told.ends_with("so nothing is deleted\n"), "{told}");
    let output = node.evictd(&[&arguments[0], "--pod-cgroup-root=evictd-test-no-such"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(node.has("logs/a_old_u2/c/0.log"));
}

/// The manifest may be of the pod that the volumes belong to.
#[test]
fn volumes_stay_while_a_pod_has_no_uid() {
    let node = node("uid");
    let named = LIVING.replace(", uid: u1", "").replace("web", "old");
    node.manifest("old.yaml", &named);
    let output = node.evictd(&[&node.logs(), &node.root()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("volumes are left alone"));
    assert!(node.has("kubelet/pods/u2/volumes/kubernetes.io~empty-dir/cache/data"));
    assert!(node.has("logs/a_old_u2"), "it has the same name");
    assert!(!node.has("logs/a_older_u3"));
}
