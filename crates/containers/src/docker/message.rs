//! What an engine says when it refuses something.

use alloc::string::String;
use std::io::{BufRead, Read as _};

use crate::text::clean;
use evictd_json::{Json, first};

/// How much of an error's body is looked at: much more than is told of it.
const MOST_MESSAGE_BYTES: u64 = 16 << 10;

/// The `message` or `cause` of an error's body, else the whole text.
pub fn parse_message(body: impl BufRead) -> String {
    let mut text = Vec::new();
    // What has come in until it fails is said.
    let _ = body.take(MOST_MESSAGE_BYTES).read_to_end(&mut text);
    let (mut message, mut cause) = (None, None);
    // What follows them does not count, nor whether it is JSON.
    let _ = Json::new(text.as_slice()).object(|json, key| {
        let said = match key {
            "message" => &mut message,
            "cause" => &mut cause,
            _ => return Ok(()),
        };
        let told = json.text(text.len())?;
        first(said, told.filter(|told: &String| !told.is_empty()));
        Ok(())
    });
    match message.or(cause) {
        Some(message) => clean(&message),
        None => clean(&String::from_utf8_lossy(&text)),
    }
}
