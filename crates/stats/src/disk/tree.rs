use alloc::sync::Arc;
use std::path::Path;

/// A directory tree to be measured, or some of what lies in a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiskTree {
    /// Where it lies.
    pub path: Arc<Path>,
    /// Of what lies there, only what has one of these keys, which are sorted
    /// ([`volume_key`](evictd_node::pod::volume_key)); the rest and the directory itself belong
    /// to others. All of it where `None`.
    pub among: Option<Arc<[u64]>>,
}

impl From<Arc<Path>> for DiskTree {
    fn from(path: Arc<Path>) -> Self {
        Self { path, among: None }
    }
}

impl From<&Path> for DiskTree {
    fn from(path: &Path) -> Self {
        Arc::<Path>::from(path).into()
    }
}
