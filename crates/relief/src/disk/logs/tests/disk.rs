//! A filesystem of a test's own, and logs on it.

use core::sync::atomic::{AtomicBool, Ordering};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::{self, JoinHandle};

use alloc::sync::Arc;
use evictd_gc::{RecordFormat, time_of};

pub(super) const MIB: u64 = 1 << 20;

/// A filesystem that goes with it.
pub(super) struct Disk(pub(super) PathBuf);

impl Disk {
    /// An ext4 of 64 MiB in a file.
    pub(super) fn ext4(name: &str) -> Self {
        let place = place(name);
        let image = place.with_extension("img");
        File::create(&image).unwrap().set_len(64 * MIB).unwrap();
        run("mkfs.ext4", &["-q", "-F", "-m", "0"], &image);
        let options = ["-o", "loop", image.to_str().unwrap()];
        run("mount", &options, &place);
        fs::remove_file(image).unwrap();
        Self(place)
    }

    /// One that can punch holes but cut off nothing.
    pub(super) fn tmpfs(name: &str) -> Self {
        let place = place(name);
        run("mount", &["-t", "tmpfs", "-o", "size=64M", "test"], &place);
        Self(place)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        run("umount", &["-l"], &self.0);
        fs::remove_dir(&self.0).unwrap();
    }
}

fn place(name: &str) -> PathBuf {
    let place = std::env::temp_dir().join(format!("evictd-{}-{name}", std::process::id()));
    fs::create_dir_all(&place).unwrap();
    place
}

fn run(program: &str, arguments: &[&str], place: &Path) {
    let status = Command::new(program).args(arguments).arg(place).status();
    assert!(status.unwrap().success(), "{program} {arguments:?}");
}

/// The record of that number.
pub(super) fn record(format: RecordFormat, number: u64) -> String {
    let second = number / 1_000_000;
    let time = format!(
        "2026-11-25T13:{:02}:{:02}.{:06}Z",
        second / 60,
        second % 60,
        number % 1_000_000
    );
    let padding = "x".repeat(usize::try_from(number % 97).unwrap());
    match format {
        RecordFormat::Json => {
            format!(
                "{{\"log\":\"line {number} {padding}\\n\",\"stream\":\"stdout\",\"time\":\"{time}\"}}\n"
            )
        }
        RecordFormat::Cri => format!("{time} stdout F line {number} {padding}\n"),
    }
}

/// Fills a log with records from that number on; returns the next number.
pub(super) fn fill(file: &mut File, format: RecordFormat, bytes: u64, first: u64) -> u64 {
    let (mut text, mut number) = (String::new(), first);
    while (text.len() as u64) < bytes {
        text.push_str(&record(format, number));
        number += 1;
    }
    file.write_all(text.as_bytes()).unwrap();
    number
}

/// Writes on and on, a record with each call.
pub(super) struct Writer {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl Writer {
    pub(super) fn start(mut file: File, format: RecordFormat, first: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut number = first;
            // Some come after what was done meanwhile.
            while !is_over.load(Ordering::Relaxed) {
                file.write_all(record(format, number).as_bytes()).unwrap();
                number += 1;
                if number.is_multiple_of(20) {
                    thread::sleep(core::time::Duration::from_millis(1));
                }
            }
            fill(&mut file, format, 10_000, number)
        });
        Self { stop, thread }
    }

    /// Returns the number that would be next.
    pub(super) fn end(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

pub(super) fn append(path: &Path) -> File {
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .unwrap()
}

/// All lines of a text are records; the first is a notice, and behind it the records up to
/// `next` follow each other without a gap. Returns the first of them.
pub(super) fn check(text: &[u8], format: RecordFormat, next: u64) -> u64 {
    let text = core::str::from_utf8(text).unwrap();
    assert!(text.ends_with('\n'));
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let notice = lines.next().unwrap();
    assert!(
        notice.contains("evictd: ") && notice.contains(" of this log, from 2026-"),
        "{notice}"
    );
    assert!(time_of(format, notice.as_bytes()).is_some());
    let number = |line: &str| {
        let (_, rest) = line.split_once("line ").unwrap_or_else(|| panic!("{line}"));
        rest.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let numbers: Vec<u64> = lines
        .inspect(|line| assert!(time_of(format, line.as_bytes()).is_some(), "{line}"))
        .map(number)
        .collect();
    assert_eq!(numbers.last().copied(), Some(next - 1));
    assert!(numbers.windows(2).all(|two| two[0] + 1 == two[1]), "a gap");
    numbers[0]
}
