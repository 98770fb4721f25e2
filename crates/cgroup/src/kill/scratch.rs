use super::struck::Struck;
use super::turn::{AT_ONCE, Turn};
use crate::procs::Procs;

/// The lists of a kill, made before it begins: by then memory is short. They grow only for a
/// pod of more processes than one turn takes.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) listing: Procs,
    /// Whose turn it is.
    pub(super) turn: Turn,
    /// Who has had it in this pass.
    pub(super) struck: Struck,
    /// Who was sent any signal.
    pub(super) seen: Struck,
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            listing: Procs::with_capacity(AT_ONCE),
            turn: Turn::with_capacity(AT_ONCE),
            struck: Struck::with_capacity(AT_ONCE),
            seen: Struck::with_capacity(AT_ONCE),
        }
    }
}
