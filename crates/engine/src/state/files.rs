//! The directory: what is read and written there, and in which order.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use evictd_node::Mono;

use crate::state::error::Error;
use crate::state::json::{MAX_BYTES, parse};
use crate::state::saved::State;

/// Tries to lock a file (`flock` with `LOCK_NB`), for itself alone or together
/// with others, and returns whether it could. The lock ends with the file.
///
/// It is handed in because this crate knows no syscalls.
pub type TryLock = fn(&File, exclusive: bool) -> io::Result<bool>;

const STATE: &str = "state.json";
const SPARE: &str = "state.spare";
const FORMER: &str = "state.former";
pub(crate) const LOCK: &str = "lock";

/// Files are padded to a multiple of this: room for what comes, on a full disk
/// too. A history of [`HISTORY`](crate::state::HISTORY) usual records fits.
const STEP: usize = 32 << 10;

/// Makes the directory if it is not there and takes its lock. The file keeps it.
pub(crate) fn occupy(directory: &Path, try_lock: TryLock) -> Result<File, Error> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(directory)
        .map_err(Error::at(directory))?;
    if !is_ours_alone(directory).map_err(Error::at(directory))? {
        let why =
            "others may write in it; it must belong to evictd's user and have mode 0755 or less";
        return Err(Error::at(directory)(why));
    }
    let path = directory.join(LOCK);
    let lock = open(&path).map_err(Error::at(&path))?;
    if !take(&lock, try_lock).map_err(Error::at(&path))? {
        return Err(Error::at(directory)("another evictd uses it"));
    }
    tidy(directory);
    Ok(lock)
}

/// Whether nobody but the user that this process runs as can change what is in
/// the directory, and so lead it to write elsewhere.
fn is_ours_alone(directory: &Path) -> io::Result<bool> {
    let found = fs::metadata(directory)?;
    let own = fs::metadata("/proc/self").map_or(found.uid(), |process| process.uid());
    Ok(found.mode() & 0o022 == 0 && found.uid() == own)
}

/// A command that looks whether a daemon runs holds the lock for microseconds;
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

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

/// Undoes a replacement that was broken off, and makes the room for the next.
fn tidy(directory: &Path) {
    let (former, spare) = (directory.join(FORMER), directory.join(SPARE));
    if spare.exists() {
        drop(fs::remove_file(former));
    } else {
        drop(fs::rename(former, spare));
    }
    reserve(directory);
}

/// Fills the spare file, where there is none yet, so that its blocks are there
/// when the disk is full. On a disk that is full already it does without.
fn reserve(directory: &Path) {
    let path = directory.join(SPARE);
    if !path.exists() {
        drop(write_padded(&path, ""));
    }
}

/// The state in the directory; `None` where there is none yet.
///
/// # Errors
/// When it cannot be read, or [`parse`] refuses it.
pub fn read_state(directory: &Path) -> Result<Option<State>, Error> {
    let path = directory.join(STATE);
    let file = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(Error::at(&path))?,
    };
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(Error::at(&path))?;
    parse(&bytes).map(Some).map_err(Error::at(&path))
}

/// Replaces the state: a reader sees the former text or this one, and so does a
/// boot after a power failure.
///
/// The text goes into the spare file, whose blocks are there already; then the
/// two files change their names. So a full disk stops it only when the text
/// outgrows all texts before. Where the filesystem knows no hard links, the
/// spare file is made anew each time.
pub(crate) fn replace(directory: &Path, text: &str) -> Result<(), Error> {
    let path = |name: &str| directory.join(name);
    let (state, spare, former) = (path(STATE), path(SPARE), path(FORMER));
    write_padded(&spare, text).map_err(Error::at(&spare))?;
    drop(fs::remove_file(&former));
    let linked = fs::hard_link(&state, &former).is_ok();
    fs::rename(&spare, &state).map_err(Error::at(&state))?;
    if linked {
        drop(fs::rename(&former, &spare));
    }
    // Before the former text's blocks are written over, no boot may find them
    // under the state's name.
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    synced.map_err(Error::at(directory))?;
    reserve(directory);
    Ok(())
}

/// Writes over the file from its beginning, up to a multiple of [`STEP`] and no
/// less than it held, so that none of its blocks are given back.
fn write_padded(path: &Path, text: &str) -> io::Result<()> {
    let mut file = open(path)?;
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
    file.sync_data()
}

/// Tells readers that the state in the file is the latest as of `at`; `None`
/// that it is not.
pub(crate) fn write_pulse(lock: &File, at: Option<Mono>) -> io::Result<()> {
    let nanos = at.map_or(0, Mono::as_nanos);
    // Every round, so without an allocation.
    let mut text = [0_u8; 21];
    writeln!(text.as_mut_slice(), "{nanos:020}")?;
    lock.write_all_at(&text, 0)
}

/// When the daemon last said so.
pub(crate) fn read_pulse(lock: &File) -> Option<Mono> {
    let mut text = [0; 20];
    lock.read_exact_at(&mut text, 0).ok()?;
    let nanos = core::str::from_utf8(&text).ok()?.parse().ok()?;
    Some(Mono::from_nanos(nanos))
}

/// Where the lock is.
pub(crate) fn lock_path(directory: &Path) -> PathBuf {
    directory.join(LOCK)
}
