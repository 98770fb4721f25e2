#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod ask;
mod exchange;
mod held_back;
mod request;
mod response;
mod verdict;
mod view;

pub use ask::{SOCKET, ask, ask_within, order, view, view_within};
pub use exchange::{get, post, remark};
pub use held_back::HeldBack;
pub use request::{MOST_BYTES, Parsed, parse_request};
pub use response::{Response, find_body};
pub use verdict::verdict_in_json;
pub use view::{View, flags_of};
