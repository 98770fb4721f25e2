use alloc::vec::Vec;

use super::{HttpErrorKind, MAX_BODY_BYTES};

/// How much may stand beside a chunk's size, and after the last chunk: bytes
/// that nobody reads.
const MAX_UNREAD: usize = 8 << 10;

/// Where in a chunked body the next byte stands (RFC 9112, section 7.1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunks {
    place: Place,
    unread: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the digits of a size.
    Size {
        value: usize,
        digits: u8,
    },
    /// Behind them, before the end of the line.
    Extension(usize),
    /// At the line feed behind a size.
    SizeEnd(usize),
    /// Before so many bytes of data.
    Data(usize),
    /// At the line end behind the data.
    DataEnd,
    DataFeed,
    /// At the start of a line behind the last chunk.
    Trailer,
    /// Within it.
    TrailerLine,
    /// At the very last line feed.
    LastFeed,
    Done,
}

const SIZE: Place = Place::Size {
    value: 0,
    digits: 0,
};

impl Default for Chunks {
    fn default() -> Self {
        Self {
            place: SIZE,
            unread: 0,
        }
    }
}

impl Chunks {
    pub(super) const fn is_done(&self) -> bool {
        matches!(self.place, Place::Done)
    }

    /// Takes one byte, or as many as are data; returns how many.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        body: &mut Vec<u8>,
    ) -> Result<usize, HttpErrorKind> {
        if let Place::Data(left) = self.place {
            let part = bytes.get(..left.min(bytes.len())).unwrap_or_default();
            body.extend_from_slice(part);
            self.place = match left - part.len() {
                0 => Place::DataEnd,
                left => Place::Data(left),
            };
            return Ok(part.len());
        }
        let Some(byte) = bytes.first() else {
            return Ok(0);
        };
        self.place = self.after(*byte, body.len())?;
        Ok(1)
    }

    fn after(&mut self, byte: u8, held: usize) -> Result<Place, HttpErrorKind> {
        Ok(match (self.place, byte) {
            (Place::Size { digits: 1.., value }, b'\r') | (Place::Extension(value), b'\r') => {
                Place::SizeEnd(value)
            }
            (Place::Size { digits: 1.., value }, b';' | b' ' | b'\t') => Place::Extension(value),
            (Place::Size { value, digits }, _) => size(value, digits, byte, held)?,
            (Place::Extension(value), _) => self.pass_over(Place::Extension(value))?,
            (Place::SizeEnd(0), b'\n') | (Place::TrailerLine, b'\n') => Place::Trailer,
            (Place::SizeEnd(value), b'\n') => Place::Data(value),
            (Place::DataEnd, b'\r') => Place::DataFeed,
            (Place::DataFeed, b'\n') => SIZE,
            (Place::Trailer, b'\r') => Place::LastFeed,
            (Place::Trailer | Place::TrailerLine, _) => self.pass_over(Place::TrailerLine)?,
            (Place::LastFeed, b'\n') => Place::Done,
            (
                Place::SizeEnd(_)
                | Place::Data(_)
                | Place::DataEnd
                | Place::DataFeed
                | Place::LastFeed
                | Place::Done,
                _,
            ) => return Err(HttpErrorKind::Chunk),
        })
    }

    const fn pass_over(&mut self, place: Place) -> Result<Place, HttpErrorKind> {
        self.unread += 1;
        if self.unread > MAX_UNREAD {
            return Err(HttpErrorKind::Chunk);
        }
        Ok(place)
    }
}

/// One more digit of a size; `held` bytes of the body are there already.
fn size(value: usize, digits: u8, byte: u8, held: usize) -> Result<Place, HttpErrorKind> {
    let digit = char::from(byte).to_digit(16).ok_or(HttpErrorKind::Chunk)?;
    let digit = usize::try_from(digit).map_err(|_| HttpErrorKind::Chunk)?;
    // Bounded by the check below, digit by digit.
    let value = value * 16 + digit;
    if value > MAX_BODY_BYTES.saturating_sub(held) {
        return Err(HttpErrorKind::TooLong);
    }
    let digits = digits.checked_add(1).ok_or(HttpErrorKind::Chunk)?;
    Ok(Place::Size { value, digits })
}
