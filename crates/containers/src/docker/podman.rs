//! Podman's own pods, as Podman lists them.

use std::io::BufRead;

use super::answer::{MOST_TEXT_BYTES, read_list};
use crate::Failure;
use evictd_json::{Json, ReadError, first};

/// A pod of Podman's: what Docker's API has no word for.
#[derive(Debug, Default)]
pub struct PodmanPod {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The container that holds its namespaces; empty where it has none.
    pub infra_id: String,
    /// Its containers by id, the infra container among them.
    pub members: Vec<String>,
    /// Something of it could not be read: it may have more of them.
    pub is_partial: bool,
}

/// Reads a list of Podman's pods, and shows each. One without an id is passed over.
///
/// # Errors
/// When that is no list.
pub fn parse_pods(stream: impl BufRead, mut show: impl FnMut(PodmanPod)) -> Result<(), Failure> {
    read_list(stream, |json| {
        let (mut id, mut name, mut infra_id, mut members) = (None, None, None, Vec::new());
        json.object(|json, key| {
            match key {
                "Id" => first(&mut id, json.text(MOST_TEXT_BYTES)?),
                "Name" => first(&mut name, json.text(MOST_TEXT_BYTES)?),
                "InfraId" => first(&mut infra_id, json.text(MOST_TEXT_BYTES)?),
                "Containers" => {
                    json.array(|json| read_member(json, &mut members))?;
                }
                _ => {}
            }
            Ok(())
        })?;
        let is_partial = json.fault().is_some();
        if let Some(id) = id.filter(|id: &String| !id.is_empty()) {
            show(PodmanPod {
                id,
                name: name.unwrap_or_default(),
                infra_id: infra_id.unwrap_or_default(),
                members,
                is_partial,
            });
        }
        Ok(())
    })
}

fn read_member<R: BufRead>(json: &mut Json<R>, members: &mut Vec<String>) -> Result<(), ReadError> {
    let mut id = None;
    json.object(|json, key| {
        if key == "Id" {
            first(&mut id, json.text(MOST_TEXT_BYTES)?);
        }
        Ok(())
    })?;
    members.extend(id.filter(|id| !id.is_empty()));
    Ok(())
}
