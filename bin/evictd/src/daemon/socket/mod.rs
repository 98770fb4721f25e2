//! A local unix socket that answers HTTP GET and POST, for a loop that must not be delayed.
//!
//! [`Server`] has no thread and never blocks. It is one descriptor for the caller's
//! loop ([`AsFd`](rustix::fd::AsFd)), readable when there is something to do, and a
//! deadline; [`Server::turn`] then reads what has arrived and answers at most one
//! request. A few peers at a time have two seconds each to send a short request; an
//! answer is sent in one piece, and a peer that does not take it is dropped.
//!
//! What this does not do: it knows no paths, keeps no connection open, and
//! reads no body.

mod local;
mod server;

pub(super) use local::{LOCAL, Local};
use server::{Method, Server};

#[cfg(test)]
mod tests;
