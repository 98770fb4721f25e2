//! Files of cgroups that evictd sets for a while, each of which gets back what stood there
//! before: at the end, when it is no longer wanted, and by the next evictd where this one was
//! killed. So what was there is written down before anything is set.
//!
//! What is written down outlives evictd, not the machine: with it the cgroups are gone, too.
//! So nothing waits for the disk.

mod knob;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use std::io::{self, Read, Write};
use std::path::Path;

use evictd_stats::{Hierarchy, is_gone};
use evictd_sys::Directory;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::fstat;
use rustix::io::Errno;

use crate::dir::{read_start, write_file};
pub use knob::{Knob, KnobFile, parse_knobs};
use knob::{MOST, value};

/// What is written down has room for each of them at the longest path.
const MOST_BYTES: u64 = 16 << 20;

/// Where the files are.
#[derive(Clone, Debug, Default)]
pub struct KnobPlaces {
    /// The memory controller's hierarchy.
    pub memory: Option<Hierarchy>,
    /// The one with shares of processors.
    pub cpu: Option<Hierarchy>,
}

impl KnobPlaces {
    fn of(&self, file: KnobFile) -> Option<&Hierarchy> {
        match file {
            KnobFile::MemoryMin | KnobFile::MemoryHigh => self.memory.as_ref(),
            KnobFile::CpuWeight | KnobFile::CpuShares => self.cpu.as_ref(),
        }
    }

    fn open(&self, file: KnobFile, cgroup: &Path) -> Result<OwnedFd, Errno> {
        let hierarchy = self.of(file).ok_or(Errno::OPNOTSUPP)?;
        hierarchy.open(cgroup)?.ok_or(Errno::NOENT)
    }
}

/// Where it is written down what stood there before: a file of the state directory.
#[derive(Clone, Debug)]
pub struct KnobJournal {
    /// The directory.
    pub directory: Arc<Directory>,
    /// The file's name in it,
    pub name: &'static str,
    /// and that of the file that takes its place.
    pub spare: &'static str,
    /// Which boot it is.
    pub boot_id: String,
}

impl KnobJournal {
    /// Whether a former evictd has left anything.
    #[must_use]
    pub fn has_any(&self) -> bool {
        !self.read().is_empty()
    }

    fn read(&self) -> Vec<Knob> {
        let mut text = Vec::new();
        let read = self
            .directory
            .read(self.name)
            .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text));
        read.map_or_else(|_| Vec::new(), |_| parse_knobs(&text, &self.boot_id))
    }

    fn write(&self, knobs: &[Knob]) -> io::Result<()> {
        let mut text = format!("{}\n", self.boot_id).into_bytes();
        for knob in knobs {
            knob.print(&mut text);
        }
        let mut file = self.directory.write(self.spare)?;
        file.set_len(0)?;
        file.write_all(&text)?;
        self.directory.rename(self.spare, self.name)
    }
}

/// The files that are set, and by what they are put back.
#[derive(Debug)]
pub struct Knobs {
    places: KnobPlaces,
    journal: Option<KnobJournal>,
    held: Vec<Knob>,
}

impl Knobs {
    /// With what a former evictd of this boot has left set.
    #[must_use]
    pub fn open(places: KnobPlaces, journal: Option<KnobJournal>) -> Self {
        let held = journal.as_ref().map_or_else(Vec::new, KnobJournal::read);
        Self {
            places,
            journal,
            held,
        }
    }

    /// What is set now.
    #[must_use]
    pub fn held(&self) -> &[Knob] {
        &self.held
    }

    /// Lets a cgroup's memory grow no further than this; `EEXIST` where it may not anyway.
    ///
    /// # Errors
    /// As [`Knobs::set`].
    pub fn brake(&mut self, cgroup: &Path, high: u64) -> Result<(), Errno> {
        let present = self.read(KnobFile::MemoryHigh, cgroup)?;
        if present.parse::<u64>().is_ok_and(|present| present <= high) {
            return Err(Errno::EXIST);
        }
        self.set(KnobFile::MemoryHigh, cgroup, &high.to_string())
    }

