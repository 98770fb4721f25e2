//! Where a container writes, as its processes see it.

use alloc::sync::Arc;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_kerntext::mounts;

/// The directory that holds what a container has written: the upper one of the
/// overlay that is the root of its first process. `None` with other storage, and
/// where the directory is not to be seen from here.
pub(crate) fn read_layer(proc: &Path, pid: u32) -> Option<Arc<Path>> {
    let text = std::fs::read(proc.join(format!("{pid}/mountinfo"))).ok()?;
    let layer = find_layer(&text)?;
    let is_dir = fs::metadata(&layer).is_ok_and(|found| found.is_dir());
    is_dir.then(|| layer.into())
}

/// Finds it in the text of `/proc/PID/mountinfo`. The last mount on `/` is the one
/// that shows.
pub fn find_layer(text: &[u8]) -> Option<PathBuf> {
    let roots = mounts(text)
        .flatten()
        .filter(|mount| mount.mount_point.is(b"/"));
    let root = roots.last().filter(|mount| mount.fs_type == b"overlay")?;
    let mut options = root.super_options.split(|byte| *byte == b',');
    let upper = options.find_map(|option| option.strip_prefix(b"upperdir="))?;
    // A path with an escape would have to be undone in more than one way.
    let is_plain = upper.starts_with(b"/") && !upper.contains(&b'\\');
    is_plain.then(|| PathBuf::from(OsStr::from_bytes(upper)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers() {
        let overlay = "22 1 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/s/12/fs,workdir=/s/12/work\n";
        let ext4 = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
        let proc = "23 22 0:51 / /proc rw - proc proc rw\n";
        for (name, text, found) in [
            ("containerd", [overlay, proc].concat(), Some("/s/12/fs")),
            ("covered", [ext4, overlay].concat(), Some("/s/12/fs")),
            ("covers", [overlay, ext4].concat(), None),
            ("another's", overlay.replace(" / / ", " / /x "), None),
            ("read-only", overlay.replace("upperdir=/s/12/fs,", ""), None),
            ("relative", overlay.replace("=/s/12/fs", "=l/FS"), None),
            ("escaped", overlay.replace("=/s/12/fs", "=/s\\040/fs"), None),
            ("odd", "22 1 odd\n".to_owned(), None),
            ("nothing", String::new(), None),
        ] {
            assert_eq!(
                find_layer(text.as_bytes()).as_deref(),
                found.map(Path::new),
                "{name}"
            );
        }
    }
}
