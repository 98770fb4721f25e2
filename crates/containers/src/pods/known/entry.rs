use alloc::sync::Arc;

use crate::Error;
use crate::pods::patience::Rest;
use crate::pods::{Details, Found};

/// A container to be asked for, and what was known of it before.
pub(crate) type Question<'a> = (&'a Found, Option<&'a Details>);

/// What asking came to; `None` of what has vanished meanwhile.
pub(crate) type Answer = Result<Option<Details>, Error>;

/// What is known of a container.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) id: Arc<str>,
    pub(super) details: Arc<Details>,
    pub(super) rest: Rest,
    /// Why the last question failed.
    pub(super) trouble: Option<Box<str>>,
}

impl Entry {
    pub(super) fn of(found: &Found, details: Details) -> Self {
        Self {
            id: Arc::clone(&found.container.id),
            details: Arc::new(details),
            rest: Rest::default(),
            trouble: None,
        }
    }

    /// Whether it is described as it is listed.
    pub(super) fn describes(&self, found: &Found) -> bool {
        self.details.told == found.told && self.trouble.is_none()
    }

    /// What of it could not be found out.
    pub(super) fn fault(&self) -> Option<&str> {
        self.trouble.as_deref().or(self.details.fault.as_deref())
    }
}
