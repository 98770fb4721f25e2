//! Old files of directories that the operator named.

use core::ops::ControlFlow;
use core::time::Duration;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use evictd_cgroup::{NamedDir, NamedFile, NamedWalk};
use evictd_config::ReliefDir;
use evictd_engine::ports::{Collected, Relief};
use evictd_gc::{OldFile, OldFiles, OldFilesPlan, OldFilesRun};
use evictd_node::Mono;
use evictd_stats::{PROC, now, wall_nanos};

use super::is_on;
use super::old_files_told::{Deleted, Told, shown};
use crate::confined::confined;

/// How much of a directory is looked at.
const MOST_ENTRIES: u64 = 1_000_000;

/// How long all directories together may take: a pod's life hangs on the answer. What is not
/// reached by then is, the next time.
const AT_MOST: Duration = Duration::from_secs(10);

/// Deletes old files of named directories.
pub(super) struct Directories(Vec<ReliefDir>);

impl Directories {
    pub(super) fn of(settings: &evictd_config::Relief) -> Self {
        Self(settings.directories.clone())
    }

    /// The directories in the order in which they were named, each until nothing is missing.
    pub(super) fn relieve(&self, relief: &Relief, dry_run: bool) -> Result<Collected, String> {
        let mut told = Told::new(dry_run);
        let until = now() + AT_MOST;
        let mut missing = relief.missing.unwrap_or(u64::MAX);
        for named in &self.0 {
            if missing == 0 {
                break;
            }
            if now() >= until {
                told.leave_out(&named.path, &took_too_long());
                continue;
            }
            match open(&named.path, relief) {
                Ok(Some(dir)) => {
                    let run = OldFilesRun {
                        keep_bytes: named.keep_bytes,
                        older_than: named.older_than,
                        now_nanos: wall_nanos(),
                        missing,
                        unit: relief.unit,
                    };
                    let mut search = Search::new(&dir, run, until);
                    let (all, free) = (&mut search, dir.free());
                    let done = confined(&[dir.as_fd()], || all.delete(dry_run));
                    missing = search.run.missing;
                    if missing == 0 {
                        search.deleted.left_out = None; // nobody needs it
                    }
                    told.add(&named.path, search.deleted, free, dir.free());
                    done?;
                }
                Ok(None) => {}
                Err(problem) => told.fail(problem),
            }
        }
        told.collected()
    }
}

/// A directory that is there, and lies on the filesystem that is short.
fn open(path: &Path, relief: &Relief) -> Result<Option<NamedDir>, String> {
    let opened = NamedDir::open(Path::new(PROC), path).map_err(|error| {
        format!("--relief-dir: {error}; name a directory itself, no link is followed")
    })?;
    Ok(opened.filter(|dir| is_on(relief, dir.device())))
}

/// Looks for the oldest files of a directory, and deletes them.
struct Search<'a> {
    dir: &'a NamedDir,
    run: OldFilesRun,
    until: Mono,
    deleted: Deleted,
    /// What those would give that could not be deleted the last time: others go in their place.
    stuck: u64,
}

impl<'a> Search<'a> {
    fn new(dir: &'a NamedDir, run: OldFilesRun, until: Mono) -> Self {
        Self {
            dir,
            run,
            until,
            deleted: Deleted::default(),
            stuck: 0,
        }
    }

    /// As often as it takes: a plan holds a part of the files where there are many.
    fn delete(&mut self, dry_run: bool) {
        loop {
            let plan = self.plan();
            let oldest = plan.oldest_nanos.unwrap_or(self.run.now_nanos);
            let age = self.run.now_nanos.saturating_sub(oldest);
            let age = Duration::from_nanos(age.unsigned_abs());
            self.deleted.oldest = self.deleted.oldest.or(plan.oldest_nanos.map(|_| age));
            if dry_run {
                let deleted = &mut self.deleted;
                (deleted.files, deleted.bytes) = (plan.files, plan.bytes);
                deleted.has_more |= plan.has_more;
                return;
            }
            let (before, has_more) = (self.deleted.files, plan.has_more);
            let stuck = core::mem::take(&mut self.stuck);
            if plan.files > 0 {
                self.carry_out(plan);
            }
            let goes_on = has_more && self.deleted.files > before;
            let is_stuck = self.run.missing > 0 && self.stuck > stuck;
            if !(goes_on || is_stuck) || self.is_late() {
                return;
            }
        }
    }

    fn plan(&mut self) -> OldFilesPlan {
        let missing = self.run.missing.saturating_add(self.stuck);
        let run = OldFilesRun {
            missing,
            ..self.run
        };
        let (mut files, until) = (OldFiles::new(run), self.until);
        self.deleted.failed = 0; // they are met again
        let walk = self.dir.each_file(MOST_ENTRIES, &mut |file| {
            files.see(&facts(file));
            go_on(now() < until)
        });
        self.deleted.has_more |= walk.has_left_out || self.is_late();
        self.deleted.left_out = self.left_out(&walk);
        if let Some(error) = walk.unread {
            self.fail(error.path, error.errno.to_string());
        }
        files.plan()
    }

    /// What was not looked at, as it stands after the last walk.
    fn left_out(&self, walk: &NamedWalk) -> Option<String> {
        if walk.has_left_out && walk.entries >= MOST_ENTRIES {
            let at = walk.left_out.as_deref().map(shown).unwrap_or_default();
            return Some(format!(
                "it has more than {MOST_ENTRIES} names, most of them in {at}"
            ));
        }
        if self.is_late() {
            return Some(took_too_long());
        }
        let at = walk.left_out.as_deref().map(shown);
        at.map(|at| format!("{at} lies too deep"))
    }

    fn carry_out(&mut self, mut plan: OldFilesPlan) {
        let (dir, until, mut left) = (self.dir, self.until, plan.files);
        let _ = dir.each_file(MOST_ENTRIES, &mut |file| {
            let facts = facts(file);
            if plan.takes(&facts) {
                left = left.saturating_sub(1);
                match file.delete() {
                    Ok(()) => self.count(&facts),
                    Err(error) => {
                        self.stuck = self.stuck.saturating_add(self.run.gives(&facts));
                        self.fail(error.path, error.errno.to_string());
                    }
                }
            }
            go_on(left > 0 && now() < until)
        });
    }

    fn count(&mut self, file: &OldFile) {
        let gives = self.run.gives(file);
        self.run.missing = self.run.missing.saturating_sub(gives);
        self.deleted.files = self.deleted.files.saturating_add(1);
        self.deleted.bytes = self.deleted.bytes.saturating_add(file.bytes);
    }

    fn fail(&mut self, path: PathBuf, why: String) {
        self.deleted.failed = self.deleted.failed.saturating_add(1);
        self.deleted.problem.get_or_insert((path, why));
    }

    fn is_late(&self) -> bool {
        now() >= self.until
    }
}

fn took_too_long() -> String {
    let seconds = AT_MOST.as_secs();
    format!("it took longer than {seconds} s")
}

fn facts(file: &NamedFile<'_>) -> OldFile {
    OldFile {
        modified_nanos: file.modified_nanos(),
        changed_nanos: file.changed_nanos(),
        bytes: file.bytes(),
        links: file.links(),
    }
}

const fn go_on(goes_on: bool) -> ControlFlow<()> {
    if goes_on {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}
