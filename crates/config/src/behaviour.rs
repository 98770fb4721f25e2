//! What `--compat` asks for, read from the flag and the files.

use crate::book::Book;
use crate::compat::{Compat, Difference};
use crate::typed::Facts;
use crate::values::{Parsed, did_you_mean};
use crate::{ConfigError, Origin};

const FLAG: &str = "compat";

/// What `--compat` and the files come to.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    pub(crate) compat: Compat,
    differences: Vec<Difference>,
}

impl Behaviour {
    /// Reads the flag, and notes whose behaviour it is and each difference.
    pub(crate) fn read(book: &mut Book<'_>) -> Parsed<Self> {
        let (text, origin) = book.text(FLAG);
        let (compat, given) = parse(text)?;
        book.note(FLAG, &text, origin);
        let facts = book.typed.facts;
        let mut differences = Vec::new();
        for difference in Difference::ALL {
            let (is_on, from) = match given.contains(&difference) {
                true => (true, origin),
                false => otherwise(difference, compat, facts),
            };
            book.note(difference.setting(), &is_on, from);
            if is_on {
                differences.push(difference);
            }
        }
        Ok(Self {
            compat,
            differences,
        })
    }

    /// Whether evictd does so.
    pub(crate) fn has(&self, difference: Difference) -> bool {
        self.differences.contains(&difference)
    }
}

/// Whether a difference that the flag does not name is on: by the feature gate, or as that
/// kubelet does.
fn otherwise(difference: Difference, compat: Compat, facts: Facts) -> (bool, Origin) {
    match (difference, facts.hugepage_aware, compat) {
        (Difference::NoHugepageAware, Some(is_aware), _) => (
            !is_aware,
            Origin::File("featureGates.HugepageAwareEviction"),
        ),
        (_, _, Compat::Evictd) => (false, Origin::Default),
        (_, _, Compat::Kubelet(version)) => (difference.is_of(version), Origin::Compat),
    }
}

/// Whose behaviour, and the differences: `kubelet-1.34`, `evictd,keep-build-cache`,
/// `keep-build-cache`.
fn parse(text: &str) -> Parsed<(Compat, Vec<Difference>)> {
    let mut compat = Compat::Evictd;
    let mut differences = Vec::new();
    let mut at: usize = 0;
    for word in text.split(',') {
        match (Difference::from_word(word), Compat::from_word(word)) {
            (Some(difference), _) => differences.push(difference),
            (None, Some(whose)) if at == 0 => compat = whose,
            (None, Some(_)) => {
                let message = format!("{word} stands behind another word");
                let hint =
                    format!("write --{FLAG}={word},DIFFERENCE,...: whose behaviour is first");
                return Err(ConfigError::new(FLAG, (word, at), message, hint));
            }
            (None, None) => return Err(unknown(word, at)),
        }
        at = at.saturating_add(word.len()).saturating_add(1);
    }
    Ok((compat, differences))
}

fn unknown(word: &str, at: usize) -> Box<ConfigError> {
    let differences = Difference::ALL.map(Difference::word);
    let meant = did_you_mean(word, Compat::WORDS.into_iter().chain(differences));
    let (whose, differences) = (Compat::WORDS.join(", "), differences.join(", "));
    let hint = format!("{meant}first whose behaviour: {whose}; then differences: {differences}");
    ConfigError::new(FLAG, (word, at), format!("unknown value {word:?}"), hint)
}
