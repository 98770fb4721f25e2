use alloc::string::String;
use core::fmt;

use evictd_node::Amount;

/// What an evicted pod has left on a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// What it is, to be read: `volume media`, `what hog wrote`.
    pub what: String,
    /// How much it holds at least, in bytes.
    pub bytes: u64,
    /// What frees it.
    pub remedy: Remedy,
}

/// What an operator can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Type this command.
    Command(String),
    /// Delete files in this directory.
    DeleteIn(String),
    /// Nothing that evictd knows of.
    Unknown,
}

impl fmt::Display for Left {
    /// `volume media holds 358Mi and its container has ended; free it with ...`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, bytes) = (&self.what, Amount::bytes(self.bytes));
        write!(f, "{what} holds {bytes} and its container has ended")?;
        match &self.remedy {
            Remedy::Command(command) => write!(f, "; free it with `{command}`"),
            Remedy::DeleteIn(path) => write!(f, "; free it by deleting files in {path}"),
            Remedy::Unknown => Ok(()),
        }
    }
}
