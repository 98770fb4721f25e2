use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// What is known of each container, by its id.
///
/// The map holds places in the list, not the values: so one kind of map is
/// compiled for all kinds of values.
#[derive(Debug)]
pub(super) struct ById<T> {
    places: BTreeMap<String, usize>,
    values: Vec<T>,
}

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self {
            places: BTreeMap::new(),
            values: Vec::new(),
        }
    }
}

impl<T> ById<T> {
    pub(super) fn get(&self, id: &str) -> Option<&T> {
        self.values.get(*self.places.get(id)?)
    }

    pub(super) fn insert(&mut self, id: String, value: T) {
        self.places.insert(id, self.values.len());
        self.values.push(value);
    }
}

impl<T: Default> ById<T> {
    /// The value itself; its default stays behind.
    pub(super) fn take(&mut self, id: &str) -> Option<T> {
        let value = self.values.get_mut(*self.places.get(id)?)?;
        Some(core::mem::take(value))
    }
}
