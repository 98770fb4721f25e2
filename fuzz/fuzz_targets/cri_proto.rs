//! Protobuf and the messages of CRI: no panic; what is read can be written and is
//! read again as the same; an error lies within the message; a list has no more items
//! than bytes.
#![no_main]
// options: -max_len=1048576
// parses: crates/containers/src/cri/fields.rs
// parses: crates/containers/src/cri/parse.rs
// parses: crates/containers/src/cri/proto.rs

use evictd_containers::Weigh;
use evictd_containers::cri::{
    Bytes, ProtoError, Value, Writer, parse_container, parse_disks, parse_image, parse_image_id,
    parse_info, parse_layer, parse_list, parse_sandbox, parse_status, parse_version,
};
use evictd_fuzz::in_bounded_memory;
use libfuzzer_sys::fuzz_target;

/// The fields that [`Writer`] writes, and which are not as if they were not there.
fn written(message: &[u8]) -> Result<Vec<(u32, Value<'_>)>, ProtoError> {
    let mut fields = Vec::new();
    for field in Bytes::new(message).fields() {
        let (number, value) = field?;
        assert!(number > 0);
        match value {
            Value::Varint(0) | Value::Fixed => {}
            Value::Varint(_) => fields.push((number, value)),
            Value::Bytes(bytes) => {
                assert_eq!(message[bytes.at..][..bytes.bytes.len()], *bytes.bytes);
                let at = 0;
                fields.push((number, Value::Bytes(Bytes { at, ..bytes })));
            }
        }
    }
    Ok(fields)
}

fn round_trip(message: &[u8]) {
    let Ok(fields) = written(message) else {
        return;
    };
    let mut writer = Writer::default();
    for (number, value) in &fields {
        match value {
            Value::Varint(value) => writer.number(*number, *value),
            Value::Bytes(bytes) => writer.bytes(*number, bytes.bytes),
            Value::Fixed => unreachable!(),
        };
    }
    let again = writer.into_bytes();
    assert!(again.len() <= message.len());
    assert_eq!(written(&again), Ok(fields));
}

/// A request with these bytes as text is read as it was written.
fn request(message: &[u8]) {
    let text = String::from_utf8_lossy(message);
    let mut pair = Writer::default();
    pair.text(1, &text).text(2, &text);
    let (mut writer, mut same) = (Writer::default(), Writer::default());
    writer.pair(1, &text, &text).text(2, &text);
    same.message(1, &pair).text(2, &text);
    let (request, same) = (writer.into_bytes(), same.into_bytes());
    assert_eq!(request, same);
    let fields = written(&request).unwrap();
    assert_eq!(fields.len(), if text.is_empty() { 1 } else { 2 });
    if let [_, (number, Value::Bytes(field))] = fields.as_slice() {
        assert_eq!((*number, field.exact_text()), (2, Ok(&*text)));
        if text.len() <= 4096 {
            assert_eq!(field.text(), text);
        }
    }
}

fn list<T: Weigh>(message: &[u8], parse: fn(Bytes<'_>) -> Result<T, ProtoError>) -> Vec<T> {
    let items = in_bounded_memory(|| parse_list(Bytes::new(message), parse));
    let items = inside(message, items);
    items.unwrap_or_default()
}

fn inside<T>(message: &[u8], read: Result<T, ProtoError>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(error) => {
            assert!(error.at <= message.len());
            assert!(
                error
                    .to_string()
                    .ends_with(&format!(" at byte {}", error.at))
            );
            None
        }
    }
}

fuzz_target!(|message: &[u8]| {
    round_trip(message);
    request(message);
    assert!(list(message, parse_container).len() <= message.len());
    list(message, parse_sandbox);
    list(message, parse_image);
    list(message, parse_layer);
    let whole = Bytes::new(message);
    inside(message, parse_status(whole));
    inside(message, parse_disks(whole));
    inside(message, parse_info(whole, "info"));
    inside(message, parse_image_id(whole));
    inside(message, parse_version(whole));
    let text = Bytes::new(message).text();
    assert!(text.len() <= 4 * message.len());
    match Bytes::new(message).exact_text() {
        Ok(exact) if exact.len() <= 4096 => {
            assert_eq!((exact.as_bytes(), exact), (message, text.as_str()))
        }
        Ok(exact) => assert_eq!(exact.as_bytes(), message),
        Err(error) => assert!(error.at < message.len()),
    }
});
