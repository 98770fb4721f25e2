use std::os::fd::AsFd;
use std::path::Path;

use evictd_kerntext::{Limit, flat_keyed, parse_memory_stat};

use crate::error::{Cause, Failed};
use crate::file::{Buffer, KeptFile, parse_at};
use crate::memory::MemoryUsage;
use crate::{Hierarchy, Version};

/// The files of a cgroup's memory usage and of its limit.
const fn names(version: Version) -> (&'static str, &'static str) {
    match version {
        Version::V1 => ("memory.usage_in_bytes", "memory.limit_in_bytes"),
        Version::V2 => ("memory.current", "memory.max"),
    }
}

const STAT: &str = "memory.stat";

/// The memory files of one cgroup, kept open.
#[derive(Debug)]
pub(crate) struct MemoryFiles {
    version: Version,
    /// `None` for the v2 root, which has no such file.
    usage: Option<KeptFile>,
    stat: KeptFile,
    limit: KeptFile,
}

impl MemoryFiles {
    /// Those of the hierarchy's root: the node's. `None` where the root has none.
    pub(crate) fn of_root(hierarchy: &Hierarchy) -> Option<Self> {
        let mut files = Self::of(hierarchy, Path::new(""));
        if hierarchy.version == Version::V2 {
            files.usage = None;
        }
        hierarchy.counts_root().then_some(files)
    }

    /// Those of a cgroup by its path from the root, with or without a slash at
    /// the front.
    pub(crate) fn of(hierarchy: &Hierarchy, cgroup: &Path) -> Self {
        let dir = hierarchy.below(cgroup);
        let (usage, limit) = names(hierarchy.version);
        Self {
            version: hierarchy.version,
            usage: Some(KeptFile::new(dir.join(usage))),
            stat: KeptFile::new(dir.join(STAT)),
            limit: KeptFile::new(dir.join(limit)),
        }
    }

    pub(crate) fn read_usage(&mut self, buffer: &mut Buffer) -> Result<MemoryUsage, Failed<'_>> {
        let own = match &mut self.usage {
            Some(file) => Some(file.parse(buffer, Buffer::value)?),
            None => None,
        };
        let version = self.version;
        self.stat.parse(buffer, |text| usage(version, own, text))
    }

    /// The plain counter as the usage, of which nothing is inactive page cache: the working
    /// set is no more, and costs several times as much to read. The whole where there is
    /// no counter.
    pub(crate) fn read_usage_at_most(
        &mut self,
        buffer: &mut Buffer,
    ) -> Result<MemoryUsage, Failed<'_>> {
        let Some(file) = &mut self.usage else {
            let version = self.version;
            return self.stat.parse(buffer, |text| usage(version, None, text));
        };
        Ok(MemoryUsage {
            usage_bytes: file.parse(buffer, Buffer::value)?,
            ..MemoryUsage::default()
        })
    }

    pub(crate) fn read_limit(&mut self, buffer: &mut Buffer) -> Result<Limit, Failed<'_>> {
        self.limit.parse(buffer, Buffer::limit)
    }
}

/// The plain counter alone, by a cgroup's directory.
pub(crate) fn read_counter_at(
    dir: impl AsFd,
    version: Version,
    buffer: &mut Buffer,
) -> Result<u64, Failed<'static>> {
    parse_at(dir, names(version).0, buffer, Buffer::value)
}

/// A cgroup's usage by its directory.
pub(crate) fn read_usage_at(
    dir: impl AsFd,
    version: Version,
    buffer: &mut Buffer,
) -> Result<MemoryUsage, Failed<'static>> {
    let own = read_counter_at(&dir, version, buffer)?;
    parse_at(dir, STAT, buffer, |text| usage(version, Some(own), text))
}

/// File pages that a cgroup and all below it hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilePages {
    /// In use lately: the kubelet counts them as used, though the kernel gives them back.
    pub active_bytes: u64,
    /// Not in use: they count as available.
    pub inactive_bytes: u64,
}

/// What of a cgroup's memory is file pages, by its directory.
pub(crate) fn read_file_pages_at(
    dir: impl AsFd,
    version: Version,
    buffer: &mut Buffer,
) -> Result<FilePages, Failed<'static>> {
    let (active, inactive) = match version {
        Version::V1 => ("total_active_file", "total_inactive_file"),
        Version::V2 => ("active_file", "inactive_file"),
    };
    parse_at(dir, STAT, buffer, |text| {
        let number = |key: &'static str| {
            let entry = flat_keyed(text.text()).find(|entry| entry.key() == key.as_bytes());
            Ok::<_, Cause>(entry.ok_or(Cause::Key(key))?.number()?)
        };
        Ok(FilePages {
            active_bytes: number(active)?,
            inactive_bytes: number(inactive)?,
        })
    })
}

/// The numbers that the kubelet (by way of runc and cAdvisor) takes on each
/// version. `own` is `None` for the v2 root, whose usage is made up of its
/// `memory.stat`, which `text` is.
///
/// Page cache of which it is not known how much is inactive makes no working set.
fn usage(version: Version, own: Option<u64>, text: &Buffer) -> Result<MemoryUsage, Cause> {
    let stat = parse_memory_stat(text.text());
    let is_needed = |key: &&str| match (version, own) {
        (Version::V1, _) => *key == "total_inactive_file",
        (Version::V2, Some(_)) => *key == "inactive_file",
        (Version::V2, None) => matches!(*key, "inactive_file" | "anon" | "file"),
    };
    if let Some(key) = stat.bad_fields().find(is_needed) {
        return Err(Cause::Field(key));
    }
    let (inactive_file, anon, file, refaulted) = match version {
        Version::V1 => (
            stat.total_inactive_file_bytes,
            stat.total_rss_bytes,
            stat.total_cache_bytes,
            stat.total_refaulted_pages,
        ),
        Version::V2 => (
            stat.inactive_file_bytes,
            stat.anon_bytes,
            stat.file_bytes,
            stat.refaulted_pages,
        ),
    };
    if inactive_file.is_some_and(|bytes| bytes >= Limit::UNLIMITED_FROM) {
        return Err(Cause::Impossible("inactive_file"));
    }
    let usage_bytes = match own {
        Some(own) => own,
        None => anon
            .ok_or(Cause::Key("anon"))?
            .saturating_add(file.ok_or(Cause::Key("file"))?),
    };
    Ok(MemoryUsage {
        usage_bytes,
        inactive_file_bytes: inactive_file.unwrap_or(0),
        anon_bytes: anon,
        file_bytes: file,
        refaulted_pages: refaulted,
    })
}
