use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};

/// Where something stands in a list, by its name.
///
/// Kept as text, as labels are: a map of another type would be three kilobytes of code.
#[derive(Debug, Default)]
pub(super) struct Places(BTreeMap<String, String>);

impl Places {
    pub(super) fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name)?.parse().ok()
    }

    pub(super) fn insert(&mut self, name: &str, place: usize) {
        self.0.insert(name.to_string(), place.to_string());
    }
}
