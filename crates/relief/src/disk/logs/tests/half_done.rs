//! `kill -9` between any two steps, and a new evictd that finishes them.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use evictd_containers::{ContainerState, LogFormat};
use evictd_engine::ports::Collected;
use evictd_gc::{LogWriter, RecordFormat};
use evictd_pods::runtimes::Listed;
use evictd_testkit::needs;

use super::disk::{Disk, MIB, append, check, fill};
use super::relieving::{container, listed, logs, relief};
use crate::disk::logs::Logs;
use crate::disk::logs::act::Acting;
use crate::disk::logs::find::{Log, Whose, find};
use crate::disk::logs::half_done::Steps;

/// A state directory beside the logs' disk.
struct State(PathBuf);

impl State {
    fn new(name: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("evictd-steps-{}-{number}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    /// What is written down there.
    fn steps(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }

    fn logs(&self) -> Logs {
        Logs {
            state_dir: Some(self.0.clone()),
            reopen: begins_a_new_one,
            ..logs()
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// A runtime that does as it is told.
fn begins_a_new_one(_: &[Listed], log: &Log) -> Result<(), String> {
    let made = File::create_new(log.directory.join(&log.file));
    made.map(drop).map_err(|error| error.to_string())
}

/// Gives up the old part of the only log, and is killed after `points` steps. Returns whether
/// it came to its end.
fn killed_after(
    points: usize,
    state: &State,
    disk: &Disk,
    runtimes: &[Listed],
    writer: LogWriter,
) -> bool {
    let relief = relief(disk, None);
    let found = find(Whose::OnDisk(&relief), runtimes);
    let steps = Steps::of(Some(&state.0));
    steps.left.store(points + 1, Ordering::Relaxed);
    let mut acting = Acting::new(MIB, runtimes, begins_a_new_one, &steps);
    let done = acting.give_up(&found.logs[0], writer);
    let is_killed = |text: &String| text.contains("killed");
    !done.as_ref().err().is_some_and(is_killed) && !acting.problems.iter().any(is_killed)
}

/// The log, after the new evictd has been at it: as if nobody had been killed.
fn is_in_order(path: &Path, format: RecordFormat, next: u64) {
    let text = fs::read(path).unwrap();
    let begin = text.iter().position(|byte| *byte != 0).unwrap();
    check(&text[begin..], format, next);
    let taken = fs::metadata(path).unwrap().blocks() * 512;
    assert!(taken < 2 * MIB, "{taken}");
}

fn kill_and_finish(
    disk: &Disk,
    format: LogFormat,
    state: ContainerState,
    writer: LogWriter,
) -> usize {
    let record = match format {
        LogFormat::JsonFile => RecordFormat::Json,
        LogFormat::K8sFile | LogFormat::Cri | LogFormat::Unknown => RecordFormat::Cri,
    };
    let is_done = |points: &usize| {
        let home = State::new("log");
        let path = disk.0.join("0.log");
        let next = fill(&mut append(&path), record, 12 * MIB, 0);
        let before = fs::read(&path).unwrap();
        let runtimes = listed(vec![container(&path, format, state)]);
        let is_done = killed_after(*points, &home, disk, &runtimes, writer);
        home.logs().mend(false, &runtimes).unwrap();
        assert_eq!(home.steps(), 0, "killed after {points} of {format:?}");
        // Done to its end, or not begun: nothing is half done any more.
        let parts = fs::read_dir(&disk.0).unwrap().flatten();
        let parts = parts.map(|entry| entry.path()).filter(|it| it.is_file());
        let largest = parts
            .max_by_key(|part| fs::metadata(part).unwrap().len())
            .unwrap();
        let text = fs::read(largest).unwrap();
        if text != before {
            let begin = text.iter().position(|byte| *byte != 0).unwrap();
            check(&text[begin..], record, next);
        }
        // It goes on as ever, with what came of it or with all of it.
        home.logs()
            .relieve_disk(&relief(disk, None), false, &runtimes)
            .unwrap();
        let parts = fs::read_dir(&disk.0).unwrap().flatten();
        let mut parts: Vec<PathBuf> = parts
            .map(|entry| entry.path())
            .filter(|it| it.is_file())
            .collect();
        parts.sort();
        assert_eq!(parts[0], path, "killed after {points}");
        // Of one that was begun anew all is in the former part.
        is_in_order(parts.last().unwrap(), record, next);
        assert!(parts.len() <= 2, "{parts:?}");
        for part in parts {
            fs::remove_file(part).unwrap();
        }
        is_done
    };
    (0..).find(is_done).unwrap()
}

#[test]
fn what_kill_9_left_half_done_is_finished() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("killed");
    use ContainerState::{Exited, Running};
    for (format, state, writer, points) in [
        (LogFormat::JsonFile, Exited, LogWriter::Nobody, 4),
        (LogFormat::JsonFile, Running, LogWriter::KeepsPosition, 4),
        (LogFormat::K8sFile, Exited, LogWriter::Nobody, 4),
        // Renamed, begun anew, and cut.
        (LogFormat::Cri, Running, LogWriter::Nobody, 6),
    ] {
        let took = kill_and_finish(&disk, format, state, writer);
        assert_eq!(took, points, "{format:?} {state:?}");
    }
}

/// Where all that stays has to be copied.
#[test]
fn a_copy_that_kill_9_left_half_done_is_finished() {
    needs!(Mounting);
    let disk = Disk::tmpfs("killed-copy");
    let took = kill_and_finish(
        &disk,
        LogFormat::K8sFile,
        ContainerState::Exited,
        LogWriter::Nobody,
    );
    assert!(took > 8, "{took}");
}

/// Without a state directory: its name says what happened to it. Nothing of it is lost, and
/// it is found by the pod's container again.
#[test]
fn a_log_that_was_renamed_and_not_begun_anew_is_found_again() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("renamed");
    let (path, former) = (disk.0.join("0.log"), disk.0.join("0.log.20261125-130000"));
    for (reopen, state, is_back) in [
        // The runtime begins a new one.
        (
            begins_a_new_one as fn(&[Listed], &Log) -> _,
            ContainerState::Running,
            false,
        ),
        // It does not answer: the log gets its name back.
        (logs().reopen, ContainerState::Running, true),
        (logs().reopen, ContainerState::Exited, true),
    ] {
        let mut writer = append(&former);
        fill(&mut writer, RecordFormat::Cri, 12 * MIB, 0);
        let runtimes = listed(vec![container(&path, LogFormat::Cri, state)]);
        let logs = Logs { reopen, ..logs() };
        let told = logs.mend(false, &runtimes).unwrap();
        assert_eq!(told.text, "put in order the logs of 0");
        assert_eq!((path.exists(), former.exists()), (true, !is_back));
        drop(writer);
        let told = logs.relieve_disk(&relief(&disk, Some(5)), false, &runtimes);
        assert_eq!(
            told.unwrap().removed,
            usize::from(!is_back || state == ContainerState::Exited)
        );
        for entry in fs::read_dir(&disk.0).unwrap().flatten() {
            let _ = fs::remove_file(entry.path());
        }
    }
    // What lies there since long, and nobody writes, is none that was renamed just now.
    fill(&mut append(&former), RecordFormat::Cri, MIB, 0);
    let runtimes = listed(vec![container(
        &path,
        LogFormat::Cri,
        ContainerState::Running,
    )]);
    let logs = logs();
    let told = logs.mend(false, &runtimes).unwrap();
    assert!(told.text.contains("/nowhere.sock"), "{}", told.text);
    assert_eq!(
        logs.mend(false, &runtimes).unwrap(),
        Collected::default(),
        "it was said"
    );
    assert!(!path.exists() && former.exists());
}

/// A step that is about another file by now, or that was done to its end, changes nothing.
#[test]
fn what_is_written_down_is_believed_only_where_the_file_bears_it_out() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("disbelieved");
    let home = State::new("disbelieved");
    let path = disk.0.join("a.log");
    fill(&mut append(&path), RecordFormat::Json, 4 * MIB, 0);
    let (before, found) = (fs::read(&path).unwrap(), fs::metadata(&path).unwrap());
    let runtimes = listed(vec![container(
        &path,
        LogFormat::JsonFile,
        ContainerState::Exited,
    )]);
    let at = 2 * MIB;
    for kind in ["collapse", "punch", "shift"] {
        for size in [found.len(), found.len() - 1, found.len() + 1] {
            for behind in [at + 600, at - 1, u64::MAX] {
                let (device, inode) = (found.dev(), found.ino());
                let name = format!("log-step.{kind}.{device}.{inode}.{size}.{at}.{behind}");
                fs::write(home.0.join(&name), "").unwrap();
                home.logs().mend(false, &runtimes).unwrap();
                assert!(fs::read(&path).unwrap() == before, "{name}");
                assert_eq!(home.steps(), 0, "{name}");
            }
        }
    }
    fs::write(home.0.join("log-step.shift.1.2.3.4.5"), "").unwrap();
    home.logs().mend(false, &runtimes).unwrap();
    assert_eq!(
        home.steps(),
        1,
        "it may be a container's whose runtime is not there yet"
    );
}
