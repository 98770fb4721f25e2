//! The manifests of this node. Their directory may lie on a disk that does not answer, so
//! the daemon has them read by a helper; commands, which may wait, read them themselves.

use alloc::sync::Arc;
use core::time::Duration;
use std::io;
use std::path::{Path, PathBuf};

use evictd_manifest::ManifestDir;
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_sys::{Desk, Helper, HelperThread, Priority, Writes};

/// Texts are read as YAML and JSON, which nest.
const STACK_BYTES: usize = 512 * 1024;

/// How long the loop waits for the helper, unless it is late already: the files of a node
/// are read in less than a millisecond, on a slow machine in some.
const MOMENT: Duration = Duration::from_millis(20);

/// A directory that takes longer than that is told.
const LATE: Duration = Duration::from_secs(5);

/// What was read.
#[derive(Default, PartialEq)]
struct Read {
    pods: Vec<Arc<Pod>>,
    problems: Vec<String>,
}

/// What the loop and the helper share.
struct Shared {
    /// `None` while it is being read.
    dir: Option<ManifestDir>,
    is_wanted: bool,
    /// They were read since the start.
    is_read: bool,
    last: Arc<Read>,
}

impl Shared {
    fn take_wanted(&mut self) -> Option<ManifestDir> {
        self.dir.take_if(|_| self.is_wanted)
    }

    fn give_back(&mut self, dir: ManifestDir, problems: Vec<String>) {
        self.dir = Some(dir);
        (self.is_wanted, self.is_read) = (false, true);
        let pods = self.dir.as_ref().map_or(&[][..], ManifestDir::pods);
        // The same pods are not there twice while the loop holds them.
        if self.last.pods != pods || self.last.problems != problems {
            let pods = pods.to_vec();
            self.last = Arc::new(Read { pods, problems });
        }
    }
}

/// The manifests as of the last [`Manifests::refresh`].
pub(crate) struct Manifests {
    path: PathBuf,
    helper: Helper<Shared>,
    has_helper: bool,
    /// Somebody was asked to read, the helper or the caller.
    is_begun: bool,
    /// When the helper was asked for what it has not given yet.
    asked: Option<Mono>,
    held: Arc<Read>,
    /// Whether that was read since the start.
    has_answered: bool,
}

impl Manifests {
    pub(super) fn new(dir: ManifestDir) -> Self {
        let thread = HelperThread {
            name: "evictd-manifest",
            stack_bytes: STACK_BYTES,
            priority: Priority::Usual,
            writes: Writes::Nowhere,
        };
        let held = Arc::<Read>::default();
        let path = dir.path().to_owned();
        let shared = Shared {
            dir: Some(dir),
            is_wanted: false,
            is_read: false,
            last: Arc::clone(&held),
        };
        Self {
            path,
            helper: Helper::new(thread, shared, run),
            has_helper: false,
            is_begun: false,
            asked: None,
            held,
            has_answered: false,
        }
    }

    /// Has a helper read from now on.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later. Until then the caller reads.
    pub(crate) fn start(&mut self, now: Mono) -> io::Result<()> {
        self.helper.start()?;
        self.has_helper = true;
        if !self.is_begun {
            self.ask(now);
        }
        Ok(())
    }

    fn ask(&mut self, now: Mono) {
        self.is_begun = true;
        self.asked = Some(now);
        self.helper.change(|shared| shared.is_wanted = true);
        self.helper.wait_until(MOMENT, |shared| !shared.is_wanted);
    }

    /// Reads what has changed. With a helper, what it has read within a moment.
    pub(super) fn refresh(&mut self, now: Mono) {
        if self.has_helper {
            // One that is late already is not waited for again.
            if !self.helper.look(|shared| shared.is_wanted) {
                self.ask(now);
            }
        } else if let Some(mut dir) = self.helper.look(|shared| shared.dir.take()) {
            let problems = read(&mut dir);
            self.helper.look(|shared| shared.give_back(dir, problems));
            self.is_begun = true;
        }
        let (held, is_waiting, is_read) = self.helper.look(|shared| {
            let last = Arc::clone(&shared.last);
            (last, shared.is_wanted, shared.is_read)
        });
        (self.held, self.has_answered) = (held, is_read);
        if !is_waiting {
            self.asked = None;
        }
    }

