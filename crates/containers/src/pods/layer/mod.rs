//! Where a container writes, by the mount table that no container can change: the host's.

mod overlays;

use alloc::sync::Arc;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use overlays::{Overlay, find, overlays, root_device};

pub use overlays::find_layer;

/// The overlays of the host's mount table, read once it is asked for.
///
/// A container may have a mount namespace of its own making, with any overlay as its root. So
/// nothing that it says of its mounts counts but which overlay of the host is its root.
#[derive(Debug, Default)]
pub(crate) struct HostOverlays(Option<Vec<Overlay>>);

impl HostOverlays {
    /// The directory that holds what a container has written: the upper one of the overlay
    /// that the host has mounted for it. `None` with other storage, and where the directory
    /// is not to be seen from here.
    pub(crate) fn layer(&mut self, proc: &Path, pid: u32, id: &str) -> Option<Arc<Path>> {
        let host = self.0.get_or_insert_with(|| host_overlays(proc));
        let root = || open(proc, &pid.to_string()).and_then(root_device);
        let layer = find(host, id, root)?;
        let is_dir = fs::metadata(layer).is_ok_and(|found| found.is_dir());
        is_dir.then(|| layer.into())
    }
}

/// The table of the host's first process, else our own.
fn host_overlays(proc: &Path) -> Vec<Overlay> {
    let table = open(proc, "1").or_else(|| open(proc, "self"));
    table.map(overlays).unwrap_or_default()
}

fn open(proc: &Path, process: &str) -> Option<BufReader<File>> {
    let table = File::open(proc.join(process).join("mountinfo")).ok()?;
    Some(BufReader::new(table))
}
