use alloc::boxed::Box;
use alloc::vec::Vec;

/// The longest answer that is read: what ten thousand containers take. gRPC's own
/// default is a quarter of it, the kubelet's as much.
pub const MOST_ANSWER_BYTES: usize = 16 << 20;

/// A flag and a length stand before each message of gRPC.
const HEAD_BYTES: usize = 5;

/// Takes the one message of a unary gRPC call's answer out of what HTTP/2 carried,
/// in whatever pieces it comes. It never holds more than the message may have.
///
/// ```
/// use evictd_containers::cri_api::AnswerReader;
///
/// let mut reader = AnswerReader::new(1024);
/// reader.push(&[0, 0, 0, 0, 2, 8])?;
/// reader.push(&[1])?;
/// assert_eq!(reader.finish()?, [8, 1]);
/// # Ok::<(), Box<str>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnswerReader {
    most: usize,
    head: Vec<u8>,
    body: Vec<u8>,
    /// Of the body, once the head is there.
    length: Option<usize>,
}

impl AnswerReader {
    /// For a message of at most that many bytes.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self {
            most,
            head: Vec::new(),
            body: Vec::new(),
            length: None,
        }
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// When the message is compressed, too long, or another one follows: what is
    /// odd, in words.
    pub fn push(&mut self, mut piece: &[u8]) -> Result<(), Box<str>> {
        let missing = HEAD_BYTES.saturating_sub(self.head.len());
        let (head, rest) = piece.split_at(missing.min(piece.len()));
        self.head.extend_from_slice(head);
        piece = rest;
        if self.length.is_none() {
            let Some(length) = self.read_head()? else {
                return Ok(());
            };
            self.length = Some(length);
            // Once, instead of ever larger pieces; what is not written costs nothing.
            self.body.reserve_exact(length);
        }
        let room = self.length.unwrap_or(0).saturating_sub(self.body.len());
        if piece.len() > room {
            return Err("more than one message".into());
        }
        self.body.extend_from_slice(piece);
        Ok(())
    }

    fn read_head(&self) -> Result<Option<usize>, Box<str>> {
        let Ok([flag, length @ ..]) = <[u8; HEAD_BYTES]>::try_from(self.head.as_slice()) else {
            return Ok(None);
        };
        match flag {
            0 => {}
            1 => return Err("a compressed message, which nobody asked for".into()),
            _ => return Err("a message with an unknown flag".into()),
        }
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        if length > self.most {
            let most = self.most;
            return Err(format!("a message of {length} bytes; at most {most} are read").into());
        }
        Ok(Some(length))
    }

    /// The message, when all has come.
    ///
    /// # Errors
    /// When a part is missing, or all of it.
    pub fn finish(self) -> Result<Vec<u8>, Box<str>> {
        match self.length {
            Some(length) if length == self.body.len() => Ok(self.body),
            Some(length) => {
                let there = self.body.len();
                Err(format!("a message of {length} bytes ends after {there}").into())
            }
            None => Err("no message".into()),
        }
    }
}
