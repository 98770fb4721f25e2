//! Protobuf and the messages of CRI: no panic; what is read can be written and is
//! read again as the same; an error lies within the message; a list has no more items
//! than bytes.
#![no_main]

use evictd_containers::cri_api::{
    Bytes, Container, ContainerStatus, FsInfo, Image, LayerUsage, ProtoError, Sandbox, Value,
    Writer, parse_fields, parse_list,
};
use libfuzzer_sys::fuzz_target;

/// The fields that [`Writer`] writes, and which are not as if they were not there.
fn written(message: &[u8]) -> Result<Vec<(u32, Value<'_>)>, ProtoError> {
    let mut fields = Vec::new();
    parse_fields(Bytes::new(message), &mut |number, value| {
        assert!(number > 0);
        match value {
            Value::Varint(0) | Value::Fixed32(_) | Value::Fixed64(_) => {}
            Value::Varint(_) => fields.push((number, value)),
            Value::Bytes(bytes) => {
                assert_eq!(message[bytes.at..][..bytes.bytes.len()], *bytes.bytes);
                let at = 0;
                fields.push((number, Value::Bytes(Bytes { at, ..bytes })));
            }
        }
        Ok(())
    })?;
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
            Value::Fixed32(_) | Value::Fixed64(_) => unreachable!(),
        };
    }
    let again = writer.into_bytes();
    assert!(again.len() <= message.len());
    assert_eq!(written(&again), Ok(fields));
}

fn list<T>(message: &[u8], parse: fn(Bytes<'_>) -> Result<T, ProtoError>) -> Vec<T> {
    let items = inside(message, parse_list(Bytes::new(message), parse));
    items.unwrap_or_default()
}

fn inside<T>(message: &[u8], read: Result<T, ProtoError>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(error) => {
            assert!(error.at <= message.len(), "{error}");
            None
        }
    }
}

fuzz_target!(|message: &[u8]| {
    round_trip(message);
    assert!(list(message, Container::parse).len() <= message.len());
    list(message, Sandbox::parse);
    list(message, Image::parse);
    list(message, LayerUsage::parse);
    inside(message, ContainerStatus::parse(Bytes::new(message)));
    inside(message, FsInfo::parse(Bytes::new(message)));
    let text = Bytes::new(message).text();
    assert!(text.len() <= 4 * message.len());
    match Bytes::new(message).exact_text() {
        Ok(exact) => assert_eq!((exact.as_bytes(), &exact), (message, &text)),
        Err(error) => assert!(error.at < message.len()),
    }
});
