//! Header fields.

use crate::cri::hpack::{Fields, decode, read_block, write_field};

fn parse_block(block: &[u8]) -> Option<Fields> {
    let mut fields = Fields::default();
    read_block(block, &mut fields).map(|()| fields)
}

fn fields(of: &[(&str, &[u8])]) -> Fields {
    let mut fields = Fields::default();
    for (name, value) in of {
        fields.set(name.as_bytes(), value.to_vec());
    }
    fields
}

/// RFC 7541, appendix C.4 and C.6.
#[test]
fn coded_texts() {
    for (coded, text) in [
        ("f1e3c2e5f23a6ba0ab90f4ff", "www.example.com"),
        ("a8eb10649cbf", "no-cache"),
        ("25a849e95ba97d7f", "custom-key"),
        ("25a849e95bb8e8b4bf", "custom-value"),
        ("6402", "302"),
        ("aec3771a4b", "private"),
        (
            "d07abe941054d444a8200595040b8166e082a62d1bff",
            "Mon, 21 Oct 2013 20:13:21 GMT",
        ),
        (
            "9d29ad171863c78f0b97c8e9ae82ae43d3",
            "https://www.example.com",
        ),
        ("", ""),
        ("fffffe", "?"),
    ] {
        let bytes: Vec<u8> = (0..coded.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(coded.get(at..at + 2).unwrap(), 16).unwrap())
            .collect();
        assert_eq!(decode(&bytes).as_deref(), Some(text.as_bytes()), "{text}");
    }
    assert_eq!(decode(&[0xff]), None, "eight bits that fill up nothing");
    assert_eq!(decode(&[0x1e]), None, "not filled up with ones");
}

#[test]
fn blocks() {
    let status = fields(&[(":status", b"200")]);
    assert_eq!(parse_block(&[0x88]), Some(status.clone()));
    assert_eq!(
        parse_block(&[0x20, 0x3f, 0xe1, 0x1f, 0x88, 0x90]),
        Some(status.clone())
    );
    let mut block = vec![0x48, 3];
    block.extend(b"200");
    assert_eq!(parse_block(&block), Some(status));
    let mut block = vec![0x5f, 1, b'x'];
    let long = "m".repeat(300);
    write_field("grpc-message", &long, &mut block);
    write_field("grpc-status", "5", &mut block);
    write_field("other", "5", &mut block);
    let expected = fields(&[
        ("content-type", b"x"),
        ("grpc-message", long.as_bytes()),
        ("grpc-status", b"5"),
    ]);
    assert_eq!(parse_block(&block), Some(expected));
    for odd in [
        &[0x80][..],
        &[0xbe],
        &[0x7e],
        &[0x40],
        &[0, 5, b'x'],
        &[0xff, 0xff, 0xff, 0xff, 0xff, 1],
    ] {
        assert_eq!(parse_block(odd), None, "{odd:?}");
    }
}
