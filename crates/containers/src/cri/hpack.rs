//! Header fields as HTTP/2 carries them (HPACK, RFC 7541), without the table that
//! both sides could keep: ours is announced to hold nothing.

use super::writer::push_varint;

/// The header fields that a gRPC answer is understood by: those of [`READ`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields([Option<Vec<u8>>; READ.len()]);

const READ: [&str; 4] = [":status", "content-type", "grpc-status", "grpc-message"];

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&Vec<u8>> {
        let place = READ.iter().position(|known| *known == name)?;
        self.0.get(place)?.as_ref()
    }

    pub(super) fn set(&mut self, name: &[u8], value: Vec<u8>) {
        let mut all = READ.iter().zip(&mut self.0);
        if let Some((_, field)) = all.find(|(known, _)| known.as_bytes() == name) {
            *field = Some(value);
        }
    }
}

/// The values of `:status` that the specification numbers, from 8 on.
const STATUSES: [&[u8]; 7] = [b"200", b"204", b"206", b"304", b"400", b"404", b"500"];

/// A field that the specification itself numbers, name and value; empty for those that no
/// answer needs.
fn numbered(index: usize) -> Option<(&'static [u8], &'static [u8])> {
    let status = index.checked_sub(8).and_then(|place| STATUSES.get(place));
    match (index, status) {
        (_, Some(status)) => Some((b":status", status)),
        (31, _) => Some((b"content-type", b"")),
        (1..=61, _) => Some((b"", b"")),
        _ => None,
    }
}

/// Writes a field as it is, so that it needs no table.
pub(super) fn write_field(name: &str, value: &str, block: &mut Vec<u8>) {
    block.push(0);
    for text in [name, value] {
        match u8::try_from(text.len()) {
            Ok(length @ ..0x7f) => block.push(length),
            _ => {
                block.push(0x7f);
                push_varint(block, text.len().saturating_sub(0x7f));
            }
        }
        block.extend_from_slice(text.as_bytes());
    }
}

/// Reads a whole block of header fields into those that are known; `None` where it is not
/// in form, or counts on a table.
pub(super) fn read_block(block: &[u8], fields: &mut Fields) -> Option<()> {
    let mut reader = Reader { rest: block };
    while let Some(first) = reader.rest.first().copied() {
        if first & 0x80 != 0 {
            let (name, value) = numbered(reader.number(7)?)?;
            fields.set(name, value.to_vec());
            continue;
        }
        if first & 0xe0 == 0x20 {
            // The size of the table: it holds nothing whatever is said of it.
            reader.number(5)?;
            continue;
        }
        let index = reader.number(if first & 0x40 == 0 { 4 } else { 6 })?;
        if index == 0 {
            let name = reader.text()?;
            fields.set(&name, reader.text()?);
        } else {
            fields.set(numbered(index)?.0, reader.text()?);
        }
    }
    Some(())
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// A number that begins in the low `bits` of a byte; none is larger than 2^28
    /// here.
    fn number(&mut self, bits: u32) -> Option<usize> {
        let most = (1_usize << bits).saturating_sub(1);
        let mut number = usize::from(self.byte()?) & most;
        if number < most {
            return Some(number);
        }
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            number = number.saturating_add(usize::from(byte & 0x7f) << shift);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<Vec<u8>> {
        let is_coded = self.rest.first()? & 0x80 != 0;
        let length = self.number(7)?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        if is_coded {
            decode(text)
        } else {
            Some(text.to_vec())
        }
    }
}

/// The letters by the length of their codes, from 5 bits on: RFC 7541, appendix B,
/// as far as printable ASCII goes. Within a length the codes count up in this order,
/// and each length goes on where the last one stopped.
const LETTERS: [&[u8]; 11] = [
    b"012aceiost",
    b" %-./3456789=A_bdfghlmnpru",
    b":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz",
    b"&*,;XZ",
    b"",
    b"!\"()?",
    b"'+|",
    b"#>",
    b"\0$@[]~",
    b"^}",
    b"<`{",
];

/// Decodes a text. One with letters beyond printable ASCII, which gRPC has no use
/// for, reads as `?` as a whole.
pub(super) fn decode(coded: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut bits = coded
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    'letters: loop {
        // A code so far, the first code of its length, and whether it is all ones.
        let (mut code, mut first, mut ones, mut count) = (0_usize, 0_usize, true, 0_u32);
        for length in 1..16_usize {
            let Some(bit) = bits.next() else {
                // What fills up the last byte begins like no letter.
                return (ones && count < 8).then_some(text);
            };
            ones &= bit == 1;
            count = count.saturating_add(1);
            code = code << 1 | usize::from(bit);
            first <<= 1;
            let Some(letters) = length.checked_sub(5).and_then(|index| LETTERS.get(index)) else {
                continue;
            };
            if let Some(letter) = code.checked_sub(first).and_then(|place| letters.get(place)) {
                text.push(*letter);
                continue 'letters;
            }
            first = first.saturating_add(letters.len());
        }
        return Some(b"?".to_vec());
    }
}
