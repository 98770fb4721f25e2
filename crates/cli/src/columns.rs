//! Text in columns and paragraphs.

use core::fmt::{self, Write};

use evictd_config::help::{self, WIDTH};
use evictd_plain::Plain;

/// A table whose columns are as wide as their contents.
pub(crate) struct Columns {
    rows: Vec<Vec<String>>,
    /// The columns that are flush right.
    right: &'static [usize],
}

impl Columns {
    /// A table with these headings; these columns are flush right.
    pub(crate) fn new(headings: &[&str], right: &'static [usize]) -> Self {
        let headings = headings.iter().map(|heading| (*heading).to_owned());
        let rows = vec![headings.collect()];
        Self { rows, right }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        let plain = cells.into_iter().map(|cell| Plain(cell).to_string());
        self.rows.push(plain.collect());
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for cells in &self.rows {
            let mut row = String::new();
            for (column, cell) in cells.iter().enumerate() {
                // Not by a width for the formatter, which takes none beyond 65,535.
                let missing = self.width(column).saturating_sub(cell.chars().count());
                let blanks = " ".repeat(missing);
                if self.right.contains(&column) {
                    write!(row, "{blanks}{cell} ")?;
                } else {
                    write!(row, "{cell}{blanks} ")?;
                }
            }
            writeln!(f, "{}", row.trim_end())?;
        }
        Ok(())
    }
}

/// Adds a paragraph, broken at blanks to fit the terminal; the first line begins
/// with the first of the indents, the others with the second.
pub(crate) fn wrap(text: &mut String, indents: (&str, &str), paragraph: &str) {
    wrap_within(text, WIDTH, indents, paragraph);
}

/// Like [`wrap`], for a terminal of that width.
pub(crate) fn wrap_within(text: &mut String, width: usize, indents: (&str, &str), paragraph: &str) {
    help::wrap(text, width, indents, &Plain(paragraph).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_of_any_length_is_shown() {
        let mut table = Columns::new(&["NAME", "LEFT"], &[1]);
        let long = "9".repeat(100_000);
        table.row(vec![long.clone(), "1".to_owned()]);
        table.row(vec!["a".to_owned(), long.clone()]);
        let blanks = |short: usize| " ".repeat(100_000 - short);
        let expected = format!(
            "NAME{} {}LEFT\n{long} {}1\na{} {long}\n",
            blanks(4),
            blanks(4),
            blanks(1),
            blanks(1)
        );
        assert!(table.to_string() == expected);
    }
}
