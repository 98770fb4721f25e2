//! A blocking client of the Container Runtime Interface (CRI v1): containerd,
//! CRI-O, cri-dockerd.
//!
//! [`Cri`] asks and understands; [`Client`] makes unary gRPC calls over a unix
//! socket and knows no message. Each call ends by a deadline of its own, however
//! the other side behaves; what it answers is bounded ([`MOST_ANSWER_BYTES`]) and
//! read in full or not at all. A runtime that was started anew is connected to
//! anew. [`parse_fields`], [`Writer`] and [`AnswerReader`] do no I/O.
//!
//! Texts are UTF-8 in this protocol. An id or a name of an image that is not is
//! an error of the whole call, because it could not be handed back; in all other
//! texts each byte that is not UTF-8 reads as `\xNN`.
//!
//! What this crate does not do: it starts no thread, keeps nothing but its
//! connection, and decides nothing. Every call that [`Cri`] offers may be made
//! twice without harm, and is, where a connection breaks before the answer.

mod answer;
mod client;
mod connection;
mod containers;
mod error;
#[cfg(test)]
pub mod fake;
mod h2;
mod hpack;
mod images;
mod proto;
mod received;
mod runtime;
mod sandboxes;
mod stats;
mod write;

pub use answer::{AnswerReader, MOST_ANSWER_BYTES};
pub use client::Client;
pub use containers::{Container, ContainerState, ContainerStatus, Resources};
pub use error::{Error, Failure};
pub use images::{FsInfo, Image};
pub use proto::{Bytes, ProtoError, ProtoErrorKind, Value, parse_fields};
pub use received::parse_connection;
pub use runtime::{Cri, RuntimeVersion, parse_list};
pub use sandboxes::Sandbox;
pub use stats::LayerUsage;
pub use write::Writer;

#[cfg(test)]
mod tests;
