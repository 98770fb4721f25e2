//! Images that are mounted in a container.

use core::time::Duration;
use std::time::Instant;

use super::Details;
use super::patience::left;
use crate::Error;
use crate::notes::failed;

/// Puts their ids in the place of the names of images that are mounted. The runtime says what
/// `alpine` means, nothing for nothing; a name that it does not know stays. After one that it
/// does not tell in time the others are not asked for, and the container is asked for again
/// later.
pub(crate) fn find_mounted_images(
    details: &mut Details,
    within: Duration,
    ask: impl Fn(&str, Duration) -> Result<String, Error>,
) {
    let begun = Instant::now();
    for image in &mut details.image_volumes {
        match ask(image, left(within, begun)) {
            Ok(id) if id.is_empty() => {}
            Ok(id) => *image = id.into(),
            Err(error) if error.is_answer() => {}
            Err(error) => {
                details.fault.get_or_insert_with(|| failed(&error));
                details.told = Box::default();
                return;
            }
        }
    }
}
