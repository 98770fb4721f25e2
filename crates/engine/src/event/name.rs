//! How a line names a pod, or whatever else has its name from outside.

/// A name from outside, as much of it as a line can hold; the fields have the whole.
pub(super) fn cut(name: &str) -> String {
    const MOST: usize = 48;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// A pod's name with its namespace, where it has one: `NAMESPACE/NAME`.
#[must_use]
pub fn full_name(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}
