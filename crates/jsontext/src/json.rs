use alloc::string::String;
use core::fmt::{self, Display, Write};

use crate::escape::Escape;

/// An object that is being written.
///
/// Members are given with their key; what is in an array is an item, without.
/// None of it is generic or inlined: a program has many calls of each.
#[derive(Debug)]
pub struct Json {
    text: String,
}

impl Json {
    /// An object without members yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            text: String::from("{"),
        }
    }

    /// A string.
    #[inline(never)]
    pub fn text(&mut self, key: &str, value: &str) {
        self.show(key, &value);
    }

    /// A string, or `null`.
    #[inline(never)]
    pub fn opt_text(&mut self, key: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(key, value),
            None => self.null(key),
        }
    }

    /// What is displayed, as a string.
    #[inline(never)]
    pub fn show(&mut self, key: &str, value: &dyn Display) {
        self.key(key);
        self.quote(value);
    }

    /// A number.
    #[inline(never)]
    pub fn int(&mut self, key: &str, value: i64) {
        self.bare(key, format_args!("{value}"));
    }

    /// A number, or `null`.
    #[inline(never)]
    pub fn opt_int(&mut self, key: &str, value: Option<i64>) {
        match value {
            Some(value) => self.int(key, value),
            None => self.null(key),
        }
    }

    /// A number that is never negative.
    #[inline(never)]
    pub fn uint(&mut self, key: &str, value: u64) {
        self.bare(key, format_args!("{value}"));
    }

    /// A number that is never negative, or `null`.
    #[inline(never)]
    pub fn opt_uint(&mut self, key: &str, value: Option<u64>) {
        match value {
            Some(value) => self.uint(key, value),
            None => self.null(key),
        }
    }

    /// `true` or `false`.
    #[inline(never)]
    pub fn bool(&mut self, key: &str, value: bool) {
        self.bare(key, format_args!("{value}"));
    }

    /// `null`.
    #[inline(never)]
    pub fn null(&mut self, key: &str) {
        self.bare(key, format_args!("null"));
    }

    /// Opens an object; [`end_object`](Self::end_object) closes it.
    #[inline(never)]
    pub fn object(&mut self, key: &str) {
        self.bare(key, format_args!("{{"));
    }

    /// Opens an array; [`end_array`](Self::end_array) closes it.
    #[inline(never)]
    pub fn array(&mut self, key: &str) {
        self.bare(key, format_args!("["));
    }

    /// In an array: what is displayed, as a string.
    #[inline(never)]
    pub fn item(&mut self, value: &dyn Display) {
        self.separate();
        self.quote(value);
    }

    /// In an array: opens an object; [`end_object`](Self::end_object) closes it.
    #[inline(never)]
    pub fn item_object(&mut self) {
        self.separate();
        self.text.push('{');
    }

    /// Closes the object that was opened last.
    #[inline(never)]
    pub fn end_object(&mut self) {
        self.text.push('}');
    }

    /// Closes the array that was opened last.
    #[inline(never)]
    pub fn end_array(&mut self) {
        self.text.push(']');
    }

    /// The whole as text, in which no byte is a control character.
    #[must_use]
    #[inline(never)]
    pub fn into_text(mut self) -> String {
        self.end_object();
        self.text
    }

    /// The whole as a line of text, with its end.
    #[must_use]
    #[inline(never)]
    pub fn into_line(self) -> String {
        let mut text = self.into_text();
        text.push('\n');
        text
    }

    fn bare(&mut self, key: &str, value: fmt::Arguments<'_>) {
        self.key(key);
        let _ = self.text.write_fmt(value);
    }

    #[inline(never)]
    fn key(&mut self, key: &str) {
        self.separate();
        self.quote(&key);
        self.text.push(':');
    }

    /// A string ends with a quote, so these bytes at the end are never one's own.
    #[inline(never)]
    fn separate(&mut self) {
        if !self.text.ends_with(['{', '[']) {
            self.text.push(',');
        }
    }

    /// An error of `value` itself ends the string where it occurs.
    #[inline(never)]
    fn quote(&mut self, value: &dyn Display) {
        self.text.push('"');
        let _ = write!(Escape(&mut self.text), "{value}");
        self.text.push('"');
    }
}

impl Default for Json {
    fn default() -> Self {
        Self::new()
    }
}
