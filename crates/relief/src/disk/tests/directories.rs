use core::time::Duration;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::UNIX_EPOCH;

use evictd_config::Resolved;
use evictd_engine::ports::{Collect, Collected, Relief};
use evictd_node::{ReliefStep, Unit};
use evictd_stats::wall_seconds;
use evictd_testkit::needs;

use super::{Dir, climb, field, fill, settings};

/// A file of some pages, last written to so many hours ago.
fn old(dir: &Dir, name: &str, pages: usize, hours: u64) {
    fill(&dir.at(name), pages);
    let file = File::options().write(true).open(dir.at(name)).unwrap();
    let then = UNIX_EPOCH + Duration::from_secs(wall_seconds() - hours * 3600);
    file.set_modified(then).unwrap();
}

fn named(dir: &Dir, what: &str) -> Resolved {
    let flag = format!("{}:{what}", dir.at("cache").display());
    settings(&[("relief-dir", &flag)])
}

/// What is left in the directory, sorted.
fn left(dir: &Dir) -> Vec<String> {
    let names = fs::read_dir(dir.at("cache")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn relieve(settings: &Resolved, relief: Relief) -> Result<Collected, String> {
    climb(settings, Collect::Step(relief), false)
}

fn four(dir: &Dir) {
    old(dir, "cache/newest", 10, 1);
    old(dir, "cache/oldest", 10, 30 * 24);
    old(dir, "cache/below/old", 10, 20);
    old(dir, "cache/middle", 10, 10);
}

#[test]
fn the_oldest_files_go_until_nothing_is_missing() {
    let dir = Dir::new();
    four(&dir);
    let settings = named(&dir, "keep=0,older-than=1ns");
    let relief = |missing, unit| dir.relief(ReliefStep::Directories, missing, unit);

    let would = climb(&settings, Collect::Step(relief(50_000, Unit::Bytes)), true).unwrap();
    let cache = dir.at("cache");
    let text = format!(
        "would delete 2 files of {} (the oldest left alone for 30 days): 80Ki",
        cache.display()
    );
    assert_eq!((would.removed, would.text), (0, text));
    assert_eq!(left(&dir), ["below", "middle", "newest", "oldest"]);

    let done = relieve(&settings, relief(50_000, Unit::Bytes)).unwrap();
    assert_eq!(done.removed, 2, "{done:?}");
    assert!(done.text.starts_with("deleted 2 files of "), "{done:?}");
    assert_eq!(field(&done, "rung"), "\"directories\"");
    assert_eq!(field(&done, "files"), "2");
    assert_eq!(field(&done, "dryRun"), "false");
    // A directory stays, though nothing is in it any more.
    assert_eq!(left(&dir), ["below", "middle", "newest"]);
    assert_eq!(fs::read_dir(dir.at("cache/below")).unwrap().count(), 0);

    let done = relieve(&settings, relief(1, Unit::Inodes)).unwrap();
    assert_eq!(done.removed, 1);
    assert_eq!(left(&dir), ["below", "newest"]);
}

#[test]
fn what_is_kept_young_or_elsewhere_stays() {
    let dir = Dir::new();
    four(&dir);
    let all = dir.relief(ReliefStep::Directories, 1 << 40, Unit::Bytes);
    for (name, flags, relief) in [
        ("young", "keep=0,older-than=1h", all),
        ("kept", "keep=156Ki,older-than=1ns", all),
        (
            "on another filesystem",
            "keep=0,older-than=1ns",
            Relief {
                device: (0, 0),
                ..all
            },
        ),
    ] {
        let done = relieve(&named(&dir, flags), relief).unwrap();
        assert_eq!(done, Collected::default(), "{name}");
    }
    let half = relieve(&named(&dir, "keep=80Ki,older-than=1ns"), all).unwrap();
    assert_eq!(half.removed, 2);
    assert_eq!(left(&dir), ["below", "middle", "newest"]);
    let other = Dir::new();
    let nothing = relieve(&named(&other, "keep=0,older-than=1ns"), all);
    assert_eq!(nothing.unwrap(), Collected::default());
}

#[test]
fn a_link_leads_nowhere() {
    let dir = Dir::new();
    old(&dir, "elsewhere/precious", 10, 99);
    old(&dir, "cache/old", 1, 99);
    fs::hard_link(dir.at("elsewhere/precious"), dir.at("cache/hard")).unwrap();
    symlink(dir.at("elsewhere"), dir.at("cache/soft")).unwrap();
    let all = dir.relief(ReliefStep::Directories, 1 << 40, Unit::Bytes);
    let done = relieve(&named(&dir, "keep=0,older-than=1ns"), all).unwrap();
    assert_eq!(done.removed, 1);
    assert_eq!(left(&dir), ["hard", "soft"]);
    assert!(dir.at("elsewhere/precious").exists());

    symlink(dir.at("elsewhere"), dir.at("link")).unwrap();
    let flag = format!("{}:keep=0,older-than=1ns", dir.at("link").display());
    let refused = relieve(&settings(&[("relief-dir", &flag)]), all).unwrap_err();
    assert!(refused.contains("no link is followed"), "{refused}");
}

/// A file that is mounted on itself.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn new(at: &'a Path) -> Self {
        let status = Command::new("mount").arg("--bind").args([at, at]).status();
        assert!(status.unwrap().success());
        Self(at)
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// A file that cannot be deleted, as one that is immutable, is the oldest for ever.
#[test]
fn a_file_that_cannot_be_deleted_costs_no_other() {
    needs!(Mounting);
    let dir = Dir::new();
    four(&dir);
    let oldest = dir.at("cache/oldest");
    let mounted = Mounted::new(&oldest);
    let some = dir.relief(ReliefStep::Directories, 50_000, Unit::Bytes);
    let done = relieve(&named(&dir, "keep=0,older-than=1ns"), some).unwrap();
    assert_eq!(left(&dir), ["below", "newest", "oldest"]);
    assert_eq!(done.removed, 2);
    assert!(done.text.contains("/cache/oldest: "), "{}", done.text);
    drop(mounted);
}

#[test]
fn several_directories_are_taken_in_their_order() {
    let (first, second) = (Dir::new(), Dir::new());
    old(&first, "cache/a", 10, 1);
    old(&second, "cache/b", 10, 99);
    let flag = |dir: &Dir| format!("{}:keep=0,older-than=1ns", dir.at("cache").display());
    let settings = settings(&[
        ("relief-dir", &flag(&first)),
        ("relief-dir", &flag(&second)),
    ]);
    let some = first.relief(ReliefStep::Directories, 4096, Unit::Bytes);
    assert_eq!(relieve(&settings, some).unwrap().removed, 1);
    assert_eq!((left(&first).len(), left(&second).len()), (0, 1));
}

/// What was not looked at is told, with where most of it is.
#[test]
fn what_was_not_looked_at_is_told() {
    let dir = Dir::new();
    old(&dir, "cache/tenant/file", 1, 99);
    let mut deep = String::from("cache/deep");
    for _ in 0..40 {
        deep.push_str("/d");
    }
    old(&dir, &format!("{deep}/file"), 1, 99);
    let all = dir.relief(ReliefStep::Directories, 1 << 40, Unit::Bytes);
    let done = relieve(&named(&dir, "keep=0,older-than=1ns"), all).unwrap();
    assert_eq!(done.removed, 1);
    let rest = format!("not all of {} was looked at: ", dir.at("cache").display());
    assert!(done.text.contains(&rest), "{}", done.text);
    assert!(done.text.contains("/cache/deep/d/"), "{}", done.text);
    // Where nothing was deleted that is the whole answer.
    let told = relieve(&named(&dir, "keep=0,older-than=1ns"), all).unwrap_err();
    assert!(told.contains(&rest), "{told}");
}

/// More than a plan holds, deep down, with names that nobody expects.
#[test]
fn many_files_at_any_depth_take_several_passes() {
    let dir = Dir::new();
    let mut deep = String::from("cache");
    for _ in 0..30 {
        deep.push_str("/d");
    }
    fs::create_dir_all(dir.at(&deep)).unwrap();
    let files = evictd_gc::MOST_FILES + 50;
    for number in 0..files {
        File::create(dir.at(&format!("{deep}/\u{1b}[2J {number}"))).unwrap();
    }
    let all = dir.relief(ReliefStep::Directories, u64::MAX, Unit::Inodes);
    let settings = named(&dir, "keep=0,older-than=1ns");
    let would = climb(&settings, Collect::Step(all), true).unwrap();
    assert!(would.text.contains("at least 16384 files"), "{would:?}");
    let done = relieve(&settings, all).unwrap();
    assert_eq!(done.removed, files, "{done:?}");
    assert_eq!(fs::read_dir(dir.at(&deep)).unwrap().count(), 0);
}
