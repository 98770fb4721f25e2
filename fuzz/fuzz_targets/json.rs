//! JSON value by value: no panic; how the bytes are split changes nothing; what serde_json reads
//! is read; what follows a value that is skipped is read as if it had been asked for; no
//! document takes much memory.
#![no_main]
// options: -max_len=1048576
// parses: crates/json/src/bytes.rs
// parses: crates/json/src/lib.rs
// parses: crates/json/src/text.rs
// parses: crates/json/src/word.rs

use std::io::BufReader;

use evictd_fuzz::in_bounded_memory;
use evictd_json::{Json, ReadError};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// What is read of a document that is an object of objects: the fields that are asked for.
type Told = (u64, Vec<(String, String)>, i64, Option<Box<str>>);

fn read(text: &[u8], piece: usize) -> Result<Told, ReadError> {
    let mut json = Json::new(BufReader::with_capacity(piece, text));
    let (mut count, mut texts, mut sum) = (0, Vec::new(), 0_i64);
    json.object(|json, key| {
        count += 1;
        match key.len() % 5 {
            0 => {
                if let Some(text) = json.text(64)? {
                    assert!(text.len() <= 64 && key.len() <= 1024);
                    if texts.len() < 1000 {
                        texts.push((key.to_owned(), text));
                    }
                }
            }
            1 => sum = sum.wrapping_add(json.number()?.unwrap_or(1)),
            2 => sum = sum.wrapping_add(json.boolean()?.map_or(2, i64::from)),
            3 => {
                json.array(|json| {
                    count += 1;
                    json.number::<u16>().map(drop)
                })?;
            }
            _ => {}
        }
        Ok(())
    })?;
    json.end()?;
    Ok((count, texts, sum, json.fault()))
}

/// Whether the document is cut off, and at which byte it ends or is no JSON.
fn place_of(error: &ReadError) -> Option<(bool, u64)> {
    match error {
        ReadError::NotJson { at } => Some((false, *at)),
        ReadError::CutOff { at } => Some((true, *at)),
        _ => None,
    }
}

fuzz_target!(|input: (u8, &[u8])| {
    let (piece, text) = input;
    let whole = in_bounded_memory(|| read(text, 1 << 16));
    match (read(text, usize::from(piece).max(1)), whole) {
        (Ok(pieces), Ok(whole)) => {
            assert!(whole.0 <= text.len() as u64);
            assert_eq!(pieces, whole);
        }
        (pieces, whole) => {
            let place = pieces.err().and_then(|error| place_of(&error));
            assert!(place.is_some_and(|(_, at)| at <= text.len() as u64));
            assert_eq!(place, whole.err().and_then(|error| place_of(&error)));
            let is_json = text.len() < 4096 && serde_json::from_slice::<Value>(text).is_ok();
            assert!(!is_json, "{place:?}");
        }
    }
});
