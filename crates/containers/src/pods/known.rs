use alloc::collections::BTreeMap;
use alloc::sync::Arc;

use super::{Details, Found};
use crate::Error;

/// What was found out about each container, by its id. While the list tells the same of
/// a container it is not asked for again: in the steady state a listing costs the calls
/// for the lists alone.
#[derive(Debug, Default)]
pub(crate) struct Known(BTreeMap<Arc<str>, Arc<Details>>);

impl Known {
    /// The details of all that are listed, those that have changed by `ask`; it is given
    /// what was known before, and returns `None` for what has vanished meanwhile, which is
    /// left out.
    ///
    /// # Errors
    /// The first of `ask`. What was known before is kept then.
    pub(crate) fn update(
        &mut self,
        listed: Vec<Found>,
        mut ask: impl FnMut(&Found, Option<&Details>) -> Result<Option<Details>, Error>,
    ) -> Result<Vec<(Found, Arc<Details>)>, Error> {
        let mut all = Vec::with_capacity(listed.len());
        for found in listed {
            let before = self.0.get(&found.container.id);
            let details = match before.filter(|known| known.told == found.told) {
                Some(known) => Arc::clone(known),
                None => match ask(&found, before.map(AsRef::as_ref))? {
                    Some(details) => Arc::new(details),
                    None => continue,
                },
            };
            all.push((found, details));
        }
        let entry = |(found, details): &(Found, Arc<Details>)| {
            (Arc::clone(&found.container.id), Arc::clone(details))
        };
        self.0 = all.iter().map(entry).collect();
        Ok(all)
    }
}