    pub(super) fn pods(&self) -> &[Arc<Pod>] {
        &self.held.pods
    }

    pub(super) fn problems(&self) -> &[String] {
        &self.held.problems
    }

    /// Whether the helper has not given yet what it was last asked for.
    pub(super) const fn is_waiting(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether they were read since the start: what the next [`Manifests::refresh`] gives is
    /// of all of them.
    pub(super) fn is_read(&self) -> bool {
        self.helper.look(|shared| shared.is_read)
    }

    /// Their directory.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the last [`Manifests::refresh`] gave what was read since the start.
    pub(super) const fn has_answered(&self) -> bool {
        self.has_answered
    }

    /// What to say where it has not for long.
    pub(super) fn late(&self, now: Mono) -> Option<String> {
        let is_late = |asked: Mono| now.since(asked) >= LATE;
        let path: &Path = &self.path;
        self.asked.is_some_and(is_late).then(|| {
            format!(
                "{}: no answer from its disk; manifests count as they were last read",
                path.display()
            )
        })
    }
}

fn run(desk: Desk<Shared>) {
    while let Some(mut dir) = desk.next(Shared::take_wanted) {
        let problems = read(&mut dir);
        desk.show(|shared| shared.give_back(dir, problems));
    }
}

fn read(dir: &mut ManifestDir) -> Vec<String> {
    dir.refresh().iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance rows 259 and 262.
    #[test]
    fn what_is_being_read_for_the_first_time_is_no_answer() {
        let mut manifests = Manifests::new(ManifestDir::new("/nonexistent/evictd".into()));
        // As while a helper reads it.
        manifests.has_helper = true;
        let dir = manifests.helper.look(|shared| shared.dir.take());
        manifests.refresh(Mono::ZERO);
        assert!(!manifests.is_read() && !manifests.has_answered());
        let give_back = |shared: &mut Shared| shared.give_back(dir.unwrap(), Vec::new());
        manifests.helper.look(give_back);
        assert!(manifests.is_read());
        assert!(!manifests.has_answered(), "what is listed is from before");
        manifests.refresh(Mono::ZERO);
        assert!(manifests.has_answered(), "though it is being read anew");
    }

    /// Acceptance row 197: a directory on a disk that does not answer stopped the loop.
    #[test]
    fn a_directory_that_does_not_answer_is_not_waited_for() {
        let mut manifests = Manifests::new(ManifestDir::new("/nonexistent/evictd".into()));
        assert!(!manifests.is_read());
        manifests.refresh(Mono::ZERO);
        assert!(manifests.is_read());
        assert_eq!(manifests.problems().len(), 1, "it was read here");

        // As while a helper reads it.
        manifests.has_helper = true;
        let dir = manifests.helper.look(|shared| shared.dir.take());
        let at = |seconds| Mono::ZERO + Duration::from_secs(seconds);
        manifests.refresh(at(1));
        assert!(manifests.is_waiting() && manifests.late(at(1)).is_none());
        manifests.refresh(at(7));
        assert!(manifests.is_waiting());
        let late = manifests.late(at(7)).unwrap();
        assert!(late.starts_with("/nonexistent/evictd: no answer"), "{late}");
        assert_eq!(manifests.problems().len(), 1, "what was read counts");
        assert!(manifests.is_read() && manifests.has_answered());

        manifests
            .helper
            .look(|shared| shared.give_back(dir.unwrap(), Vec::new()));
        manifests.start(at(8)).unwrap();
        manifests.refresh(at(9));
        let is_read = |shared: &mut Shared| !shared.is_wanted;
        assert!(
            manifests
                .helper
                .wait_until(Duration::from_secs(60), is_read)
        );
        manifests.refresh(at(10));
        assert_eq!(manifests.problems().len(), 1);
        assert!(manifests.late(at(10)).is_none());
    }
}
