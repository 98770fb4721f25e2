//! A file of a cgroup that evictd has set, and what stood there before: as a line of text.

use core::ffi::CStr;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The files that evictd ever sets for a while. No other one can be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KnobFile {
    /// Memory that is not taken back, v2.
    MemoryMin,
    /// Above it what grows is slowed down and has its pages taken back, v2.
    MemoryHigh,
    /// The share of the processors, v2.
    CpuWeight,
    /// The share of the processors, v1.
    CpuShares,
}

impl KnobFile {
    const ALL: [Self; 4] = [
        Self::MemoryMin,
        Self::MemoryHigh,
        Self::CpuWeight,
        Self::CpuShares,
    ];

    /// The file's name.
    #[must_use]
    pub const fn name(self) -> &'static CStr {
        match self {
            Self::MemoryMin => c"memory.min",
            Self::MemoryHigh => c"memory.high",
            Self::CpuWeight => c"cpu.weight",
            Self::CpuShares => c"cpu.shares",
        }
    }

    fn named(name: &[u8]) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|file| file.name().to_bytes() == name)
    }
}

/// A file that evictd has set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knob {
    /// Which file.
    pub file: KnobFile,
    /// Of which cgroup: its path below the hierarchy,
    pub cgroup: PathBuf,
    /// and its inode, as another one may get its path.
    pub inode: u64,
    /// What stood there before.
    pub before: String,
    /// What the kernel made of what evictd has set: where it is another value by now, someone
    /// else has set it since. `None` where that is not known: of what a former evictd has
    /// left.
    pub set: Option<String>,
}

/// No such file holds more.
const LONGEST_VALUE: usize = 24;
/// More are not put back, nor set.
pub(super) const MOST: usize = 4096;

impl Knob {
    /// `memory.high 4711 max system.slice/batch.service`: the kernel lets no cgroup's name
    /// have a line feed.
    pub(super) fn print(&self, text: &mut Vec<u8>) {
        let head = format!("{} {} ", self.inode, self.before);
        for part in [self.file.name().to_bytes(), b" ", head.as_bytes()] {
            text.extend_from_slice(part);
        }
        text.extend_from_slice(self.cgroup.as_os_str().as_bytes());
        text.push(b'\n');
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.splitn(4, |byte| *byte == b' ');
        let mut word = || words.next();
        let file = KnobFile::named(word()?)?;
        let inode = core::str::from_utf8(word()?).ok()?.parse().ok()?;
        let before = value(word()?)?;
        let cgroup = Path::new(OsStr::from_bytes(word()?));
        let is_plain = |part| matches!(part, Component::Normal(_));
        (cgroup.components().count() > 0 && cgroup.components().all(is_plain)).then(|| Self {
            file,
            cgroup: cgroup.to_owned(),
            inode,
            before,
            set: None,
        })
    }

    /// Whether someone else has set it since, if this stands there now.
    pub(super) fn is_anothers(&self, present: &str) -> bool {
        self.set.as_deref().is_some_and(|set| set != present)
    }
}

/// A number or a word, as such files hold it.
pub(super) fn value(text: &[u8]) -> Option<String> {
    let text = text.trim_ascii();
    let is_one =
        (1..=LONGEST_VALUE).contains(&text.len()) && text.iter().all(u8::is_ascii_alphanumeric);
    is_one.then(|| String::from_utf8_lossy(text).into_owned())
}

/// All that the text of a boot holds; what makes no sense is passed over, and all of another
/// boot, whose cgroups are gone.
#[must_use]
pub fn parse_knobs(text: &[u8], boot_id: &str) -> Vec<Knob> {
    let mut lines = text.split(|byte| *byte == b'\n');
    if boot_id.is_empty() || lines.next() != Some(boot_id.as_bytes()) {
        return Vec::new();
    }
    lines.filter_map(Knob::parse).take(MOST).collect()
}
