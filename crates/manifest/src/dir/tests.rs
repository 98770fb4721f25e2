use alloc::sync::Arc;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use super::{MAX_FILES, ManifestDir, Problem};

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A directory that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("evictd-test-manifests-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        fs::write(self.0.join(name), text).unwrap();
        self
    }

    fn dir(&self) -> ManifestDir {
        ManifestDir::new(self.0.clone())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn pod(name: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec: {{}}\n")
}

fn names(dir: &ManifestDir) -> Vec<&str> {
    dir.pods()
        .iter()
        .map(|pod| pod.metadata.name.as_str())
        .collect()
}

fn problems(dir: &mut ManifestDir) -> Vec<(String, Problem)> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let errors = dir.refresh().iter();
    errors
        .map(|error| (name(&error.path), error.problem.clone()))
        .collect()
}

#[test]
fn manifests_come_in_the_order_of_their_names() {
    let folder = Folder::new();
    folder
        .write("b.yaml", &pod("second"))
        .write("a.yml", &pod("first"))
        .write(
            "c.json",
            r#"{"kind": "Pod", "metadata": {"name": "third"}}"#,
        )
        .write(".hidden.yaml", &pod("hidden"))
        .write("notes.txt", "no manifest")
        .write("d.yaml~", &pod("backup"));
    fs::create_dir(folder.0.join("below.yaml")).unwrap();
    let mut dir = folder.dir();
    assert_eq!(dir.refresh(), []);
    assert_eq!(names(&dir), ["first", "second", "third"]);
}

#[test]
fn a_bad_manifest_is_named_and_the_others_stay() {
    let folder = Folder::new();
    folder
        .write("a.yaml", &pod("good"))
        .write("b.yaml", "kind: Service\n")
        .write("c.yaml", "a: [\n")
        .write("d.yaml", "")
        .write("e.yaml", &pod("good"))
        .write("f.yaml", &pod("other"))
        .write("g.yaml", &" ".repeat(crate::yaml::MAX_BYTES + 1));
    std::os::unix::fs::symlink("nowhere", folder.0.join("h.yaml")).unwrap();
    let mut dir = folder.dir();
    let texts: Vec<_> = dir.refresh().iter().map(ToString::to_string).collect();
    let place = folder.0.display();
    assert_eq!(names(&dir), ["good", "other"]);
    assert_eq!(texts.len(), 6, "{texts:?}");
    assert!(
        texts[0].starts_with(&format!("{place}/b.yaml: .kind: is \"Service\"")),
        "{texts:?}"
    );
    assert!(
        texts[1].starts_with(&format!("{place}/c.yaml: line ")),
        "{texts:?}"
    );
    assert_eq!(texts[2], format!("{place}/d.yaml: no pod in it"));
    let same = format!("{place}/e.yaml: its pod default_good is in {place}/a.yaml already");
    assert_eq!(texts[3], same);
    assert_eq!(texts[4], format!("{place}/g.yaml: more than 262144 bytes"));
    assert!(texts[5].contains("h.yaml: No such file"), "{texts:?}");
}

#[test]
fn what_cannot_be_read_is_not_waited_for() {
    let folder = Folder::new();
    let status = std::process::Command::new("mkfifo")
        .arg(folder.0.join("pipe.yaml"))
        .status();
    assert!(status.unwrap().success());
    let mut dir = folder.dir();
    assert_eq!(
        problems(&mut dir),
        [("pipe.yaml".into(), Problem::NotAFile)]
    );
}

/// Acceptance row 196: a link to `/proc/kmsg` was waited for until the kernel wrote.
#[test]
fn a_file_of_the_kernel_without_an_end_is_not_read() {
    let folder = Folder::new();
    let link = |to, name: &str| std::os::unix::fs::symlink(to, folder.0.join(name)).unwrap();
    link("/proc/kmsg", "a.yaml");
    link("/dev/zero", "b.yaml");
    link("/proc/self/mem", "c.yaml");
    link("/dev/tty", "d.yaml");
    folder.write("e.yaml", &pod("good"));
    let mut dir = folder.dir();
    let found = problems(&mut dir);
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found[1], ("b.yaml".into(), Problem::NotAFile));
    assert_eq!(
        found[2],
        ("c.yaml".into(), Problem::Pods("no pod in it".into()))
    );
    assert_eq!(names(&dir), ["good"]);
}

#[test]
fn a_directory_is_read_as_far_as_there_is_room() {
    let folder = Folder::new();
    for number in 0..=MAX_FILES {
        folder.write(&format!("{number:04}.yaml"), &pod(&format!("p{number}")));
    }
    let mut dir = folder.dir();
    assert_eq!(problems(&mut dir), [("1000.yaml".into(), Problem::TooMany)]);
    assert_eq!(names(&dir).len(), MAX_FILES);

    let containers = "  - {}\n".repeat(6_000);
    for name in ["0000", "0001", "0002"] {
        let text =
            format!("kind: Pod\nmetadata: {{name: big{name}}}\nspec:\n  containers:\n{containers}");
        folder.write(&format!("{name}.yaml"), &text);
    }
    for _ in 0..2 {
        assert_eq!(problems(&mut dir), [("0002.yaml".into(), Problem::TooMany)]);
        assert_eq!(names(&dir), ["big0000", "big0001"]);
    }
    folder.write("0000.yaml", &pod("small"));
    problems(&mut dir);
    assert_eq!(names(&dir)[..3], ["small", "big0001", "big0002"]);
}

