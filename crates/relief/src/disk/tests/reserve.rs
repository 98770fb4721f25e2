use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use evictd_config::Resolved;
use evictd_engine::ports::{Collect, Collected, Relief};
use evictd_node::{ReliefStep, Unit};

use super::super::Climber;
use super::super::kept_room::cannot_keep_room;
use super::{Dir, climb, field, settings};

fn with(path: &Path, size: &str) -> Resolved {
    let path = path.display().to_string();
    settings(&[
        ("state-dir", &path),
        ("reserve-file", size),
        ("eviction-hard", "nodefs.available<1Mi"),
    ])
}

/// Whether this filesystem can keep room; where not, the tests see that it is refused.
fn can_keep(dir: &Dir) -> bool {
    let kind = rustix::fs::statfs(&dir.0).unwrap().f_type;
    cannot_keep_room(u32::try_from(i128::from(kind) & 0xffff_ffff).unwrap()).is_none()
}

fn tidy(settings: &Resolved) -> Result<Collected, String> {
    climb(settings, Collect::Tidy, false)
}

fn give(settings: &Resolved, relief: Relief, dry_run: bool) -> Collected {
    climb(settings, Collect::Step(relief), dry_run).unwrap()
}

#[test]
fn it_is_taken_once_and_given_back() {
    let dir = Dir::new();
    let (settings, file) = (with(&dir.0, "1Mi"), dir.at("reserve"));
    if !can_keep(&dir) {
        assert!(tidy(&settings).unwrap_err().contains("--reserve-file: "));
        return;
    }
    let would = climb(&settings, Collect::Tidy, true).unwrap();
    assert!(would.text.starts_with("would take a reserve of 1Mi in "));
    assert!(!file.exists());

    let taken = tidy(&settings).unwrap();
    assert_eq!(
        (taken.removed, field(&taken, "reserveBytes")),
        (0, "1048576".to_owned())
    );
    let found = fs::metadata(&file).unwrap();
    assert_eq!((found.len(), found.mode() & 0o7777), (1 << 20, 0o600));
    assert!(found.blocks() * 512 >= 1 << 20);
    assert_eq!(
        tidy(&settings).unwrap(),
        Collected::default(),
        "it is there"
    );

    // Of another size it is made anew.
    assert!(!tidy(&with(&dir.0, "2Mi")).unwrap().text.is_empty());
    assert_eq!(fs::metadata(&file).unwrap().len(), 2 << 20);

    let relief = dir.relief(ReliefStep::Reserve, 1, Unit::Bytes);
    let elsewhere = Relief {
        device: (0, 0),
        ..relief
    };
    assert_eq!(give(&settings, elsewhere, false), Collected::default());
    let would = give(&settings, relief, true);
    assert!(
        would.text.starts_with("would give back the reserve"),
        "{would:?}"
    );
    assert_eq!((would.removed, file.exists()), (0, true));
    let given = give(&settings, relief, false);
    assert_eq!(
        (given.removed, field(&given, "rung")),
        (1, "\"reserve\"".to_owned())
    );
    assert!(field(&given, "freedBytes").parse::<u64>().unwrap() >= 2 << 20);
    assert!(!file.exists());
    assert_eq!(give(&settings, relief, false), Collected::default());
}

#[test]
fn one_of_former_settings_is_given_back() {
    let dir = Dir::new();
    if !can_keep(&dir) {
        return;
    }
    tidy(&with(&dir.0, "1Mi")).unwrap();
    let given = tidy(&with(&dir.0, "0")).unwrap();
    assert_eq!(given.removed, 1);
    assert!(!dir.at("reserve").exists());
}

#[test]
fn nothing_is_taken_where_there_is_no_room_or_no_place() {
    let dir = Dir::new();
    if can_keep(&dir) {
        assert_eq!(
            tidy(&with(&dir.0, "8Ei")).map(|it| it.text),
            Ok(String::new())
        );
        let near = settings(&[
            ("state-dir", &dir.0.display().to_string()),
            ("reserve-file", "1Mi"),
            ("eviction-hard", "nodefs.available<99%"),
        ]);
        assert_eq!(tidy(&near).unwrap(), Collected::default());
        assert!(!dir.at("reserve").exists());
    }
    assert_eq!(
        tidy(&with(&dir.at("gone"), "1Mi")).unwrap(),
        Collected::default()
    );
    let homeless = settings(&[("reserve-file", "1Mi"), ("state-dir", "")]);
    let climber = Climber::of(&homeless);
    let climb = || {
        climber.climb(
            &evictd_engine::ports::Job {
                number: 1,
                what: Collect::Tidy,
                dry_run: false,
            },
            &[],
        )
    };
    assert!(climb().unwrap_err().contains("--state-dir"));
    assert_eq!(climb().unwrap(), Collected::default(), "it was said");
}

#[test]
fn what_is_not_evictds_is_left_alone() {
    for kind in ["link", "directory", "second name"] {
        let dir = Dir::new();
        if !can_keep(&dir) {
            return;
        }
        let (file, precious) = (dir.at("reserve"), dir.at("precious"));
        fs::write(&precious, "text").unwrap();
        match kind {
            "link" => symlink(&precious, &file).unwrap(),
            "directory" => fs::create_dir(&file).unwrap(),
            _ => fs::hard_link(&precious, &file).unwrap(),
        }
        let settings = with(&dir.0, "1Mi");
        assert!(
            tidy(&settings).unwrap_err().contains("is not evictd's"),
            "{kind}"
        );
        let relief = dir.relief(ReliefStep::Reserve, 1, Unit::Bytes);
        assert_eq!(
            give(&settings, relief, false),
            Collected::default(),
            "{kind}"
        );
        assert_eq!(fs::read(&precious).unwrap(), b"text", "{kind}");
        assert!(file.symlink_metadata().is_ok(), "{kind}");
    }
}

#[test]
fn a_filesystem_that_cannot_keep_room_says_why() {
    for (kind, why) in [
        (0xef53, None),
        (0x5846_5342, None),
        (
            0x9123_683e,
            Some("btrfs copies what is written, and needs room to delete"),
        ),
        (0x0102_1994, Some("tmpfs lies in memory")),
        (
            0x1,
            Some("nothing is known of its filesystem (type 0x1): ext4 and XFS can"),
        ),
    ] {
        assert_eq!(cannot_keep_room(kind).as_deref(), why);
    }
}

/// Whoever may write beside the state directory leads it nowhere else by a link.
#[test]
fn a_link_to_the_state_directory_leads_nowhere() {
    let dir = Dir::new();
    fs::create_dir(dir.at("elsewhere")).unwrap();
    symlink(dir.at("elsewhere"), dir.at("state")).unwrap();
    let refused = tidy(&with(&dir.at("state"), "1Mi")).unwrap_err();
    assert!(refused.contains("Not a directory"), "{refused}");
    fs::write(dir.at("elsewhere/reserve"), "precious").unwrap();
    drop(tidy(&with(&dir.at("state"), "0")));
    assert!(dir.at("elsewhere/reserve").exists());
}
