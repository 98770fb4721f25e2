use std::fs::read_link;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, Stat, stat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

/// More links in one path are a circle; as the kernel counts.
const MOST_LINKS: usize = 40;

/// The first part of a program's path, links followed, that every user can change, or that
/// belongs to another user than root, this process' own, and the program's: who can may have
/// anything run in the program's place. `None` where there is none.
///
/// What lies in a directory with the sticky bit is its owner's alone; who is in the group of a
/// directory is for its owner to say.
///
/// # Errors
/// The kernel's.
pub fn changeable_by_others(program: &Path) -> Result<Option<PathBuf>, Errno> {
    let owner = stat(program)?.st_uid;
    let mut path = program.to_path_buf();
    for _ in 0..MOST_LINKS {
        match look_along(&path, owner)? {
            Found::Link(target) => path = target,
            Found::Changeable(part) => return Ok(Some(part)),
            Found::Nothing => return Ok(None),
        }
    }
    Err(Errno::LOOP)
}

enum Found {
    /// A link, and the path that it makes of the whole.
    Link(PathBuf),
    Changeable(PathBuf),
    Nothing,
}

/// From the root on, so that whatever a name is looked up in was looked at before.
fn look_along(path: &Path, owner: u32) -> Result<Found, Errno> {
    let (mut at, mut rest) = (PathBuf::new(), path.components());
    while let Some(part) = rest.next() {
        at.push(part);
        let found = statat(CWD, &at, AtFlags::SYMLINK_NOFOLLOW)?;
        if is_anothers(&found, owner) {
            return Ok(Found::Changeable(at));
        }
        if FileType::from_raw_mode(found.st_mode) == FileType::Symlink {
            let target = read_link(&at);
            let target =
                target.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
            let above = at.parent().unwrap_or(Path::new("/"));
            return Ok(Found::Link(above.join(target).join(rest.as_path())));
        }
    }
    Ok(Found::Nothing)
}

fn is_anothers(found: &Stat, owner: u32) -> bool {
    let kind = FileType::from_raw_mode(found.st_mode);
    let mode = Mode::from_raw_mode(found.st_mode);
    let is_shared = kind == FileType::Directory && mode.contains(Mode::SVTX);
    let all_may = kind != FileType::Symlink && mode.contains(Mode::WOTH) && !is_shared;
    all_may || ![0, geteuid().as_raw(), owner].contains(&found.st_uid)
}