#[test]
fn an_error_quotes_little_of_the_file() {
    let folder = Folder::new();
    let name = "x".repeat(100_000);
    folder.write("a.yaml", &format!("kind: {name}\nmetadata: {{name: a}}\n"));
    let mut dir = folder.dir();
    let text = dir.refresh()[0].problem.to_string();
    assert_eq!(text.chars().count(), 301, "{text}");
}

#[test]
fn a_changed_file_is_read_again_and_an_unchanged_one_is_not() {
    let folder = Folder::new();
    folder
        .write("a.yaml", &pod("one"))
        .write("b.yaml", &pod("two"));
    let mut dir = folder.dir();
    dir.refresh();
    let kept = dir.files.iter().flat_map(|file| &file.pods);
    let twice = kept
        .zip(dir.pods())
        .filter(|(kept, told)| !Arc::ptr_eq(kept, told));
    assert_eq!(twice.count(), 0, "no pod is there twice");
    // Marks what was parsed: only a file that is parsed again loses the mark.
    for file in &mut dir.files {
        let parsed = &mut file.pods[0];
        Arc::make_mut(parsed).metadata.name.push('!');
    }
    dir.refresh();
    assert_eq!(names(&dir), ["one!", "two!"]);

    // The same size and the same time: the inode's own time tells.
    let path = folder.0.join("a.yaml");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    folder.write("a.yaml", &pod("eno"));
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    dir.refresh();
    assert_eq!(names(&dir), ["eno", "two!"]);

    let other_time = SystemTime::UNIX_EPOCH + Duration::from_secs(5);
    let other = fs::File::options()
        .write(true)
        .open(folder.0.join("b.yaml"))
        .unwrap();
    other.set_modified(other_time).unwrap();
    dir.refresh();
    assert_eq!(names(&dir), ["eno", "two"]);

    fs::remove_file(&path).unwrap();
    folder.write("c.yaml", &pod("three"));
    assert_eq!(dir.refresh(), []);
    assert_eq!(names(&dir), ["two", "three"]);
}

#[test]
fn a_file_that_turns_bad_and_good_again_is_told_each_time() {
    let folder = Folder::new();
    folder.write("a.yaml", &pod("one"));
    let mut dir = folder.dir();
    assert_eq!(dir.refresh(), []);
    folder.write("a.yaml", "kind: [");
    assert_eq!(problems(&mut dir).len(), 1);
    assert_eq!(
        problems(&mut dir).len(),
        1,
        "still, without parsing it again"
    );
    assert_eq!(names(&dir), [""; 0]);
    folder.write("a.yaml", &pod("again"));
    assert_eq!(dir.refresh(), []);
    assert_eq!(names(&dir), ["again"]);
}

#[test]
fn a_directory_that_is_not_there_has_no_pods_and_says_so() {
    let folder = Folder::new();
    folder.write("a.yaml", &pod("one"));
    let mut dir = folder.dir();
    dir.refresh();
    assert_eq!(names(&dir), ["one"]);
    fs::remove_dir_all(&folder.0).unwrap();
    let errors = dir.refresh();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].path, folder.0);
    assert!(errors[0].to_string().contains("No such file or directory"));
    assert_eq!(names(&dir), [""; 0]);
}

#[test]
fn a_single_file_is_one_manifest_whatever_its_name() {
    let folder = Folder::new();
    folder.write("pod.conf", &pod("only"));
    let mut dir = ManifestDir::new(folder.0.join("pod.conf"));
    assert_eq!(dir.refresh(), []);
    assert_eq!(names(&dir), ["only"]);
}

/// Acceptance row 208: with `--compat=static-pods-are-critical`, as the kubelet has it.
#[test]
fn pods_of_the_directory_are_critical_where_they_are_static() {
    let folder = Folder::new();
    let says_so = "\n  labels: {app: b}\n  annotations: {kubernetes.io/config.source: file, note: text}\nspec: {}\n";
    let other = pod("b").replace("\nspec: {}\n", says_so);
    folder.write("a.yaml", &pod("a")).write("b.yaml", &other);
    for (marks_static, expected) in [(false, [false, true]), (true, [true, true])] {
        let mut dir = folder.dir().marking_static(marks_static);
        assert_eq!(dir.refresh(), []);
        let critical: Vec<bool> = dir.pods().iter().map(|pod| pod.is_critical()).collect();
        assert_eq!(critical, expected, "{marks_static}");
        let kept = &dir.pods()[1].metadata;
        let kept = (kept.labels.len(), kept.annotations.len());
        assert_eq!(kept, (0, 1), "what decides nothing is not kept");
    }
}
