mod directories;
mod reserve;

use core::sync::atomic::{AtomicU32, Ordering};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use evictd_config::{Resolved, Typed, resolve};
use evictd_engine::ports::{Collect, Collected, Job, Relief};
use evictd_node::{ReliefStep, Unit};
use rustix::fs::{major, minor};

use super::Climber;

/// A directory of the test's own, which is gone with it.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("evictd-relief-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Its filesystem.
    fn device(&self) -> (u32, u32) {
        let device = fs::metadata(&self.0).unwrap().dev();
        (major(device), minor(device))
    }

    /// A rung is to give back that much of this filesystem.
    fn relief(&self, rung: ReliefStep, missing: u64, unit: Unit) -> Relief {
        Relief {
            rung,
            device: self.device(),
            missing: Some(missing),
            unit,
        }
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn settings(flags: &[(&str, &str)]) -> Resolved {
    let mut typed = Typed::default();
    for (flag, text) in flags {
        assert!(typed.add(flag, *text), "--{flag}");
    }
    resolve(&typed).unwrap()
}

fn climb(settings: &Resolved, what: Collect, dry_run: bool) -> Result<Collected, String> {
    let number = 1;
    let job = Job {
        number,
        what,
        dry_run,
    };
    Climber::of(settings).climb(&job, &[])
}

/// A field of what was collected, as text; empty where it has none of that name.
fn field(collected: &Collected, name: &str) -> String {
    let mut fields = collected.fields.iter();
    let found = fields.find(|(field, _)| *field == name);
    found
        .map(|(_, value)| value.to_string())
        .unwrap_or_default()
}

fn fill(path: &Path, pages: usize) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, vec![7; pages * 4096]).unwrap();
}
