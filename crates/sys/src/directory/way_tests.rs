use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use evictd_testkit::{can, needs};

use super::tests::Place;
use super::*;

/// A pod that may write to a part of the path, be it as root, leads nobody elsewhere.
#[test]
fn no_link_is_followed_where_others_may_write() {
    let place = Place::new("way");
    let at = |name: &str| place.0.join(name);
    fs::create_dir_all(at("victim/pod/container")).unwrap();
    fs::create_dir_all(at("logs/real/pod/container")).unwrap();
    symlink(at("victim"), at("logs/absolute")).unwrap();
    symlink("../victim", at("logs/relative")).unwrap();
    symlink("real", at("logs/beside")).unwrap();
    for links in [Links::OfRoot, Links::None] {
        for name in ["absolute", "relative", "beside"] {
            for below in ["", "/pod", "/pod/container"] {
                let path = at(&format!("logs/{name}{below}"));
                let opened = open_directory(&path, links);
                assert_eq!(opened.unwrap_err(), Errno::NOTDIR, "{path:?}");
            }
        }
        assert!(open_directory(&at("logs/real/pod/container"), links).is_ok());
        assert_eq!(
            open_directory(&at("logs/real/../real"), links).unwrap_err(),
            Errno::INVAL
        );
        assert_eq!(
            open_directory(&at("gone"), links).unwrap_err(),
            Errno::NOENT
        );
    }
}

/// `/var/log/pods` may lie on another disk; what is in a pod's own directory may not.
#[test]
fn links_that_root_made_near_the_root_are_followed() {
    needs!(Root);
    let place = Place(PathBuf::from(format!(
        "/run/evictd-way-{}",
        std::process::id()
    )));
    let at = |name: &str| place.0.join(name);
    let mode = |mode| fs::set_permissions(&place.0, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir_all(at("disk/pods/pod")).unwrap();
    mode(0o755);
    symlink(at("disk/pods"), at("absolute")).unwrap();
    symlink("../../run", at("up")).unwrap();
    symlink("absolute", at("chain")).unwrap();
    symlink("circle", at("circle")).unwrap();
    symlink("pod", at("disk/pods/link")).unwrap();
    let open = |name: &str| open_directory(&at(name), Links::OfRoot).map(drop);
    for name in ["absolute/pod", "chain/pod", "chain", "up"] {
        assert_eq!(open(name), Ok(()), "{name}");
        let plain = open_directory(&at(name), Links::None);
        assert_eq!(plain.unwrap_err(), Errno::NOTDIR, "{name}");
    }
    assert_eq!(open("circle"), Err(Errno::NOTDIR));
    assert_eq!(open("disk/pods/link"), Err(Errno::NOTDIR), "too deep");
    assert_eq!(open("absolute/link"), Err(Errno::NOTDIR), "too deep");
    mode(0o775);
    assert_eq!(
        open("absolute/pod"),
        Err(Errno::NOTDIR),
        "a group may write"
    );
    mode(0o1777);
    assert_eq!(open("absolute/pod"), Err(Errno::NOTDIR), "all may write");
    assert_eq!(open("disk/pods/pod"), Ok(()));
}

#[test]
fn a_name_is_one_name() {
    let place = Place::new("names");
    fs::create_dir_all(place.0.join("a/b")).unwrap();
    symlink("a", place.0.join("link")).unwrap();
    let dir = open_directory(&place.0, Links::None).unwrap();
    let below = |name: &str| open_below(&dir, OsStr::new(name)).map(drop);
    assert_eq!(below("a"), Ok(()));
    assert_eq!(below("a/b"), Err(Errno::INVAL));
    assert_eq!(below("/"), Err(Errno::INVAL));
    assert_eq!(below("link"), Err(Errno::NOTDIR));
}

#[test]
fn a_program_that_others_can_change_is_found() {
    let place = Place::new("program");
    let at = |name: &str| place.0.join(name);
    let mode = |name: &str, mode| {
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    for name in ["own", "open"] {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(name).join("program"), "").unwrap();
        mode(&format!("{name}/program"), 0o755);
    }
    mode("own", 0o755);
    mode("open", 0o777);
    symlink("../open/program", at("own/link")).unwrap();
    let found = |name: &str| changeable_by_others(&at(name));
    assert_eq!(found("own/program"), Ok(None));
    assert_eq!(found("open/program"), Ok(Some(at("open"))));
    assert_eq!(found("own/link"), Ok(Some(at("own/../open"))));
    // There, others cannot take away what is not theirs.
    mode("open", 0o1777);
    assert_eq!(found("open/program"), Ok(None));
    mode("own/program", 0o757);
    assert_eq!(found("own/program"), Ok(Some(at("own/program"))));
    symlink("circle", at("circle")).unwrap();
    assert_eq!(found("circle"), Err(Errno::LOOP));
    assert_eq!(found("gone"), Err(Errno::NOENT));
    if !can!("with another user's directory", Root) {
        return;
    }
    // A user's own program runs from the user's own directory.
    let nobody = |name: &str| chown(at(name), Some(65_534), None).unwrap();
    mode("own/program", 0o755);
    nobody("own");
    assert_eq!(found("own/program"), Ok(Some(at("own"))));
    nobody("own/program");
    assert_eq!(found("own/program"), Ok(None));
}
