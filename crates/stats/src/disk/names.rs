use alloc::vec::Vec;
use core::ffi::CStr;

/// The names of directories that wait to be walked, on a stack: those of the
/// deepest level last. Bounded, since names are the pods' to choose.
pub(crate) struct Names {
    /// Each with its NUL.
    bytes: Vec<u8>,
    most: usize,
}

impl Names {
    pub(crate) const fn new(most: usize) -> Self {
        Self {
            bytes: Vec::new(),
            most,
        }
    }

    /// Where the next name will begin.
    pub(crate) const fn end(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a name; `false` where there is no room.
    pub(crate) fn push(&mut self, name: &CStr) -> bool {
        let name = name.to_bytes_with_nul();
        let fits = self.bytes.len() + name.len() <= self.most;
        if fits {
            self.bytes.extend_from_slice(name);
        }
        fits
    }

    /// Hands the last name over, and forgets it.
    pub(crate) fn take_last<T>(&mut self, use_it: impl FnOnce(&CStr) -> T) -> Option<T> {
        let before = self.bytes.split_last()?.1;
        let start = before.iter().rposition(|byte| *byte == 0);
        let start = start.map_or(0, |nul| nul + 1);
        let name = CStr::from_bytes_with_nul(self.bytes.get(start..)?).ok();
        let result = name.map(use_it);
        self.forget_from(start);
        result
    }

    /// Forgets all that begin there or later.
    pub(crate) fn forget_from(&mut self, start: usize) {
        self.bytes.truncate(start);
    }
}
