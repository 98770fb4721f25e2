use serde_json::{Map, Value};

/// An object of the file, read member by member: one that is missing, or is not of the
/// type that it should be, is `None`. What is no object has no members.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a>(pub(super) &'a Value);

impl<'a> Object<'a> {
    pub(crate) fn text(self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str()
    }

    pub(crate) fn number(self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    pub(crate) fn signed(self, name: &str) -> Option<i64> {
        self.0.get(name)?.as_i64()
    }

    pub(crate) fn flag(self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    pub(crate) fn map(self, name: &str) -> Option<&'a Map<String, Value>> {
        self.0.get(name)?.as_object()
    }

    /// The members of an object that are texts, with their names.
    pub(crate) fn texts(self, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let members = self.map(name).into_iter().flatten();
        members.filter_map(|(key, text)| Some((key.as_str(), text.as_str()?)))
    }

    /// Each element of a list that is an object.
    pub(crate) fn each(self, name: &str) -> impl Iterator<Item = Self> + use<'a> {
        let list = self.0.get(name).and_then(Value::as_array);
        let objects = list.into_iter().flatten().filter(|of| of.is_object());
        objects.map(Self)
    }
}
