//! `--debug`: what a developer switches off. No help shows it.

use crate::ConfigError;
use crate::book::Book;
use crate::values::{Parsed, did_you_mean};

/// What is switched off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Debug {
    /// The daemon keeps all its privileges.
    pub(crate) no_sandbox: bool,
    /// The loop runs at the usual priority.
    pub(crate) no_realtime: bool,
    /// The kernel does not wake the loop: memory is measured by time alone.
    pub(crate) no_kernel_notices: bool,
}

pub(crate) fn read(book: &mut Book<'_>) -> Parsed<Debug> {
    const FLAG: &str = "debug";
    const WORDS: [&str; 3] = ["no-sandbox", "no-realtime", "no-kernel-notices"];
    let text = book.texts(FLAG).join(",");
    let mut debug = Debug::default();
    for word in text.split(',').filter(|word| !word.is_empty()) {
        match word {
            "no-sandbox" => debug.no_sandbox = true,
            "no-realtime" => debug.no_realtime = true,
            "no-kernel-notices" => debug.no_kernel_notices = true,
            _ => {
                let message = format!("unknown value {word:?}");
                let hint = format!(
                    "{}values are {}",
                    did_you_mean(word, WORDS),
                    WORDS.join(", ")
                );
                return Err(ConfigError::new(FLAG, (word, 0), message, hint));
            }
        }
    }
    book.note(FLAG, &text, book.typed.origin(FLAG));
    Ok(debug)
}
