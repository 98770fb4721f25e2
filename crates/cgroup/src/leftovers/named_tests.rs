use core::ops::ControlFlow;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use evictd_testkit::needs;
use rustix::io::Errno;

use super::*;
use crate::testkit::Fixture;

const ALL: u64 = 1000;

fn open(path: &Path) -> NamedDir {
    NamedDir::open(Path::new("/proc"), path).unwrap().unwrap()
}

/// The bytes of each file that is found, sorted: they tell them apart.
fn found(named: &NamedDir) -> (Vec<u64>, NamedWalk) {
    let mut found = Vec::new();
    let walk = named.each_file(ALL, &mut |file| {
        found.push(file.bytes() / 4096);
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    (found, walk)
}

fn fill(path: &Path, pages: usize) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, vec![7; pages * 4096]).unwrap();
}

#[test]
fn regular_files_are_found_and_no_link_is_followed() {
    let fixture = Fixture::new();
    let at = |name: &str| fixture.path().join(name);
    fill(&at("outside/precious"), 9);
    fill(&at("cache/one"), 1);
    fill(&at("cache/a/b/c/three"), 3);
    symlink(at("outside"), at("cache/dir")).unwrap();
    symlink(at("outside/precious"), at("cache/a/file")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("cache/fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let named = open(&at("cache"));
    let (sizes, walk) = found(&named);
    assert_eq!(sizes, [1, 3]);
    assert_eq!((walk.has_left_out, walk.unread.is_none()), (false, true));
    assert_eq!(walk.entries, 8);
    let _ = named.each_file(ALL, &mut |file| {
        assert!(file.modified_nanos() > 1_700_000_000_000_000_000);
        assert!(file.changed_nanos() >= file.modified_nanos());
        assert_eq!(file.links(), 1);
        file.delete().unwrap();
        file.delete().unwrap(); // what is gone is fine
        ControlFlow::Continue(())
    });
    assert_eq!(found(&named).0, [0; 0]);
    assert!(at("cache/a/b/c").is_dir() && at("cache/a/file").is_symlink());
    assert!(at("outside/precious").exists());
}

#[test]
fn a_directory_that_is_reached_through_a_link_is_refused() {
    let fixture = Fixture::new();
    let at = |name: &str| fixture.path().join(name);
    fill(&at("real/below/file"), 1);
    symlink(at("real"), at("link")).unwrap();
    let open = |name: &str| NamedDir::open(Path::new("/proc"), &at(name));
    for (name, errno) in [
        ("link", Errno::NOTDIR),
        ("link/below", Errno::NOTDIR),
        ("real/../real", Errno::INVAL),
        ("real/below/file", Errno::NOTDIR),
    ] {
        let error = open(name).unwrap_err();
        assert!(
            matches!(error.errno, other if other == errno || other == Errno::LOOP),
            "{error}"
        );
        assert_eq!(error.path, at(name));
    }
    assert!(open("gone").unwrap().is_none());
    assert!(open("real/./below").unwrap().is_some());
}

#[test]
fn a_walk_is_bounded() {
    let fixture = Fixture::new();
    let mut path = fixture.path().to_path_buf();
    for _ in 0..32 {
        path.push("d");
    }
    fill(&path.join("file"), 1);
    let named = open(fixture.path());
    assert_eq!(found(&named).0, [1]);
    fill(&path.join("e/deeper"), 2);
    let (sizes, walk) = found(&named);
    assert_eq!((sizes, walk.has_left_out), (vec![1], true));

    for name in ["1", "2", "3"] {
        fill(&fixture.path().join(name), 1);
    }
    let mut seen = 0;
    let walk = named.each_file(2, &mut |_| {
        seen += 1;
        ControlFlow::Continue(())
    });
    assert_eq!((walk.entries, walk.has_left_out), (2, true));
    assert!(seen <= 2);
    let walk = named.each_file(ALL, &mut |_| ControlFlow::Break(()));
    assert!(!walk.has_left_out && walk.entries < 36);
}

/// Names without end in one subdirectory keep the walk from no other.
#[test]
fn each_subdirectory_has_its_share() {
    let fixture = Fixture::new();
    let at = |name: &str| fixture.path().join(name);
    for tenant in ["hog", "pig"] {
        fill(&at(tenant).join("deep/file"), 9);
        for number in 0..3000 {
            fs::hard_link(
                at(tenant).join("deep/file"),
                at(tenant).join(format!("{number}")),
            )
            .unwrap();
        }
    }
    fill(&at("own"), 1);
    let others: Vec<u64> = (0..40).map(|_| 2).collect();
    for (number, pages) in others.iter().enumerate() {
        fill(
            &at(&format!("other-{number}/a/b/file")),
            usize::try_from(*pages).unwrap(),
        );
    }
    let named = open(fixture.path());
    let mut found = Vec::new();
    let walk = named.each_file(3000, &mut |file| {
        found.push(file.bytes() / 4096);
        ControlFlow::Continue(())
    });
    found.retain(|pages| *pages < 9);
    found.sort_unstable();
    assert_eq!(found, [&[1], others.as_slice()].concat());
    assert_eq!((walk.entries, walk.has_left_out), (3000, true));
    let left_out = walk.left_out.unwrap();
    assert!([at("hog"), at("pig")].contains(&left_out), "{left_out:?}");
    // Where there is time for all of it, each is met once.
    let mut links = 0;
    let walk = named.each_file(100_000, &mut |file| {
        links += u32::from(file.links() > 1);
        ControlFlow::Continue(())
    });
    assert_eq!(
        (links, walk.has_left_out, walk.left_out),
        (6002, false, None)
    );
}

#[test]
fn more_subdirectories_than_have_turns_at_a_time_are_all_met() {
    let fixture = Fixture::new();
    for number in 0..1500 {
        fill(&fixture.path().join(format!("{number}/file")), 0);
    }
    let mut seen = 0;
    let walk = open(fixture.path()).each_file(100_000, &mut |_| {
        seen += 1;
        ControlFlow::Continue(())
    });
    assert_eq!((seen, walk.entries, walk.has_left_out), (1500, 3000, false));
}

#[test]
fn what_is_mounted_there_is_another_filesystem() {
    needs!(Root);
    let fixture = Fixture::new();
    let at = |name: &str| fixture.path().join(name);
    fill(&at("cache/own"), 1);
    fill(&at("outside/precious"), 9);
    for name in ["cache/tmpfs", "cache/bind"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    let mount = |words: &[&str], at: &Path| {
        let done = Command::new("mount").args(words).arg(at).status();
        assert!(done.unwrap().success(), "{words:?}");
    };
    let outside = at("outside");
    mount(&["-t", "tmpfs", "none"], &at("cache/tmpfs"));
    mount(&["--bind", outside.to_str().unwrap()], &at("cache/bind"));
    fill(&at("cache/tmpfs/file"), 5);
    let (sizes, walk) = found(&open(&at("cache")));
    for name in ["cache/tmpfs", "cache/bind"] {
        let done = Command::new("umount").arg(at(name)).status();
        assert!(done.unwrap().success(), "{name}");
    }
    assert_eq!(sizes, [1]);
    assert!(walk.unread.is_none());
}
