//! What belongs to an event as data.

use serde_json::Value;

/// The fields of an event, in the order in which they are written. A field is called as
/// in `status --json` and `history --json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// These, and one more where its value is known.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if value != Value::Null {
            self.0.push((name, value));
        }
        self
    }

    /// Each field by its name.
    pub fn iter(&self) -> impl Iterator<Item = &(&'static str, Value)> {
        self.0.iter()
    }
}
