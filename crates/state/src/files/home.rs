//! The directory: what is read and written there, and in which order.

use alloc::sync::Arc;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use evictd_sys::{Directory, reserve};

use crate::damaged::MOST_READ;
use crate::error::Error;
use crate::files::begun;
use crate::json::{MAX_BYTES, parse_damaged};
use crate::saved::State;

/// Tries to lock a file (`flock` with `LOCK_NB`), for itself alone or together
/// with others, and returns whether it could. The lock ends with the file.
///
/// It is handed in because this crate knows no syscalls.
pub type TryLock = fn(&File, exclusive: bool) -> io::Result<bool>;

const STATE: &str = "state.json";
const SPARE: &str = "state.spare";

/// The last state that could not be read, or not all of it.
const UNREAD: &str = "state.unread";

const LOCK: &str = "lock";

/// Files are padded to a multiple of this: room for what comes, on a full disk
/// too. A history of [`HISTORY`](crate::HISTORY) usual records fits.
const STEP: usize = 32 << 10;

/// The directory, and the name that its operator gave it.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub(crate) path: PathBuf,
    pub(crate) directory: Arc<Directory>,
}

/// Makes the directory if it is not there and takes its lock. The file keeps it.
pub(crate) fn occupy(path: &Path, try_lock: TryLock) -> Result<(Home, File), Error> {
    let fail = |error: io::Error| {
        if error.kind() == ErrorKind::NotADirectory {
            Error::at(path)(
                "not a directory; a link that others than root may have made is refused",
            )
        } else {
            Error::at(path)(error)
        }
    };
    let home = Home {
        path: path.to_owned(),
        directory: Arc::new(Directory::open_or_make(path).map_err(fail)?),
    };
    if !home.directory.is_ours_alone().map_err(fail)? {
        let why =
            "others may write in it; it must belong to evictd's user and have mode 0755 or less";
        return Err(Error::at(path)(why));
    }
    let lock = home.directory.write(LOCK).map_err(home.at(LOCK))?;
    if !take(&lock, try_lock).map_err(home.at(LOCK))? {
        return Err(Error::in_use(path));
    }
    home.reserve(STEP);
    Ok((home, lock))
}

/// A process that a daemon has just forked holds its lock until it runs its program;
/// another daemon holds it on.
fn take(lock: &File, try_lock: TryLock) -> io::Result<bool> {
    const ATTEMPTS: u32 = 5;
    for _ in 0..ATTEMPTS {
        if try_lock(lock, true)? {
            return Ok(true);
        }
        std::thread::sleep(core::time::Duration::from_millis(10));
    }
    Ok(false)
}

/// The state in the directory; `None` where there is none yet.
///
/// # Errors
/// When it cannot be read, or [`parse`](crate::parse) refuses it.
pub fn read_state(directory: &Path) -> Result<Option<State>, Error> {
    match Home::open(directory) {
        Ok(home) => home.read_state(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::at(directory)(error)),
    }
}

impl Home {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            directory: Arc::new(Directory::open(path)?),
        })
    }

    /// What happened to a file in it.
    fn at(&self, name: &str) -> impl Fn(io::Error) -> Error {
        Error::at(&self.path.join(name))
    }

    /// The state, with the evictions that were decided after it was written.
    pub(crate) fn read_state(&self) -> Result<Option<State>, Error> {
        let state = self.read_written()?.map(|(state, _)| state);
        Ok(self.with_begun(state))
    }

    /// The state for a daemon, which writes another in its place: a file that cannot be read,
    /// or not all of it, gets a name of its own first. A newer evictd may have written it.
    pub(crate) fn take_over(&self, problems: &mut Vec<Error>) -> Option<State> {
        let (state, problem) = match self.read_written() {
            Ok(None) => (None, None),
            Ok(Some((state, damage))) => (Some(state), damage),
            Err(error) => (None, Some(error)),
        };
        if let Some(problem) = problem {
            let kept = self.directory.rename(STATE, UNREAD);
            let kept = kept.map_or_else(
                |error| format!("{problem}; cannot be kept: {error}"),
                |()| format!("{problem}; kept as {UNREAD}"),
            );
            problems.push(Error::new(kept));
        }
        self.with_begun(state)
    }

    fn with_begun(&self, state: Option<State>) -> Option<State> {
        let begun = begun::read(&self.directory);
        if state.is_none() && begun.is_empty() {
            return None;
        }
        let mut state = state.unwrap_or_default();
        state.add_missing(begun);
        Some(state)
    }

    fn read_written(&self) -> Result<Option<(State, Option<Error>)>, Error> {
        let file = match self.directory.read(STATE) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(self.at(STATE))?,
        };
        let most = u64::try_from(MOST_READ).unwrap_or(u64::MAX);
        let mut bytes = Vec::new();
        file.take(most)
            .read_to_end(&mut bytes)
            .map_err(self.at(STATE))?;
        let at = Error::at(&self.path.join(STATE));
        let (state, fault) = parse_damaged(&bytes).map_err(|error| at(error.to_string()))?;
        Ok(Some((state, fault.map(at))))
    }

    /// Replaces the state: whoever reads sees the former text or this one, whole, and so
    /// does a boot after a power failure.
    ///
    /// The text goes into the spare file, whose blocks are there already; then that gets
    /// the state's name. So a full disk stops it only when the text outgrows all texts
    /// before. The former file is never written to: somebody may be reading it. Its blocks
    /// are given back, and the next spare file takes as many.
    pub(crate) fn replace(&self, text: &str) -> Result<(), Error> {
        let held = self.write_spare(text).map_err(self.at(SPARE))?;
        self.directory
            .rename(SPARE, STATE)
            .map_err(self.at(STATE))?;
        let synced = self.directory.sync();
        synced.map_err(Error::at(&self.path))?;
        self.reserve(held);
        Ok(())
    }

    /// Makes the spare file, where there is none yet, so that its blocks are there when
    /// the disk is full. On a disk that is full already it does without.
    fn reserve(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        if let Ok(file) = self.directory.write(SPARE)
            && file.metadata().is_ok_and(|found| found.len() < bytes)
        {
            let _ = reserve(&file, bytes);
        }
    }

    /// Writes over the spare file from its beginning, up to a multiple of [`STEP`] and no
    /// less than it held, so that none of its blocks are given back. Returns how much that
    /// is.
    fn write_spare(&self, text: &str) -> io::Result<usize> {
        let mut file = self.directory.write(SPARE)?;
        let held = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let padded = text.len().saturating_add(1).next_multiple_of(STEP);
        let length = if held <= MAX_BYTES {
            padded.max(held)
        } else {
            padded
        };
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(length.saturating_sub(1), b' ');
        bytes.push(b'\n');
        file.write_all(&bytes)?;
        if held > length {
            file.set_len(u64::try_from(length).unwrap_or(u64::MAX))?;
        }
        file.sync_data()?;
        Ok(length)
    }
}
