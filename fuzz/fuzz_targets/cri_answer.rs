//! The one message of a gRPC answer: the same however it is cut up, never longer than
//! allowed, and exactly what its head announces.
#![no_main]

use evictd_containers::cri_api::AnswerReader;
use libfuzzer_sys::fuzz_target;

const MOST: usize = 200;

fn read(bytes: &[u8], piece: usize) -> Result<Vec<u8>, Box<str>> {
    let mut reader = AnswerReader::new(MOST);
    for piece in bytes.chunks(piece) {
        reader.push(piece)?;
    }
    reader.finish()
}

fuzz_target!(|input: &[u8]| {
    let Some((piece, bytes)) = input.split_first() else {
        return;
    };
    let whole = read(bytes, bytes.len().max(1));
    let pieces = read(bytes, usize::from(*piece).max(1));
    assert_eq!(whole.is_ok(), pieces.is_ok());
    if let Ok(message) = &whole {
        assert_eq!(pieces.as_ref(), Ok(message));
        assert!(message.len() <= MOST);
        assert_eq!(bytes[0], 0);
        assert_eq!(bytes[5..], **message);
        let length = u32::try_from(message.len()).unwrap();
        assert_eq!(bytes[1..5], length.to_be_bytes());
    }
});
