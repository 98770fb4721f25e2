//! What an engine says when it refuses something.

use alloc::string::String;

use serde::Deserialize;

use super::parse::parse;
use crate::text::clean;

/// How much of an error's body is looked at.
const MOST_MESSAGE_BYTES: usize = 16 << 10;

/// What an engine says about an error.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorText {
    message: String,
    cause: String,
}

/// The `message` or `cause` of an error's body, else the whole text.
#[must_use]
pub fn parse_message(body: &[u8]) -> String {
    // Much more than is told of it.
    let body = body.get(..MOST_MESSAGE_BYTES).unwrap_or(body);
    let text: ErrorText = parse(body).unwrap_or_default();
    match [text.message, text.cause]
        .iter()
        .find(|text| !text.is_empty())
    {
        Some(message) => clean(message),
        None => clean(&String::from_utf8_lossy(body)),
    }
}
