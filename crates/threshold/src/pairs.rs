use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::{Error, ErrorKind, List};

/// One `key<value` or `key=value` of a list, blanks around both cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The text before the first separator.
    pub key: String,
    /// The text after it.
    pub value: String,
    /// The byte in the list's text where the pair begins.
    pub at: usize,
}

/// A comma-separated list of pairs, each key once: the last of a key wins and
/// takes the place of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    pairs: Vec<Pair>,
}

impl Pairs {
    /// Splits a flag's text at commas, then each piece at its first separator
    /// (`<` for thresholds, `=` for the rest). Empty pieces are skipped.
    ///
    /// # Errors
    /// A piece without separator, blanks included:
    /// [`ErrorKind::MalformedPair`].
    pub fn parse(list: List, text: &str) -> Result<Self, Error> {
        let mut pairs = Self::default();
        let mut at = 0;
        for piece in text.split(',') {
            if !piece.is_empty() {
                let (key, value) = piece
                    .split_once(list.separator())
                    .ok_or_else(|| Error::new(list, ErrorKind::MalformedPair, piece, at))?;
                pairs.put(key.trim(), value.trim(), at);
            }
            at = at.saturating_add(piece.len()).saturating_add(1);
        }
        Ok(pairs)
    }

    /// Puts a pair, as a configuration file's map gives it.
    pub fn put(&mut self, key: &str, value: &str, at: usize) {
        let pair = Pair {
            key: key.to_string(),
            value: value.to_string(),
            at,
        };
        match self.pairs.iter_mut().find(|p| p.key == key) {
            Some(former) => *former = pair,
            None => self.pairs.push(pair),
        }
    }

    /// The pairs, in the order in which their keys first appeared.
    pub fn iter(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter()
    }

    /// The pair with that key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Pair> {
        self.pairs.iter().find(|pair| pair.key == key)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}
