use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// How long a filesystem may take in a test: it answers at once, but the machine
/// may be busy.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// A directory of this test's own, gone when the test ends, well or badly.
pub(crate) struct Tree(PathBuf);

static MADE: AtomicU32 = AtomicU32::new(0);

impl Tree {
    pub(crate) fn new() -> Self {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("evictd-stats-{}-{number}", process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    /// Writes a file and the directories above it; `{}` in the text becomes
    /// the tree's own path.
    pub(crate) fn put(&self, name: &str, text: &str) -> &Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = text.replace("{}", self.0.to_str().unwrap());
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn remove(&self, name: &str) {
        let path = self.0.join(name);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
