use core::sync::atomic::{AtomicU32, Ordering};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use evictd_cgroup::own::try_lock;
use evictd_testkit::needs;

use super::*;
use crate::files::{Home, occupy};

fn replace(directory: &Path, text: &str) -> Result<(), Error> {
    Home::open(directory).unwrap().replace(text)
}

/// A directory that does not exist yet and is removed in the end.
pub(super) struct Place(pub(super) PathBuf);

impl Place {
    pub(super) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("evictd-state-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

#[test]
fn a_state_replaces_the_former_and_its_room_is_kept() {
    let place = Place::new();
    let lock = occupy(&place.0, try_lock).unwrap();
    assert_eq!(place.names(), ["lock", "state.spare"]);
    assert!(read_state(&place.0).unwrap().is_none());
    let (state, spare) = (place.0.join("state.json"), place.0.join("state.spare"));
    replace(&place.0, &to_json(&State::default())).unwrap();
    let reserved = inode(&spare);
    replace(&place.0, &to_json(&full())).unwrap();
    assert_eq!(inode(&state), reserved, "what was reserved is used");
    assert_eq!(read_state(&place.0).unwrap().unwrap(), full());
    replace(&place.0, &to_json(&State::default())).unwrap();
    assert_eq!(read_state(&place.0).unwrap().unwrap(), State::default());
    assert_eq!(place.names(), ["lock", "state.json", "state.spare"]);
    for name in place.names() {
        let found = fs::metadata(place.0.join(&name)).unwrap();
        assert_eq!(found.permissions().mode() & 0o777, 0o600, "{name}");
        if name != "lock" {
            assert_eq!(found.len(), 32 << 10, "{name}");
        }
    }
    drop(lock);
}

/// Failure F26: what a crash leaves at each step of a replacement.
#[test]
fn a_broken_replacement_loses_no_state() {
    let place = Place::new();
    drop(occupy(&place.0, try_lock).unwrap());
    replace(&place.0, &to_json(&full())).unwrap();
    let path = |name: &str| place.0.join(name);
    // While the spare file is written.
    fs::write(path("state.spare"), "{\"ki").unwrap();
    drop(occupy(&place.0, try_lock).unwrap());
    assert_eq!(read_state(&place.0).unwrap().unwrap(), full());
    // After the new state got its name.
    fs::remove_file(path("state.spare")).unwrap();
    drop(occupy(&place.0, try_lock).unwrap());
    assert_eq!(place.names(), ["lock", "state.json", "state.spare"]);
    assert_eq!(read_state(&place.0).unwrap().unwrap(), full());
    replace(&place.0, &to_json(&State::default())).unwrap();
    assert_eq!(read_state(&place.0).unwrap().unwrap(), State::default());
}

#[test]
fn a_state_that_grew_shrinks_again_only_in_text() {
    let place = Place::new();
    drop(occupy(&place.0, try_lock).unwrap());
    let mut large = full();
    for _ in 0..HISTORY {
        large.push(Record {
            message: "x".repeat(1024),
            ..record("a")
        });
    }
    for state in [&large, &large, &State::default()] {
        replace(&place.0, &to_json(state)).unwrap();
        assert_eq!(&read_state(&place.0).unwrap().unwrap(), state);
        let length = fs::metadata(place.0.join("state.json")).unwrap().len();
        assert_eq!(length, 96 << 10);
    }
    // What is no file of ours is cut to size.
    fs::write(place.0.join("state.spare"), vec![b'x'; MAX_BYTES + 1]).unwrap();
    replace(&place.0, &to_json(&full())).unwrap();
    assert_eq!(read_state(&place.0).unwrap().unwrap(), full());
}

/// A filesystem of its own, of so many KiB, for as long as this lives.
pub(super) struct Tmpfs(pub(super) Place);

impl Tmpfs {
    pub(super) fn mount(kib: u32) -> Self {
        let place = Place::new();
        fs::create_dir(&place.0).unwrap();
        let mut mount = Command::new("mount");
        mount.args([
            "-t",
            "tmpfs",
            "-o",
            &format!("size={kib}k,mode=0755"),
            "tmpfs",
        ]);
        assert!(mount.arg(&place.0).status().unwrap().success());
        Self(place)
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0.0).status());
    }
}

