use alloc::collections::BTreeMap;
use alloc::string::String;

/// Adds a text by its name, in place of one that is there: a label, an annotation.
///
/// Insertion into a map is two kilobytes of code, and each crate that does it for
/// itself has its own.
#[inline(never)]
pub fn insert_text(texts: &mut BTreeMap<String, String>, name: String, text: String) {
    texts.insert(name, text);
}
