use core::cell::{Cell, RefCell};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use super::*;

#[test]
fn a_group_is_found_by_its_whole_name() {
    let groups = "root:x:0:\nadm:x:4:me\n\nbroken\nadmin:x:y:\ntelegraf:x:998:a,b\n";
    assert_eq!(find_group(groups, "adm"), Some(4));
    assert_eq!(find_group(groups, "telegraf"), Some(998));
    for none in ["ad", "admin", "broken", "", "x"] {
        assert_eq!(find_group(groups, none), None, "{none}");
    }
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("evictd-place-{}-{name}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[test]
fn the_groups_socket_is_made_where_nobody_else_may_write() {
    let scratch = Scratch::new("foreign");
    let foreign = scratch.0.join("foreign");
    for mode in [0o775, 0o757, 0o1777] {
        fs::create_dir(&foreign).unwrap();
        fs::set_permissions(&foreign, fs::Permissions::from_mode(mode)).unwrap();
        let error = hold(&foreign).unwrap_err().to_string();
        assert!(
            error.contains("others may write in it"),
            "{mode:o}: {error}"
        );
        fs::remove_dir(&foreign).unwrap();
    }
    let ours = scratch.0.join("made/by/us");
    assert!(hold(&ours).is_ok());
    symlink(&ours, &foreign).unwrap();
    assert!(
        hold(&foreign).is_err(),
        "a link leads where its owner likes"
    );
}

/// The directory is held: what its path leads to later does not matter, nor what has the
/// socket's name.
#[test]
fn the_groups_socket_follows_no_link() {
    let scratch = Scratch::new("held");
    let (ours, away) = (scratch.0.join("ours"), scratch.0.join("away"));
    let held = hold(&ours).unwrap();
    let precious = scratch.0.join("precious");
    fs::write(&precious, "precious").unwrap();
    fs::set_permissions(&precious, fs::Permissions::from_mode(0o600)).unwrap();
    fs::rename(&ours, &away).unwrap();
    symlink(&scratch.0, &ours).unwrap();
    symlink(&precious, away.join(NAME)).unwrap();
    let own = fs::metadata(&away).unwrap().gid();
    let socket = listen_for(&held, own).unwrap();
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&away.join(NAME)), 0o660);
    assert_eq!(mode(&precious), 0o600);
    assert!(!scratch.0.join(NAME).exists());
    let peer = UnixStream::connect(away.join(NAME));
    assert!(peer.is_ok() && rustix::net::accept(&socket).is_ok());
}

#[test]
fn an_address_that_is_taken_is_tried_until_it_is_free_and_told_once() {
    let (pauses, told) = (RefCell::new(Vec::new()), Cell::new(0));
    let taken = || match pauses.borrow().len() {
        0..12 => Err(io::Error::from(ErrorKind::AddrInUse)),
        tries => Ok(tries),
    };
    let pause = |length| pauses.borrow_mut().push(length);
    let listened = when_free(&taken, &pause, &|_| told.set(told.get() + 1));
    assert_eq!((listened.unwrap(), told.get()), (12, 1));
    let pauses = pauses.into_inner();
    assert!(pauses.is_sorted(), "{pauses:?}");
    assert_eq!(pauses.first(), Some(&FIRST_PAUSE));
    assert_eq!(pauses.last(), Some(&LONGEST_PAUSE));
    let refused = || Err::<(), _>(io::Error::from(ErrorKind::PermissionDenied));
    assert!(when_free(&refused, &|_| panic!("waits"), &|_| ()).is_err());
}
