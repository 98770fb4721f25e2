//! gRPC: what stands in the header fields and the body that HTTP/2 carries.

use super::hpack::Fields;
use super::proto::Bytes;
use crate::Failure;
use crate::socket::MOST_ANSWER_BYTES;
use crate::text::clean;

/// A flag and a length stand before each message.
pub(super) const MESSAGE_HEAD_BYTES: usize = 5;

/// Whether an answer is one of gRPC's at all.
pub(super) fn check_head(fields: &Fields) -> Result<(), String> {
    let value = |name| fields.get(name).map_or(&b""[..], Vec::as_slice);
    let (status, content) = (value(":status"), value("content-type"));
    if status != b"200" {
        return Err(format!("HTTP status {}", words(status)));
    }
    if !content.starts_with(b"application/grpc") {
        return Err(format!("content of type {}", words(content)));
    }
    Ok(())
}

/// The message of an answer that is over, or what the runtime says instead.
pub(super) fn finish_answer(fields: &Fields, body: Vec<u8>) -> Result<Vec<u8>, Failure> {
    check_status(fields)?;
    parse_message(body).map_err(Failure::malformed)
}

/// What the runtime says of a call that is over.
pub(super) fn check_status(fields: &Fields) -> Result<(), Failure> {
    let status = fields.get("grpc-status");
    let status = status.ok_or_else(|| Failure::malformed("it ends without a gRPC status"))?;
    let code = str::from_utf8(status).ok().and_then(|it| it.parse().ok());
    match code {
        Some(0) => Ok(()),
        Some(code) => {
            let message = fields.get("grpc-message").map(|message| words(message));
            let message = message.unwrap_or_default().into();
            Err(Failure::Refused { code, message })
        }
        None => {
            let odd = format!("a gRPC status of {}", words(status));
            Err(Failure::malformed(odd))
        }
    }
}

/// The one message of a unary gRPC call's answer, out of what HTTP/2 carried.
///
/// # Errors
/// When it is compressed, too long, not whole, or another one follows: what is odd, in
/// words.
///
/// ```
/// use evictd_containers::cri::parse_message;
///
/// assert_eq!(parse_message(vec![0, 0, 0, 0, 2, 8, 1]), Ok(vec![8, 1]));
/// let error = parse_message(vec![0, 0, 0, 0, 2, 8]).unwrap_err();
/// assert_eq!(error, "a message of 2 bytes ends after 1");
/// ```
pub fn parse_message(mut carried: Vec<u8>) -> Result<Vec<u8>, String> {
    let length = message_length(&carried)?.ok_or("no message")?;
    carried.drain(..MESSAGE_HEAD_BYTES.min(carried.len()));
    if carried.len() < length {
        let there = carried.len();
        return Err(format!("a message of {length} bytes ends after {there}"));
    }
    Ok(carried)
}

/// The length of the only message, which begins so; `None` while that is not told.
pub(super) fn message_length(carried: &[u8]) -> Result<Option<usize>, String> {
    let length = next_length(carried)?;
    let there = carried.len().saturating_sub(MESSAGE_HEAD_BYTES);
    if length.is_some_and(|length| there > length) {
        return Err("more than one message".into());
    }
    Ok(length)
}

/// The length of the message that begins so, whatever follows it.
pub(super) fn next_length(carried: &[u8]) -> Result<Option<usize>, String> {
    let Some([flag, length @ ..]) = carried.first_chunk::<MESSAGE_HEAD_BYTES>() else {
        return Ok(None);
    };
    match flag {
        0 => {}
        1 => return Err("a compressed message, which was not asked for".into()),
        _ => return Err("a message with an unknown flag".into()),
    }
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    if length > MOST_ANSWER_BYTES {
        let most = MOST_ANSWER_BYTES;
        return Err(format!(
            "a message of {length} bytes; at most {most} are read"
        ));
    }
    Ok(Some(length))
}

/// A runtime's words for a log line: percent-decoded as gRPC has them encoded.
fn words(text: &[u8]) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let code = match after {
            [high, low, ..] if *first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        bytes.push(code.map_or(*first, |(high, low)| high << 4 | low));
        rest = after
            .get(if code.is_some() { 2 } else { 0 }..)
            .unwrap_or_default();
    }
    clean(&Bytes::new(&bytes).text())
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}
