//! Colours and columns for a person at a terminal.

use std::io::{IsTerminal, stdout};

use evictd_plain::Plain;
use rustix::termios::tcgetwinsize;

use super::columns::wrap_within;

/// How to mark words: with colours on a terminal, unless `NO_COLOR` is set.
#[derive(Clone, Copy, Default)]
pub(crate) struct Paint {
    colour: bool,
}

impl Paint {
    #[cfg(test)]
    pub(crate) const NONE: Self = Self { colour: false };
    #[cfg(test)]
    pub(crate) const COLOURS: Self = Self { colour: true };

    /// For standard output as it is.
    pub(crate) fn for_stdout() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            colour: !refused && stdout().is_terminal(),
        }
    }

    /// Something is wrong.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with("31;1", text)
    }

    /// Something is close to wrong.
    pub(crate) fn warn(self, text: &str) -> String {
        self.with("33", text)
    }

    /// All is well.
    pub(crate) fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// A heading.
    pub(crate) fn head(self, text: &str) -> String {
        self.with("1", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// The text with its lines broken at blanks where a terminal shows it, each as far in as it begins
/// or farther; for anything else as it is, a line for each thing.
pub(crate) fn for_terminal(text: &str) -> String {
    match tcgetwinsize(stdout()) {
        Ok(size) if size.ws_col > 0 => folded(text, usize::from(size.ws_col)),
        _ => text.to_owned(),
    }
}

fn folded(text: &str, width: usize) -> String {
    let mut folded = String::new();
    for line in text.lines() {
        let words = line.trim_start();
        let indent = " ".repeat(line.len().saturating_sub(words.len()));
        // What fits stays as it is, colours too.
        if line.chars().count() <= width {
            folded += line;
            folded.push('\n');
        } else {
            let deeper = format!("{indent}  ");
            wrap_within(&mut folded, width, (&indent, &deeper), words);
        }
    }
    folded
}

/// A name from outside, cut to so many characters, with `~` where something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let text = Plain(text).to_string();
    if text.chars().count() <= width {
        return text;
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('~');
    cut
}

/// A bar of what is used, with `|` where a threshold lies: `#####.....|..`.
pub(crate) fn bar(used: f64, threshold: Option<f64>, width: u32) -> String {
    let place = |share: f64| share.clamp(0.0, 1.0) * f64::from(width);
    let mark = threshold.map(place);
    let cell = |at: u32| {
        let at = f64::from(at);
        match mark {
            Some(mark) if mark >= at && mark < at + 1.0 => '|',
            _ if at + 0.5 <= place(used) => '#',
            _ => '.',
        }
    };
    (0..width).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 383.
    #[test]
    fn what_is_too_wide_for_a_terminal_is_broken_at_blanks() {
        let text = "short\n    the pod uses 680Mi, priority 0\n";
        assert_eq!(folded(text, 40), text);
        let broken = "short\n    the pod uses\n      680Mi,\n      priority 0\n";
        assert_eq!(folded(text, 17), broken);
        assert_eq!(folded("one_long_word_alone\n", 4), "one_long_word_alone\n");
    }
}
