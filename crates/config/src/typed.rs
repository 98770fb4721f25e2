use crate::Flag;

/// Every flag as it was typed: the texts of its occurrences, in order. None
/// means that the flag was not given, which differs from given with an empty
/// text.
///
/// Of scalars and booleans the last text counts. Lists are joined by commas, as
/// the kubelet's flags merge. A bare boolean flag has the text `true`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// The flags that were given, by name: a field for each flag would be code
    /// for each flag.
    texts: Vec<(&'static str, Vec<String>)>,
}

impl Typed {
    /// Adds one more text of the flag with that name, without dashes. Returns
    /// whether there is such a flag; if not, nothing is added.
    #[must_use]
    pub fn add(&mut self, name: &str, text: impl Into<String>) -> bool {
        let Some(flag) = Flag::find(name) else {
            return false;
        };
        let place = self.texts.binary_search_by_key(&flag.name, |(of, _)| of);
        let at = place.unwrap_or_else(|at| {
            self.texts.insert(at, (flag.name, Vec::new()));
            at
        });
        if let Some((_, texts)) = self.texts.get_mut(at) {
            texts.push(text.into());
        }
        true
    }

    /// The texts of the flag with that name, in order.
    #[must_use]
    pub fn get(&self, name: &str) -> &[String] {
        debug_assert!(Flag::find(name).is_some(), "there is no --{name}");
        let found = self.texts.iter().find(|(of, _)| *of == name);
        found.map_or(&[], |(_, texts)| texts)
    }
}
