use alloc::string::String;
use alloc::vec::Vec;

use crate::docker_api::json::{self, Fault, Object};
use crate::docker_api::request::{Method, Request};
use crate::docker_api::{Client, Result};

/// An image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageSummary {
    /// Its id: a digest.
    pub id: String,
    /// Its names with tags; none where the engine writes `<none>`.
    pub tags: Vec<String>,
    /// Its names by digest.
    pub digests: Vec<String>,
    /// What it takes in bytes; layers shared with others count.
    pub size_bytes: u64,
}

impl Client {
    /// All images, without the layers between.
    ///
    /// # Errors
    /// When the answer is missing or is not whole.
    pub fn images(&mut self) -> Result<Vec<ImageSummary>> {
        let request = Request::new(Method::Get, "/images/json", "?all=false");
        self.read(&request, parse_images)
    }

    /// One image.
    ///
    /// # Errors
    /// When the answer is missing or is not whole; status 404 where there is no
    /// such image.
    pub fn image(&mut self, id: &str) -> Result<ImageSummary> {
        let request = Request::about(Method::Get, "/images/", id, "/json");
        self.read(&request, |text| {
            let mut image = ImageSummary::default();
            json::parse_object(text, &mut |object| read_image(object, &mut image))?;
            Ok(image)
        })
    }

    /// Removes an image by its id, or one of its names.
    ///
    /// # Errors
    /// When it is still there; status 404 where it was not there before, 409
    /// where it is used or, by id, has names in several repositories.
    pub fn remove_image(&mut self, name: &str) -> Result<()> {
        let request = Request::about(Method::Delete, "/images/", name, "").query("?force=false");
        self.call(&request).map(drop)
    }
}

/// Reads the answer to `GET /images/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_images(text: &[u8]) -> Result<Vec<ImageSummary>, Fault> {
    let mut images = Vec::new();
    json::parse_objects(text, &mut |object| {
        let mut image = ImageSummary::default();
        read_image(object, &mut image)?;
        images.push(image);
        Ok(())
    })?;
    Ok(images)
}

fn read_image(object: Object<'_>, image: &mut ImageSummary) -> Result<(), Fault> {
    object.needed("Id", &mut image.id)?;
    object.texts("RepoTags", &mut image.tags)?;
    object.texts("RepoDigests", &mut image.digests)?;
    // `<none>:<none>` and `<none>@<none>` are no names.
    for names in [&mut image.tags, &mut image.digests] {
        names.retain(|name| !name.starts_with("<none>"));
    }
    let mut size = 0;
    object.number("Size", &mut size)?;
    image.size_bytes = u64::try_from(size).unwrap_or(0);
    Ok(())
}
