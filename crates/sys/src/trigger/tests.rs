use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_node::Mono;
use evictd_testkit::needs;
use rustix::io::Errno;
use rustix::process::Signal;

use super::Trigger;
use crate::{Error, Token, Wake, Watch};

const SECOND: Duration = Duration::from_secs(1);
const TOKEN: Token = Token(3);

fn watch() -> Watch {
    Watch::new(&[Signal::USR2]).unwrap()
}

/// What has happened by now, without waiting.
fn wakes(watch: &mut Watch) -> Vec<Wake> {
    watch.wait(Mono::ZERO, Some(Mono::ZERO)).unwrap().to_vec()
}

/// A directory of files that stand for a kernel's, removed at the end.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("evictd-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn with(self, name: &str, text: &str) -> Self {
        std::fs::write(self.0.join(name), text).unwrap();
        self
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_is_not_there_is_an_error_that_says_what_was_tried() {
    let nowhere = Path::new("/proc/evictd-nowhere");
    for (tried, text) in [
        (
            Trigger::usage(nowhere, &[1]),
            "cannot set a threshold in cgroup.event_control: ",
        ),
        (
            Trigger::pressure(nowhere, SECOND, SECOND),
            "cannot set a trigger on memory pressure: ",
        ),
        (Trigger::events(nowhere), "cannot watch memory.events: "),
    ] {
        let error: Error = tried.unwrap_err();
        assert_eq!(error.errno, Errno::NOENT);
        assert!(error.to_string().starts_with(text), "{error}");
    }
}

/// On a kernel's file this is what the daemon writes.
#[test]
fn levels_are_written_one_by_one_with_the_descriptors_they_belong_to() {
    let files = Files::new("levels")
        .with("memory.usage_in_bytes", "1\n")
        .with("cgroup.event_control", "");
    let trigger = Trigger::usage(&files.0, &[4096, 1 << 40]).unwrap();
    let text = std::fs::read_to_string(files.0.join("cgroup.event_control")).unwrap();
    let words: Vec<&str> = text.split(' ').collect();
    // A plain file keeps both lines, one after the other.
    assert_eq!(words.last(), Some(&"1099511627776"), "{text}");
    assert!(words.contains(&"4096") || text.contains(" 4096"), "{text}");
    assert_eq!(trigger.take(), Ok(()));
}

#[test]
fn a_pressure_trigger_names_its_stall_and_window_in_microseconds() {
    let files = Files::new("pressure").with("memory", "");
    let file = files.0.join("memory");
    Trigger::pressure(&file, Duration::from_millis(20), SECOND / 2).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"some 20000 500000\0");
}

/// Each notice wakes once until it is armed again, and a file that does not
/// change does not wake.
#[test]
fn an_armed_trigger_fires_once() {
    let files = Files::new("once")
        .with("memory.usage_in_bytes", "1\n")
        .with("cgroup.event_control", "");
    let trigger = Trigger::usage(&files.0, &[1]).unwrap();
    let mut watch = watch();
    watch.arm(&trigger, TOKEN).unwrap();
    assert_eq!(wakes(&mut watch), [Wake::Deadline]);
    rustix::io::write(&trigger.fd, &1_u64.to_ne_bytes()).unwrap();
    assert_eq!(wakes(&mut watch), [Wake::Ready(TOKEN)]);
    assert_eq!(wakes(&mut watch), [Wake::Deadline], "one shot");
    watch.arm(&trigger, TOKEN).unwrap();
    assert_eq!(
        wakes(&mut watch),
        [Wake::Ready(TOKEN)],
        "not taken back yet"
    );
    trigger.take().unwrap();
    watch.arm(&trigger, TOKEN).unwrap();
    assert_eq!(wakes(&mut watch), [Wake::Deadline], "taken back");
}

/// The real thing, where there is one: `ci/scenarios/full-speed` runs with each.
#[test]
fn a_usage_that_crosses_its_level_fires() {
    needs!(CgroupV1);
    let base = Path::new("/sys/fs/cgroup/memory");
    let cgroup = base.join(format!("evictd-trigger-{}", std::process::id()));
    std::fs::create_dir(&cgroup).unwrap();
    let procs = |of: &Path| std::fs::write(of.join("cgroup.procs"), "0").unwrap();
    let home = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let home = home
        .lines()
        .find_map(|line| line.split_once(":memory:").map(|(_, path)| path))
        .unwrap()
        .trim_start_matches('/');
    let trigger = Trigger::usage(&cgroup, &[32 << 20]).unwrap();
    let mut watch = watch();
    watch.arm(&trigger, TOKEN).unwrap();
    procs(&cgroup);
    let held = vec![1_u8; 64 << 20];
    procs(&base.join(home));
    let fired = wakes(&mut watch);
    drop(held);
    std::fs::write(cgroup.join("memory.force_empty"), "0").unwrap();
    std::fs::remove_dir(&cgroup).unwrap();
    assert_eq!(fired, [Wake::Ready(TOKEN)]);
    assert_eq!(trigger.take().unwrap_err().errno, Errno::NODEV);
}
