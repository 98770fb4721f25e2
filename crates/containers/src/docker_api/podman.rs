use alloc::string::String;
use alloc::vec::Vec;

use crate::docker_api::json::{self, Fault};
use crate::docker_api::request::{Method, Request};
use crate::docker_api::{Client, Result};

/// A pod of Podman's: what Docker's API has no word for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodmanPod {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The container that holds its namespaces, by id; empty where it has none.
    pub infra_id: String,
    /// Its containers by id, that one among them.
    pub container_ids: Vec<String>,
}

impl Client {
    /// Podman's pods.
    ///
    /// # Errors
    /// When the answer is missing or is not whole; status 404 from engines that
    /// are not Podman.
    pub fn podman_pods(&mut self) -> Result<Vec<PodmanPod>> {
        let request = Request::new(Method::Get, "/v4.0.0/libpod/pods/json", "");
        self.read(&request, parse_podman_pods)
    }

    /// Removes a pod of Podman's of which no container runs.
    ///
    /// # Errors
    /// When it is still there; status 404 where it was not there before, 409
    /// where a container of it runs.
    pub fn remove_podman_pod(&mut self, id: &str) -> Result<()> {
        let request = Request::about(Method::Delete, "/v4.0.0/libpod/pods/", id, "");
        self.call(&request).map(drop)
    }
}

/// Reads the answer to `GET /libpod/pods/json`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_podman_pods(text: &[u8]) -> Result<Vec<PodmanPod>, Fault> {
    let mut pods = Vec::new();
    json::parse_objects(text, &mut |object| {
        let mut pod = PodmanPod::default();
        object.needed("Id", &mut pod.id)?;
        object.text("Name", &mut pod.name)?;
        object.text("InfraId", &mut pod.infra_id)?;
        object.objects("Containers", &mut |container| {
            let mut id = String::new();
            container.text("Id", &mut id)?;
            pod.container_ids.push(id);
            Ok(())
        })?;
        pods.push(pod);
        Ok(())
    })?;
    Ok(pods)
}
