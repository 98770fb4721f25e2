//! A local unix socket that answers HTTP GET and POST, for a loop that must not be delayed.
//!
//! [`Server`] has no thread and never blocks. It is one descriptor for the caller's
//! loop ([`AsFd`](rustix::fd::AsFd)), readable when there is something to do, and a
//! deadline; [`Server::turn`] then reads what has arrived and answers at most one
//! request. A few peers at a time have two seconds each to send a short request; an
//! answer is sent in one piece, and a peer that does not take it is dropped. [`get`] and
//! [`post`] are the client.
//!
//! What this does not do: it knows no paths, keeps no connection open, and
//! reads no body.

mod client;
mod local;
mod request;
mod server;
mod view;

pub use client::{find_body, get, post, remark};
pub(crate) use local::{LOCAL, Local, ask, ask_within, order, view, view_within};
pub use request::{MOST_BYTES, Parsed, parse_request};
pub use server::{Answer, Method, Server, Status};
pub(crate) use view::{View, flags_of};

#[cfg(test)]
mod tests;