    /// Whether what is set is written down, so that it does not outlast evictd.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        self.journal.is_some()
    }

    /// What stood there before it was set, where it is set.
    #[must_use]
    pub fn before(&self, file: KnobFile, cgroup: &Path) -> Option<&str> {
        let found = self.held.iter().find(|knob| is(knob, file, cgroup));
        found.map(|knob| knob.before.as_str())
    }

    /// What stands there now.
    ///
    /// # Errors
    /// The kernel's; `EOPNOTSUPP` where there is no such controller.
    pub fn read(&self, file: KnobFile, cgroup: &Path) -> Result<String, Errno> {
        read(&self.places.open(file, cgroup)?, file)
    }

    /// Sets a file. What stood there is written down first; where that fails nothing is set.
    /// What someone else has set since the last time is what stood there.
    ///
    /// # Errors
    /// The kernel's, and `EIO` where it could not be written down.
    pub fn set(&mut self, file: KnobFile, cgroup: &Path, to: &str) -> Result<(), Errno> {
        let dir = self.places.open(file, cgroup)?;
        let inode = fstat(&dir)?.st_ino;
        let present = read(&dir, file)?;
        let is_it = |knob: &Knob| is(knob, file, cgroup) && knob.inode == inode;
        let is_ours = |knob: &Knob| is_it(knob) && !knob.is_anothers(&present);
        let is_new = !self.held.iter().any(is_ours);
        if is_new {
            if self.held.len() >= MOST {
                return Err(Errno::NOSPC);
            }
            self.held.retain(|knob| !is(knob, file, cgroup));
            self.held.push(Knob {
                file,
                cgroup: cgroup.to_owned(),
                inode,
                before: present,
                set: None,
            });
            if self.write_down().is_err() {
                self.held.pop();
                return Err(Errno::IO);
            }
        }
        let written = put(&dir, file, to);
        if written.is_err() && is_new {
            self.held.retain(|knob| !is_it(knob));
            // What is written down beyond that does no harm: it stands there.
            let _ = self.write_down();
        }
        if written.is_ok()
            && let Some(knob) = self.held.iter_mut().find(|knob| is_it(knob))
        {
            knob.set = read(&dir, file).ok();
        }
        written
    }

    /// Puts back what stood there, of those that are meant; what someone else has set
    /// meanwhile stays as it is. What cannot be put back is tried again. Returns how many are
    /// evictd's no longer.
    pub fn undo_where(&mut self, mut is_meant: impl FnMut(&Knob) -> bool) -> usize {
        let places = &self.places;
        let before = self.held.len();
        self.held
            .retain(|knob| !(is_meant(knob) && put_back(places, knob)));
        let undone = before.saturating_sub(self.held.len());
        if undone > 0 {
            // Else they are put back once more, which changes nothing.
            let _ = self.write_down();
        }
        undone
    }

    /// Puts all back.
    pub fn undo_all(&mut self) -> usize {
        self.undo_where(|_| true)
    }

    fn write_down(&self) -> io::Result<()> {
        let journal = self.journal.as_ref();
        journal.map_or(Ok(()), |journal| journal.write(&self.held))
    }
}

fn is(knob: &Knob, file: KnobFile, cgroup: &Path) -> bool {
    knob.file == file && knob.cgroup == cgroup
}

fn read(dir: &OwnedFd, file: KnobFile) -> Result<String, Errno> {
    let mut text = [0; 64];
    let text = read_start(dir.as_fd(), file.name(), &mut text)?;
    value(text).ok_or(Errno::INVAL)
}

fn put(dir: &OwnedFd, file: KnobFile, to: &str) -> Result<(), Errno> {
    write_file(dir.as_fd(), file.name(), format!("{to}\n").as_bytes())
}

/// Whether it is as it was, or the cgroup is gone.
fn put_back(places: &KnobPlaces, knob: &Knob) -> bool {
    let dir = match places.open(knob.file, &knob.cgroup) {
        Ok(dir) => dir,
        // A hierarchy that is not there any more has no cgroups.
        Err(errno) => return is_gone(errno) || errno == Errno::OPNOTSUPP,
    };
    let is_same = fstat(&dir).is_ok_and(|found| found.st_ino == knob.inode);
    let is_anothers = || read(&dir, knob.file).is_ok_and(|present| knob.is_anothers(&present));
    !is_same || is_anothers() || put(&dir, knob.file, &knob.before).map_or_else(is_gone, |()| true)
}
