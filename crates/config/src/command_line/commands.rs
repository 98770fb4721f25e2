use crate::Takes;

/// The commands beside the daemon, as far as a command line has to know them.
pub struct Commands {
    /// Their names: `status`, `gc images`.
    pub names: Vec<String>,
    /// The flags of single commands, and what each takes.
    pub flags: Vec<(&'static str, Takes)>,
    /// In one line what replaces a command that was removed; `None` for any other word.
    pub removed: fn(&str) -> Option<String>,
}

/// There is none.
impl Default for Commands {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            flags: Vec::new(),
            removed: |_| None,
        }
    }
}
