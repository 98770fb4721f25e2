//! Podman's own pods, read into the model.

use serde::Deserialize;

use super::few::Few;
use super::parse::{needed, parse_list};
use crate::Failure;
use crate::bounds::Weigh;

/// A pod of Podman's: what Docker's API has no word for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct PodmanPod {
    /// Its id.
    #[serde(deserialize_with = "needed")]
    pub id: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// The container that holds its namespaces; empty where it has none.
    #[serde(default)]
    pub infra_id: String,
    containers: Option<Few<Member>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Member {
    id: String,
}

impl PodmanPod {
    /// Its containers by id, the infra container among them.
    pub(super) fn members(&self) -> impl Iterator<Item = &str> {
        let members = self.containers.iter().flat_map(|few| &few.0);
        members.map(|member| member.id.as_str())
    }
}

/// Reads a list of Podman's pods.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_pods(text: &[u8]) -> Result<Vec<PodmanPod>, Failure> {
    parse_list(text, |pod| pod)
}

impl Weigh for PodmanPod {
    fn weigh(&self, show: &mut dyn FnMut(&str)) {
        show(&self.id);
        show(&self.name);
        self.members().for_each(show);
    }
}