/// Failure F26: the disk is filled by others after the daemon started.
#[test]
fn a_full_disk_stops_no_save_and_loses_no_state() {
    needs!(Mounting);
    let disk = Tmpfs::mount(256);
    let place = &disk.0;
    let _lock = occupy(&place.0, try_lock).unwrap();
    replace(&place.0, &to_json(&State::default())).unwrap();
    let filler = fs::write(place.0.join("filler"), vec![0; 1 << 20]);
    assert!(filler.is_err(), "the disk is full");
    let mut state = full();
    for saved in 0..10 {
        state.saved_at = seconds(200 + saved);
        replace(&place.0, &to_json(&state)).unwrap();
        assert_eq!(read_state(&place.0).unwrap().unwrap(), state);
    }
    // A text that outgrows its room is not written, and the former one stays.
    let mut large = state.clone();
    for _ in 0..HISTORY {
        large.push(Record {
            message: "x".repeat(1024),
            ..record("a")
        });
    }
    let error = replace(&place.0, &to_json(&large)).unwrap_err().to_string();
    assert!(error.contains("No space left"), "{error}");
    assert_eq!(read_state(&place.0).unwrap().unwrap(), state);
    fs::remove_file(place.0.join("filler")).unwrap();
    replace(&place.0, &to_json(&large)).unwrap();
    assert_eq!(read_state(&place.0).unwrap().unwrap(), large);
}

/// Acceptance row 199: three of some reads were torn.
#[test]
fn who_reads_while_it_is_replaced_reads_the_whole_former_state() {
    let place = Place::new();
    let _lock = occupy(&place.0, try_lock).unwrap();
    let former = to_json(&full());
    replace(&place.0, &former).unwrap();
    let mut reader = File::open(place.0.join("state.json")).unwrap();
    for _ in 0..3 {
        replace(&place.0, &to_json(&State::default())).unwrap();
    }
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text.trim_end(), former.trim_end());
}

/// Acceptance row 199: a pipe in a file's place stopped the start, and a link led elsewhere.
#[test]
fn what_is_no_file_is_replaced() {
    for name in ["lock", "state.json", "state.spare"] {
        let place = Place::new();
        fs::create_dir(&place.0).unwrap();
        let path = place.0.join(name);
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let (home, _lock) = occupy(&place.0, try_lock).unwrap();
        assert_eq!(home.read_state().is_err(), name == "state.json");
        home.replace(&to_json(&full())).unwrap();
        assert_eq!(read_state(&place.0).unwrap().unwrap(), full(), "{name}");

        let target = place.0.join("target");
        fs::write(&target, "precious").unwrap();
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        drop(occupy(&place.0, try_lock));
        home.replace(&to_json(&full())).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious", "{name}");
    }
}

#[test]
fn a_directory_belongs_to_one_daemon_and_to_nobody_else() {
    let place = Place::new();
    let lock = occupy(&place.0, try_lock).unwrap();
    let again = occupy(&place.0, try_lock).unwrap_err();
    assert!(
        again.is_in_use && again.to_string().ends_with("another evictd uses it"),
        "{again}"
    );
    drop(lock);
    fs::set_permissions(&place.0, fs::Permissions::from_mode(0o777)).unwrap();
    let open_to_all = occupy(&place.0, try_lock).unwrap_err();
    assert!(
        open_to_all.to_string().contains("others may write in it"),
        "{open_to_all}"
    );
    let link = Place::new();
    std::os::unix::fs::symlink(&place.0, &link.0).unwrap();
    let linked = occupy(&link.0, try_lock).unwrap_err();
    assert!(
        linked.to_string().contains("a link that others"),
        "{linked}"
    );
    // Nor is anything made behind a link, or read there.
    for below in ["state", "state/below"] {
        occupy(&link.0.join(below), try_lock).unwrap_err();
        read_state(&link.0.join(below)).unwrap_err();
        assert!(!place.0.join("state").exists(), "{below}");
    }
    fs::remove_file(&link.0).unwrap();
    let file = Place::new();
    fs::write(&file.0, "").unwrap();
    let no_directory = occupy(&file.0, try_lock).unwrap_err();
    assert!(
        no_directory.to_string().contains("not a directory"),
        "{no_directory}"
    );
    fs::remove_file(&file.0).unwrap();
}
