//! Lines that fit, and their colours.

use crate::screen::{Paint, cut};

/// How it is drawn.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) paint: Paint,
    /// Whether the terminal has block elements.
    pub(super) blocks: bool,
}

impl Style {
    /// A letter as high as that share.
    pub(super) fn height(self, percent: u8) -> char {
        let letters = if self.blocks {
            "▁▂▃▄▅▆▇█"
        } else {
            "_.,-~=*#"
        };
        // The highest is for what is met.
        let at = usize::from(percent) * 7 / 100;
        letters.chars().nth(at).unwrap_or(' ')
    }
}

/// A piece of a line, in one colour.
pub(super) struct Cell {
    text: String,
    look: fn(Paint, &str) -> String,
}

impl Cell {
    pub(super) fn plain(text: String) -> Self {
        let look = |_: Paint, text: &str| text.to_owned();
        Self { text, look }
    }

    pub(super) fn head(text: &str) -> Self {
        let text = text.to_owned();
        let look = Paint::head;
        Self { text, look }
    }

    pub(super) fn bad(text: String) -> Self {
        let look = Paint::bad;
        Self { text, look }
    }

    pub(super) fn warn(text: String) -> Self {
        let look = Paint::warn;
        Self { text, look }
    }
}

/// A line of the screen.
#[derive(Default)]
pub(super) struct Line(Vec<Cell>);

impl Line {
    pub(super) fn of(cell: Cell) -> Self {
        Self(vec![cell])
    }

    pub(super) fn push(&mut self, cell: Cell) {
        self.0.push(cell);
    }

    /// No wider than that, nothing in it but letters, and then the colours.
    pub(super) fn within(&self, columns: usize, paint: Paint) -> String {
        let mut left = columns;
        let mut line = String::new();
        for cell in &self.0 {
            if left == 0 {
                break;
            }
            let text = cut(&cell.text, left);
            left = left.saturating_sub(text.chars().count());
            line += &(cell.look)(paint, &text);
        }
        line.truncate(line.trim_end().len());
        line
    }
}
