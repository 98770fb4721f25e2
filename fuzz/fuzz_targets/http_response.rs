//! HTTP answers: no panic; how the bytes are split changes nothing, neither the
//! answer nor what is wrong with it and where; no answer is longer than the limit,
//! and none takes more bytes than there are.
#![no_main]

use evictd_containers::docker_api::{HttpError, MAX_BODY_BYTES, Response, ResponseReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (piece, text) = input;
    let whole = read(text, text.len().max(1));
    assert_eq!(read(text, usize::from(piece).max(1)), whole);
    assert_eq!(read(text, 1), whole);
    match whole {
        Ok((response, taken)) => {
            assert!(taken <= text.len());
            assert!(response.body.len() <= MAX_BODY_BYTES);
            assert!((200..600).contains(&response.status));
            // What came before the end is an answer by itself.
            assert_eq!(read(&text[..taken], 7), Ok((response, taken)));
        }
        Err(error) => {
            assert!(error.position <= text.len());
            assert!(!error.to_string().is_empty());
        }
    }
});

fn read(text: &[u8], piece: usize) -> Result<(Response, usize), HttpError> {
    let mut reader = ResponseReader::default();
    let mut taken = 0;
    for piece in text.chunks(piece) {
        let part = reader.feed(piece)?;
        assert!(part == piece.len() || reader.is_done());
        taken += part;
    }
    Ok((reader.finish()?, taken))
}
