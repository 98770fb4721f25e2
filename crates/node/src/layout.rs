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

impl Layout {
    /// Each of them.
    pub const ALL: [Self; 3] = [
        Self::OneFilesystem,
        Self::DedicatedImagefs,
        Self::SplitImagefs,
    ];

    /// Its name in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneFilesystem => "one filesystem",
            Self::DedicatedImagefs => "dedicated imagefs",
            Self::SplitImagefs => "split imagefs",
        }
    }

    /// The layout with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.name() == name)
    }
}
