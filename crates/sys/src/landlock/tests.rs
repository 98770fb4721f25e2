use std::fs;
use std::os::fd::AsFd;
use std::path::PathBuf;

use rustix::thread::set_no_new_privs;

use super::*;

fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("evictd-landlock-{}-{name}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_confined_thread_writes_and_deletes_below_its_directories_alone() {
    if landlock_version().is_err() {
        println!("this kernel has no Landlock");
        return;
    }
    let (own, other) = (directory("own"), directory("other"));
    fs::write(other.join("kept"), "1").unwrap();
    std::os::unix::fs::symlink(&other, own.join("link")).unwrap();
    let (mine, link) = (own.clone(), own.join("link"));
    let held = fs::File::open(&own).unwrap();
    // Only this thread, which ends.
    let confined = std::thread::spawn(move || {
        write_only_below(&[held.as_fd()]).unwrap();
        fs::write(link.join("before"), "1").unwrap();
        set_no_new_privs(true).unwrap();
        write_only_below(&[held.as_fd()]).unwrap();
        fs::write(mine.join("new"), "1").unwrap();
        fs::rename(mine.join("new"), mine.join("renamed")).unwrap();
        fs::create_dir(mine.join("deep")).unwrap();
        fs::rename(mine.join("renamed"), mine.join("deep/moved")).unwrap();
        fs::remove_file(mine.join("deep/moved")).unwrap();
        assert!(
            fs::read_to_string(link.join("kept")).is_ok(),
            "reading is as it was"
        );
        assert!(fs::write(link.join("kept"), "2").is_err());
        assert!(fs::write(link.join("new"), "2").is_err());
        assert!(fs::remove_file(link.join("kept")).is_err());
    });
    confined.join().unwrap();
    fs::write(other.join("by another thread"), "1").unwrap();
    fs::remove_dir_all(own).unwrap();
    fs::remove_dir_all(other).unwrap();
}
