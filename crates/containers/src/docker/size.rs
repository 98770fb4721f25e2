use serde::Deserialize;

use super::parse::parse;
use crate::Failure;

#[derive(Deserialize)]
struct SizeText {
    #[serde(rename = "SizeRw")]
    written: Option<i64>,
}

/// Reads what a container has written from the answer to
/// `GET /containers/ID/json?size=true`.
pub(super) fn parse_size(text: &[u8]) -> Result<Option<u64>, Failure> {
    let text: SizeText = parse(text)?;
    Ok(text.written.and_then(|bytes| u64::try_from(bytes).ok()))
}
