//! A blocking client of the Docker Engine API over its unix socket.
//!
//! [`Client`] speaks HTTP/1.1 to dockerd, Podman's service and balenaEngine:
//! what eviction and garbage collection need, and no more. Every call ends by a
//! deadline, has a bounded answer, and either gives that answer in full or an
//! [`Error`] that names the call and what came back.
//!
//! [`ResponseReader`] is the HTTP side by itself: bytes in, an answer out. The
//! `parse_*` functions are the JSON side.
//!
//! What this crate does not do: it follows no stream of events, starts no
//! thread, knows no TCP and no TLS, and decides nothing.

mod actions;
mod client;
mod connection;
mod containers;
mod engine;
mod error;
mod http;
mod images;
mod json;
mod podman;
mod request;
mod time;

pub use client::Client;
pub use containers::{ContainerDetail, ContainerSummary, parse_container, parse_containers};
pub use engine::{EngineInfo, EngineVersion, parse_info, parse_version};
pub use error::{Error, Failure, Result, clean};
pub use http::{
    HttpError, HttpErrorKind, MAX_BODY_BYTES, MAX_HEAD_BYTES, Response, ResponseReader,
};
pub use images::{ImageSummary, parse_images};
pub use json::Fault;
pub use podman::{PodmanPod, parse_podman_pods};
pub use time::{ParseTimeError, parse_rfc3339};

#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod tests;
