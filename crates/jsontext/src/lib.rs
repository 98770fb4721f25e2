//! Writes JSON: one object, member by member, into one string.
//!
//! Commas and escapes are right by construction. What is opened has to be closed
//! by the caller, and a key must not come twice. No value is kept, nothing is
//! generic, and each call is small: a document costs its binary little.
//!
//! What this crate does not do: it parses nothing and knows no floats.
//!
//! ```
//! use evictd_jsontext::Json;
//!
//! let mut json = Json::new();
//! json.text("name", "web \"1\"");
//! json.array("signals");
//! json.item(&"memory.available");
//! json.item(&"pid.available");
//! json.end_array();
//! json.opt_uint("used", None);
//! assert_eq!(
//!     json.into_text(),
//!     r#"{"name":"web \"1\"","signals":["memory.available","pid.available"],"used":null}"#,
//! );
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod escape;
mod json;

pub use json::Json;

#[cfg(test)]
mod tests;
