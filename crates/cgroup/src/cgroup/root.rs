use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::RootError;

/// A `--pod-cgroup-root`: a path from the hierarchies' root, with or without `/`
/// in front and behind.
///
/// # Errors
///
/// When it is the root itself, or holds `.`, `..` or NUL.
pub fn parse_pod_cgroup_root(text: &[u8]) -> Result<PathBuf, RootError> {
    let mut path = PathBuf::new();
    let mut at: usize = 0;
    for part in text.split(|byte| *byte == b'/') {
        if part == b"." || part == b".." {
            return Err(RootError::Dots(at));
        }
        if let Some(nul) = part.iter().position(|byte| *byte == 0) {
            return Err(RootError::Nul(at.saturating_add(nul)));
        }
        if !part.is_empty() {
            path.push(OsStr::from_bytes(part));
        }
        at = at.saturating_add(part.len()).saturating_add(1);
    }
    if path.as_os_str().is_empty() {
        return Err(RootError::Whole);
    }
    Ok(path)
}
