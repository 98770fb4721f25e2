use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use super::*;

pub(super) struct Place(pub(super) PathBuf);

impl Place {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("evictd-dir-{}-{name}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Acceptance row 199: a file of root's was written over by swapping the directory.
#[test]
fn a_directory_that_is_swapped_leads_nobody_elsewhere() {
    let place = Place::new("swapped");
    let (ours, other) = (place.0.join("ours"), place.0.join("other"));
    fs::create_dir(&ours).unwrap();
    fs::create_dir(&other).unwrap();
    fs::write(other.join("file"), "precious").unwrap();
    let directory = Directory::open(&ours).unwrap();
    fs::rename(&ours, place.0.join("away")).unwrap();
    symlink(&other, &ours).unwrap();
    directory.write("file").unwrap().write_all(b"ours").unwrap();
    assert_eq!(fs::read_to_string(other.join("file")).unwrap(), "precious");
    assert_eq!(
        fs::read_to_string(place.0.join("away/file")).unwrap(),
        "ours"
    );
    assert_eq!(
        fs::read_to_string(directory.path_to("file")).unwrap(),
        "ours"
    );
    assert!(Directory::open(&ours).is_err(), "a link is no directory");
}

#[test]
fn what_is_no_file_is_neither_followed_nor_waited_for() {
    let place = Place::new("strange");
    let directory = Directory::open(&place.0).unwrap();
    fs::write(place.0.join("precious"), "precious").unwrap();
    symlink("precious", place.0.join("link")).unwrap();
    let fifo = |name: &str| Command::new("mkfifo").arg(place.0.join(name)).status();
    assert!(fifo("pipe").unwrap().success());
    fs::create_dir(place.0.join("dir")).unwrap();
    for name in ["link", "pipe", "dir", "missing"] {
        assert!(directory.read(name).is_err(), "{name}");
    }
    for name in ["link", "pipe", "missing"] {
        directory.write(name).unwrap().write_all(b"new").unwrap();
        let mut text = String::new();
        directory
            .read(name)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "new", "{name}");
    }
    assert!(directory.write("dir").is_err());
    assert_eq!(
        fs::read_to_string(place.0.join("precious")).unwrap(),
        "precious"
    );
}

#[test]
fn a_directory_that_others_write_in_is_not_ours_alone() {
    let place = Place::new("mode");
    for (mode, is_ours) in [(0o755, true), (0o700, true), (0o775, false), (0o757, false)] {
        fs::set_permissions(&place.0, fs::Permissions::from_mode(mode)).unwrap();
        let directory = Directory::open(&place.0).unwrap();
        assert_eq!(directory.is_ours_alone().unwrap(), is_ours, "{mode:o}");
    }
}

#[test]
fn what_is_made_was_not_there_and_has_one_name() {
    let place = Place::new("made");
    let directory = Directory::open(&place.0).unwrap();
    fs::write(place.0.join("precious"), "precious").unwrap();
    let hard_link = |name: &str| fs::hard_link(place.0.join("precious"), place.0.join(name));
    hard_link("hard").unwrap();
    symlink("nowhere", place.0.join("link")).unwrap();
    for there in ["precious", "hard", "link"] {
        let error = directory.create(there).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{there}");
    }
    directory.create("new").unwrap().write_all(b"new").unwrap();
    directory.write("hard").unwrap().write_all(b"ours").unwrap();
    let text = |name: &str| fs::read_to_string(place.0.join(name)).unwrap();
    assert_eq!(
        ["precious", "hard", "new"].map(text),
        ["precious", "ours", "new"]
    );
}

#[test]
fn a_directory_is_made_where_no_link_leads_elsewhere() {
    let place = Place::new("making");
    let at = |name: &str| place.0.join(name);
    fs::create_dir(at("elsewhere")).unwrap();
    symlink("elsewhere", at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    for path in ["a/b/c", "a/b", "."] {
        Directory::open_or_make(&at(path)).unwrap();
        assert!(at(path).is_dir(), "{path}");
    }
    for path in ["link/new", "dangling", "dangling/new", "a/../new"] {
        assert!(Directory::open_or_make(&at(path)).is_err(), "{path}");
    }
    assert_eq!(fs::read_dir(at("elsewhere")).unwrap().count(), 0);
    assert!(!at("nowhere").exists() && !at("new").exists());
}

#[test]
fn what_others_may_write_is_not_read_and_not_written_to() {
    let place = Place::new("others");
    let directory = Directory::open(&place.0).unwrap();
    let path = place.0.join("file");
    for mode in [0o620, 0o602, 0o666] {
        fs::write(&path, "theirs").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let held = fs::File::options().append(true).open(&path).unwrap();
        let error = directory.read("file").unwrap_err().to_string();
        assert_eq!(error, "a file that others may write", "{mode:o}");
        directory.write("file").unwrap().write_all(b"ours").unwrap();
        (&held).write_all(b"theirs").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "ours", "{mode:o}");
        assert!(directory.read("file").is_ok());
    }
    if let Ok(()) = std::os::unix::fs::chown(&path, Some(65_533), None) {
        assert!(directory.read("file").is_err(), "of another user");
    }
}

/// readers: `read_lines` -> `lines_that_are_too_long_are_passed_over`
#[test]
fn lines_that_are_too_long_are_passed_over() {
    let place = Place::new("lines");
    let directory = Directory::open(&place.0).unwrap();
    let read = |text: &str, longest, most| {
        fs::write(place.0.join("file"), text).unwrap();
        String::from_utf8(directory.read_lines("file", longest, most).unwrap()).unwrap()
    };
    assert_eq!(read("", 4, 100), "");
    assert_eq!(read("a\nb", 4, 100), "a\nb\n");
    assert_eq!(read("abcd\nabcde\n\nx\n", 4, 100), "abcd\n\nx\n");
    assert_eq!(read("abcdefghi", 4, 100), "");
    assert_eq!(
        read(&format!("{}\nb\n", "a".repeat(1 << 20)), 4, 100),
        "b\n"
    );
    for most in 0..12 {
        let kept = read("1\n22\n333\n4\n", 4, most);
        assert!(
            kept.len() <= most && "1\n22\n333\n4\n".ends_with(&kept),
            "{most}"
        );
        assert_eq!(kept.is_empty(), most < 2, "{most}");
    }
    let many = "7\n".repeat(100_000);
    assert_eq!(read(&many, 4, 1000), "7\n".repeat(500));
}
