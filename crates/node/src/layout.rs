use core::fmt;

/// How the node's bytes are spread over filesystems.
///
/// The kubelet knows these three (KEP-4191 added the last). Where none has been
/// detected yet, callers carry `Option<Layout>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Volumes, logs, writable layers and images share nodefs.
    OneFilesystem,
    /// Images and writable layers lie on imagefs, the rest on nodefs.
    DedicatedImagefs,
    /// Images alone lie on imagefs; writable layers stay on nodefs.
    SplitImagefs,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OneFilesystem => "one filesystem",
            Self::DedicatedImagefs => "dedicated imagefs",
            Self::SplitImagefs => "split imagefs",
        })
    }
}
