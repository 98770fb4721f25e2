//! Protobuf and the messages of CRI: no panic; what is read can be written and is read again
//! as the same; a message is always read to its end; a list has no more items than bytes.
#![no_main]
// options: -max_len=1048576
// parses: crates/containers/src/cri/about.rs
// parses: crates/containers/src/cri/containers.rs
// parses: crates/containers/src/cri/fields.rs
// parses: crates/containers/src/cri/image.rs
// parses: crates/containers/src/cri/info.rs
// parses: crates/containers/src/cri/layers.rs
// parses: crates/containers/src/cri/list.rs
// parses: crates/containers/src/cri/reader.rs
// parses: crates/containers/src/cri/status.rs
// parses: crates/containers/src/list/unread.rs

use std::io;

use evictd_containers::cri::{
    Parse, Reader, Writer, parse_container, parse_disks, parse_image, parse_image_id, parse_info,
    parse_layer, parse_list, parse_sandbox, parse_status, parse_version,
};
use evictd_containers::{Item, Unread};
use evictd_fuzz::in_bounded_memory;
use libfuzzer_sys::fuzz_target;

/// What a field holds; of numbers that CRI has not, nothing.
#[derive(Debug, PartialEq)]
enum Held {
    Number(u64),
    Bytes(Vec<u8>),
}

/// Reads a message to its end, in bounded memory.
fn read<T>(mut message: &[u8], read: impl FnOnce(&mut Reader<'_>) -> io::Result<T>) -> T {
    let length = message.len();
    let mut reader = Reader::new(&mut message, length);
    let result = in_bounded_memory(|| read(&mut reader));
    if let Some(fault) = reader.take_fault() {
        assert!(!fault.to_string().is_empty());
    }
    assert!(message.is_empty(), "all of it is read or skipped");
    result.expect("all of it is there")
}

/// The fields that [`Writer`] writes, and which are not as if they were not there; `None`
/// where not all could be read.
fn written(message: &[u8]) -> Option<Vec<(u32, Held)>> {
    read(message, |reader| {
        let (whole, mut fields) = (reader.whole(), Vec::new());
        reader.message(whole, &mut |reader, number, value| {
            assert!(number > 0);
            let number_held = reader.number(value);
            match number_held {
                Some(0) => {}
                Some(held) => fields.push((number, Held::Number(held))),
                None => {
                    reader.take_fault();
                    let bytes = reader.prefix(value, usize::MAX)?;
                    // It was neither.
                    if reader.take_fault().is_none() {
                        fields.push((number, Held::Bytes(bytes)));
                    }
                }
            }
            Ok(())
        })?;
        Ok(reader.take_fault().is_none().then_some(fields))
    })
}

fn round_trip(message: &[u8]) {
    let Some(fields) = written(message) else {
        return;
    };
    let mut writer = Writer::default();
    for (number, held) in &fields {
        match held {
            Held::Number(held) => writer.number(*number, *held),
            Held::Bytes(bytes) => writer.bytes(*number, bytes),
        };
    }
    let again = writer.into_bytes();
    assert!(again.len() <= message.len());
    assert_eq!(written(&again), Some(fields));
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
    let told = read(&request, |reader| {
        let (whole, mut told) = (reader.whole(), Some(String::new()));
        reader.message(whole, &mut |reader, number, value| {
            if number == 2 {
                told = reader.text(value, 4096)?;
            }
            Ok(())
        })?;
        Ok(told)
    });
    assert_eq!(told.as_deref(), (text.len() <= 4096).then_some(&*text));
}

fn list<T: Item>(message: &[u8], parse: Parse<T>) {
    let (mut unread, mut count) = (Unread::default(), 0);
    let _ = read(message, |reader| {
        parse_list(reader, parse, &mut |item, part| {
            if let Some(item) = unread.take(item, part) {
                assert!((1..=1024).contains(&item.id().len()));
                count += 1;
            }
        })
    });
    assert!(count <= message.len());
    let notes = unread.into_notes();
    assert!(notes.len() <= 51);
    assert!(notes.iter().all(|note| !note.contains(char::is_control)));
}

fuzz_target!(|message: &[u8]| {
    round_trip(message);
    request(message);
    list(message, parse_container);
    list(message, parse_sandbox);
    list(message, parse_image);
    list(message, parse_layer);
    read(message, parse_status);
    read(message, parse_disks);
    read(message, parse_image_id);
    read(message, parse_version);
    assert!(read(message, |reader| parse_info(reader, "info")).len() <= message.len());
});
