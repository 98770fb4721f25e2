use alloc::string::ToString;
use alloc::vec::Vec;

use evictd_node::Signal;

use crate::error::{Error, List, Pair};

/// A comma-separated list of pairs, each key once: the last of a key wins and
/// takes the place of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    pairs: Vec<Pair>,
}

impl Pairs {
    /// Splits a flag's text at commas, then each piece at its first separator
    /// (`<` for thresholds, `>` for those of a signal that grows with the trouble, `=` for the
    /// rest). Empty pieces are skipped.
    ///
    /// # Errors
    /// A piece without separator, blanks included:
    /// [`ErrorKind::MalformedPair`](crate::ErrorKind::MalformedPair).
    pub fn parse(list: List, text: &str) -> Result<Self, Error> {
        let blanks = |text: &str| text.len().saturating_sub(text.trim_start().len());
        let mut pairs = Self::default();
        let mut at: usize = 0;
        for piece in text.split(',') {
            if !piece.is_empty() {
                let (key, separator, value) =
                    split(list, piece).ok_or_else(|| Error::malformed(list, piece, at))?;
                let separated = at.saturating_add(key.len()).saturating_add(1);
                pairs.put(Pair {
                    key: key.trim().to_string(),
                    value: value.trim().to_string(),
                    separator,
                    at: at.saturating_add(blanks(key)),
                    value_at: separated.saturating_add(blanks(value)),
                });
            }
            at = at.saturating_add(piece.len()).saturating_add(1);
        }
        Ok(pairs)
    }

    fn put(&mut self, pair: Pair) {
        match self.pairs.iter_mut().find(|former| former.key == pair.key) {
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
}

fn split(list: List, piece: &str) -> Option<(&str, char, &str)> {
    let at = |sign: char| {
        let (key, value) = piece.split_once(sign)?;
        Some((key, sign, value))
    };
    let grows = |key: &str| Signal::from_name(key.trim()).is_some_and(Signal::grows_with_trouble);
    let greater = || at('>').filter(|(key, ..)| list.separator() == '<' && grows(key));
    at(list.separator()).or_else(greater)
}
