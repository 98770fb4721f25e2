use crate::yaml::ErrorKind;

/// The most bytes of input, and of text copied by aliases: 4 MiB.
pub const MAX_BYTES: usize = 4 << 20;
/// The most values, counting what aliases stand for.
pub const MAX_NODES: usize = 100_000;
/// The most lists and mappings within each other.
pub const MAX_DEPTH: usize = 64;

/// What may still be built.
pub(crate) struct Budget {
    nodes: usize,
}

impl Budget {
    pub(crate) const fn new() -> Self {
        Self { nodes: MAX_NODES }
    }

    /// Takes so many values.
    pub(crate) fn take(&mut self, nodes: usize) -> Result<(), ErrorKind> {
        let left = self.nodes.checked_sub(nodes);
        self.nodes = left.ok_or(ErrorKind::TooManyNodes)?;
        Ok(())
    }
}

/// Refuses more than [`MAX_DEPTH`].
pub(crate) const fn check_depth(depth: usize) -> Result<(), ErrorKind> {
    if depth > MAX_DEPTH {
        Err(ErrorKind::TooDeep)
    } else {
        Ok(())
    }
}
