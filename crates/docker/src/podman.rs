use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::json::{self, Fault, Object};
use crate::request::{Method, Request};
use crate::{Client, Error};

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

const POD: [&str; 4] = ["Id", "Name", "InfraId", "Containers"];

impl Client {
    /// Podman's pods.
    ///
    /// # Errors
    /// When the answer is missing or is not whole; status 404 from engines that
    /// are not Podman.
    pub fn podman_pods(&mut self) -> Result<Vec<PodmanPod>, Error> {
        let request = Request::new(Method::Get, "/v4.0.0/libpod/pods/json", "");
        self.read(&request, parse_podman_pods)
    }

    /// Removes a pod of Podman's of which no container runs.
    ///
    /// # Errors
    /// When it is still there; status 404 where it was not there before, 409
    /// where a container of it runs.
    pub fn remove_podman_pod(&mut self, id: &str) -> Result<(), Error> {
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
    json::parse_objects(text, &POD, &mut |object| {
        pods.push(pod(object)?);
        Ok(())
    })?;
    Ok(pods)
}

fn pod(object: &Object) -> Result<PodmanPod, Fault> {
    let mut container_ids = Vec::new();
    for container in object.list("Containers")? {
        let Value::Object(container) = container else {
            return Err(json::odd("Containers", "no list of objects"));
        };
        container_ids.push(json::text(container, "Id")?.into());
    }
    Ok(PodmanPod {
        id: object.needed("Id")?.into(),
        name: object.text("Name")?.into(),
        infra_id: object.text("InfraId")?.into(),
        container_ids,
    })
}
