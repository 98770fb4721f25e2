//! Volumes that no container refers to.

use std::io::BufRead;

use super::answer::{MOST_PATH_BYTES, MOST_TEXT_BYTES, read_object};
use super::time::parse_rfc3339;
use crate::list::{Items, Listed};
use crate::{Failure, ListedVolume};
use evictd_json::{Json, ReadError, first};

/// Docker 23 and later mark so what nobody gave a name.
const ANONYMOUS: &str = "com.docker.volume.anonymous";

#[derive(Default)]
struct Told {
    name: Option<String>,
    driver: Option<String>,
    mountpoint: Option<String>,
    created_at: Option<String>,
    /// It has labels or options that somebody gave it.
    is_marked: bool,
}

/// Reads the answer to `GET /volumes`. Of very many the oldest without a name are kept.
///
/// # Errors
/// When that is no object. One of which something cannot be read counts as named by somebody.
pub fn parse_volumes(stream: impl BufRead) -> Result<Listed<ListedVolume>, Failure> {
    let (mut items, mut is_list) = (Items::default(), true);
    read_object(stream, |json, key| {
        if key == "Volumes" {
            json.array(|json| {
                let volume = read_volume(json)?;
                items.take(volume, json.fault());
                Ok(())
            })?;
            is_list &= !json.is_odd();
        }
        Ok(())
    })?;
    if is_list {
        Ok(items.finish())
    } else {
        Err(Failure::malformed("Volumes is no list"))
    }
}

fn read_volume<R: BufRead>(json: &mut Json<R>) -> Result<ListedVolume, ReadError> {
    let mut told = Told::default();
    json.object(|json, key| told.read(json, key))?;
    let is_whole = !json.has_fault();
    Ok(told.volume(is_whole))
}

impl Told {
    fn read<R: BufRead>(&mut self, json: &mut Json<R>, key: &str) -> Result<(), ReadError> {
        match key {
            "Name" => first(&mut self.name, json.text(MOST_TEXT_BYTES)?),
            "Driver" => first(&mut self.driver, json.text(MOST_TEXT_BYTES)?),
            "Mountpoint" => first(&mut self.mountpoint, json.text(MOST_PATH_BYTES)?),
            "CreatedAt" => first(&mut self.created_at, json.text(MOST_TEXT_BYTES)?),
            "Labels" => {
                json.object(|_, name| {
                    self.is_marked |= name != ANONYMOUS;
                    Ok(())
                })?;
            }
            "Options" => {
                json.object(|_, _| {
                    self.is_marked = true;
                    Ok(())
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    fn volume(self, is_whole: bool) -> ListedVolume {
        ListedVolume {
            is_anonymous: is_whole && self.is_anonymous(),
            created_nanos: self.created_at.as_deref().and_then(parse_rfc3339),
            name: self.name.unwrap_or_default(),
            path: self.mountpoint.unwrap_or_default().into(),
        }
    }

    /// Whether nobody gave it a name: then engines call it by 64 hexadecimal digits. One with
    /// labels or options, or of a driver that may keep it elsewhere, was made for something.
    fn is_anonymous(&self) -> bool {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let name = self.name.as_deref().unwrap_or_default();
        name.len() == 64
            && name.bytes().all(is_hex)
            && self.driver.as_deref() == Some("local")
            && !self.is_marked
    }
}
