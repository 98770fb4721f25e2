//! The file that is kept for when the disk is full.

use core::mem::replace;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use evictd_config::Resolved;
use evictd_engine::Fields;
use evictd_engine::ports::{Collected, Relief};
use evictd_gc::reserve_fits;
use evictd_node::{Amount, ReliefStep, Unit};
use evictd_sys::{Links, open_directory};
use evictd_threshold::Threshold;
use rustix::fs::{AtFlags, FallocateFlags, FileType, Mode, OFlags, Stat};
use rustix::fs::{fallocate, fstat, fstatfs, fstatvfs, openat, statat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::is_on;
use super::kept_room::cannot_keep_room;
use crate::confined::confined;

/// Its name in the state directory.
const NAME: &str = "reserve";

/// Keeps that file.
pub(super) struct Reserve {
    /// How large it is to be; `None` where none is wanted.
    bytes: Option<u64>,
    state_dir: Option<PathBuf>,
    /// What is met where too little of a disk is left.
    thresholds: Vec<Threshold>,
    /// Why there is none, as it was last told.
    told: Mutex<Option<String>>,
}

impl Reserve {
    pub(super) fn of(settings: &Resolved) -> Self {
        let thresholds = settings.evict.thresholds.iter().filter(|threshold| {
            let signal = threshold.signal;
            signal.filesystem().is_some() && signal.unit() == Unit::Bytes
        });
        Self {
            bytes: settings.relief.reserve_bytes,
            state_dir: settings.paths.state_dir.clone(),
            thresholds: thresholds.cloned().collect(),
            told: Mutex::new(None),
        }
    }

    /// Gives its room back, where it lies on the filesystem that is short.
    pub(super) fn give(&self, relief: &Relief, dry_run: bool) -> Result<Collected, String> {
        let Some(path) = self.state_dir.as_deref().filter(|_| self.bytes.is_some()) else {
            return Ok(Collected::default());
        };
        let found = Place::open(path).and_then(|place| match place {
            Some(place) => Ok(place.find()?.map(|found| (place, found))),
            None => Ok(None),
        });
        let found = found.map_err(|errno| failed(path, errno))?;
        let Some((place, found)) = found else {
            return Ok(Collected::default());
        };
        if !found.is_ours || !is_on(relief, found.device) {
            return Ok(Collected::default());
        }
        if !dry_run {
            let removed = confined(&[place.dir.as_fd()], || place.remove())?;
            removed.map_err(|errno| failed(path, errno))?;
        }
        Ok(given(path, found.held, dry_run))
    }

    /// Takes it, where there is room and it is not there yet. Why it cannot be is said once.
    pub(super) fn take(&self, dry_run: bool) -> Result<Collected, String> {
        let taken = match (self.bytes, &self.state_dir) {
            (Some(_), None) => Err(String::from(
                "--reserve-file needs a directory to lie in: --state-dir",
            )),
            (Some(bytes), Some(path)) if dry_run => self.would_take_in(path, bytes),
            (None, _) if dry_run => return Ok(Collected::default()),
            (bytes, Some(path)) => self.take_in(path, bytes),
            (None, None) => return Ok(Collected::default()),
        };
        let news = match &taken {
            Ok(would) if dry_run => Some(would.text.clone()),
            taken => taken.as_ref().err().cloned(),
        };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let before = replace(&mut *told, news.clone());
        if news.is_some() && before == news {
            return Ok(Collected::default());
        }
        taken
    }

    /// A rehearsal: what would be taken, or why it would be refused.
    fn would_take_in(&self, path: &Path, bytes: u64) -> Result<Collected, String> {
        let at = |errno| failed(path, errno);
        let Some(place) = Place::open(path).map_err(at)? else {
            return Ok(Collected::default()); // it is made with the first state
        };
        place.refuse_what_cannot_keep(path)?;
        if let Some(found) = place.find().map_err(at)? {
            return if found.is_ours {
                Ok(Collected::default())
            } else {
                Err(not_ours(path))
            };
        }
        let (amount, fits) = (Amount::bytes(bytes), self.fits(&place, bytes).map_err(at)?);
        let path = path.display();
        let text = if fits {
            format!("would take a reserve of {amount} in {path}")
        } else {
            format!("would take no reserve of {amount} in {path}: too little room is left there")
        };
        let fields = Fields::default().with("reserveBytes", bytes);
        Ok(Collected {
            text,
            fields: fields.with("dryRun", true),
            ..Collected::default()
        })
    }

    fn take_in(&self, path: &Path, bytes: Option<u64>) -> Result<Collected, String> {
        let at = |errno| failed(path, errno);
        let Some(place) = Place::open(path).map_err(at)? else {
            return Ok(Collected::default()); // it is made with the first state
        };
        let found = place.find().map_err(at)?;
        let Some(bytes) = bytes else {
            // One of former settings takes room that nobody would give back.
            return match found.filter(|found| found.is_ours) {
                Some(found) => {
                    confined(&[place.dir.as_fd()], || place.remove())?.map_err(at)?;
                    Ok(given(path, found.held, false))
                }
                None => Ok(Collected::default()),
            };
        };
        place.refuse_what_cannot_keep(path)?;
        if let Some(found) = found {
            if !found.is_ours {
                return Err(not_ours(path));
            }
            if found.size == bytes && found.held >= bytes {
                return Ok(Collected::default());
            }
            // Of another size, or not made to its end.
            confined(&[place.dir.as_fd()], || place.remove())?.map_err(at)?;
        }
        if !self.fits(&place, bytes).map_err(at)? {
            return Ok(Collected::default());
        }
        confined(&[place.dir.as_fd()], || place.make(bytes))?.map_err(at)?;
        Ok(Collected {
            text: format!(
                "took a reserve of {} in {}",
                Amount::bytes(bytes),
                path.display()
            ),
            fields: Fields::default().with("reserveBytes", bytes),
            ..Collected::default()
        })
    }

    /// Whether there is enough above each threshold. Which filesystem a threshold is about is
    /// not asked: what is enough for all is enough for its own.
    fn fits(&self, place: &Place, bytes: u64) -> Result<bool, Errno> {
        let room = fstatvfs(&place.dir)?;
        let all = |blocks: u64| blocks.saturating_mul(room.f_frsize);
        let capacity = i64::try_from(all(room.f_blocks)).unwrap_or(i64::MAX);
        let needed = self.thresholds.iter().map(|threshold| {
            let more = threshold.min_reclaim.as_ref();
            let more = more.map_or(0, |more| more.against(capacity).value());
            threshold.level(capacity).saturating_add(more)
        });
        let needed = u64::try_from(needed.max().unwrap_or(0)).unwrap_or(0);
        Ok(reserve_fits(bytes, all(room.f_bavail), needed))
    }
}

/// The directory that it lies in.
struct Place {
    dir: OwnedFd,
}

/// What stands in its place.
struct Found {
    is_ours: bool,
    size: u64,
    /// What it really takes on the disk.
    held: u64,
    device: u64,
}

impl Found {
    /// A regular file of this user's that has no other name.
    fn of(stat: &Stat) -> Self {
        // The numbers have other widths on each processor.
        let wide = |number: i128| u64::try_from(number).unwrap_or(0);
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        Self {
            is_ours: is_file
                && stat.st_uid == geteuid().as_raw()
                && wide(stat.st_nlink.into()) == 1,
            size: wide(stat.st_size.into()),
            held: wide(stat.st_blocks.into()).saturating_mul(512),
            device: wide(stat.st_dev.into()),
        }
    }
}

impl Place {
    /// `None` where it is not there.
    fn open(path: &Path) -> Result<Option<Self>, Errno> {
        match open_directory(path, Links::OfRoot) {
            Ok(dir) => Ok(Some(Self { dir })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    fn find(&self) -> Result<Option<Found>, Errno> {
        match statat(&self.dir, NAME, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Found::of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    fn refuse_what_cannot_keep(&self, path: &Path) -> Result<(), String> {
        let kind = fstatfs(&self.dir).map_err(|errno| failed(path, errno))?;
        // Some processors count its type with a sign.
        let kind = i128::from(kind.f_type) & 0xffff_ffff;
        match cannot_keep_room(u32::try_from(kind).unwrap_or(0)) {
            Some(why) => Err(format!("--reserve-file: {}: {why}", path.display())),
            None => Ok(()),
        }
    }

    fn remove(&self) -> Result<(), Errno> {
        match unlinkat(&self.dir, NAME, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            removed => removed,
        }
    }

    /// Makes it of blocks that nobody else gets, all of them or none.
    fn make(&self, bytes: u64) -> Result<(), Errno> {
        let how =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.dir, NAME, how, Mode::RUSR | Mode::WUSR)?;
        let made = fallocate(file.as_fd(), FallocateFlags::empty(), 0, bytes);
        let made = made.and_then(|()| match Found::of(&fstat(&file)?) {
            found if found.held >= bytes => Ok(()),
            _ => Err(Errno::OPNOTSUPP),
        });
        if made.is_err() {
            self.remove()?;
        }
        made
    }
}

fn not_ours(path: &Path) -> String {
    let file = path.join(NAME);
    format!(
        "--reserve-file: {} is not evictd's: move it away",
        file.display()
    )
}

fn failed(path: &Path, errno: Errno) -> String {
    format!("--reserve-file: {}: {errno}", path.join(NAME).display())
}

fn given(path: &Path, bytes: u64, dry_run: bool) -> Collected {
    let (amount, path) = (Amount::bytes(bytes), path.display());
    Collected {
        removed: usize::from(!dry_run),
        text: if dry_run {
            format!("would give back the reserve in {path}: {amount}")
        } else {
            format!("gave back the reserve in {path}: {amount} freed")
        },
        fields: Fields::default()
            .with("dryRun", dry_run)
            .with("rung", ReliefStep::Reserve.name())
            .with("freedBytes", bytes),
    }
}
