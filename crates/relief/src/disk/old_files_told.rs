//! What is told of old files that were deleted.

use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_engine::Fields;
use evictd_engine::ports::Collected;
use evictd_node::{Amount, ReliefStep};

/// How much of a path is shown.
const MOST_TEXT: usize = 200;

/// What was deleted of a directory, or would be.
#[derive(Debug, Default)]
pub(super) struct Deleted {
    pub(super) files: usize,
    pub(super) bytes: u64,
    /// How long the oldest of them was left alone.
    pub(super) oldest: Option<Duration>,
    /// Whether there may be more than that.
    pub(super) has_more: bool,
    /// Why not all of it was looked at.
    pub(super) left_out: Option<String>,
    /// How many could not be deleted, and why the first could not.
    pub(super) failed: usize,
    pub(super) problem: Option<(PathBuf, String)>,
}

/// What is told, directory by directory.
pub(super) struct Told {
    dry_run: bool,
    texts: Vec<String>,
    problems: Vec<String>,
    names: Vec<String>,
    files: usize,
    bytes: u64,
    inodes: u64,
}

impl Told {
    pub(super) const fn new(dry_run: bool) -> Self {
        Self {
            dry_run,
            texts: Vec::new(),
            problems: Vec::new(),
            names: Vec::new(),
            files: 0,
            bytes: 0,
            inodes: 0,
        }
    }

    pub(super) fn fail(&mut self, problem: String) {
        self.problems.push(problem);
    }

    /// A part of a directory was not looked at.
    pub(super) fn leave_out(&mut self, path: &Path, why: &str) {
        let name = shown(path);
        self.fail(format!("not all of {name} was looked at: {why}"));
    }

    /// Adds what was deleted of a directory; `before` and `after` it so much was free there,
    /// in bytes and inodes.
    pub(super) fn add(
        &mut self,
        path: &Path,
        deleted: Deleted,
        before: (u64, u64),
        after: (u64, u64),
    ) {
        let Deleted { files, bytes, .. } = deleted;
        if let Some(why) = deleted.left_out {
            self.leave_out(path, &why);
        }
        if let Some((path, why)) = deleted.problem {
            let more = match deleted.failed {
                0 | 1 => String::new(),
                failed => format!(" (and {} more)", failed.saturating_sub(1)),
            };
            self.fail(format!("{}{more}: {why}", shown(&path)));
        }
        if files == 0 {
            return;
        }
        let name = shown(path);
        let plural = if files == 1 { "" } else { "s" };
        let oldest = deleted.oldest.map(age).unwrap_or_default();
        let freed = if self.dry_run {
            bytes
        } else {
            after.0.saturating_sub(before.0)
        };
        let inodes = if self.dry_run {
            u64::try_from(files).unwrap_or(u64::MAX)
        } else {
            after.1.saturating_sub(before.1)
        };
        let amount = Amount::bytes(freed);
        let mut text = if self.dry_run {
            let least = if deleted.has_more { "at least " } else { "" };
            format!(
                "would delete {least}{files} file{plural} of {name} (the oldest {oldest}): {amount}"
            )
        } else {
            format!("deleted {files} file{plural} of {name} (the oldest {oldest}): {amount} freed")
        };
        if freed < bytes / 2 {
            let bytes = Amount::bytes(bytes);
            text += &format!(" of {bytes}: processes may have some of them open");
        }
        self.texts.push(text);
        self.names.push(name);
        self.files = self.files.saturating_add(files);
        self.bytes = self.bytes.saturating_add(freed);
        self.inodes = self.inodes.saturating_add(inodes);
    }

    /// # Errors
    /// Where nothing was deleted and something went wrong.
    pub(super) fn collected(mut self) -> Result<Collected, String> {
        let problems = self.problems.join("; ");
        if self.files == 0 && !problems.is_empty() {
            return Err(problems);
        }
        if self.files == 0 {
            return Ok(Collected::default());
        }
        let count = self.problems.len();
        self.texts.append(&mut self.problems);
        Ok(Collected {
            removed: if self.dry_run { 0 } else { self.files },
            text: self.texts.join("; "),
            fields: Fields::default()
                .with("dryRun", self.dry_run)
                .with("rung", ReliefStep::Directories.name())
                .with("directories", self.names.join(","))
                .with("files", self.files)
                .with("freedBytes", self.bytes)
                .with("freedInodes", self.inodes)
                .with("errors", count),
        })
    }
}

/// A path of others, fit for one line.
pub(super) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let escaped: String = text.escape_debug().take(MOST_TEXT).collect();
    let cut = if escaped.len() < text.len() {
        "…"
    } else {
        ""
    };
    escaped + cut
}

fn age(age: Duration) -> String {
    const DAY: u64 = 86_400;
    let seconds = age.as_secs();
    let (count, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7200 => (seconds / 60, "minute"),
        7200..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / DAY, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("left alone for {count} {unit}{plural}")
}
