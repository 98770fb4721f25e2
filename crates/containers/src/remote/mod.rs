//! What the backends that ask a container runtime have in common.

mod cgroup;
mod resources;
mod wishes;

use alloc::string::String;
use alloc::sync::Arc;

pub(crate) use cgroup::read_cgroup;
pub(crate) use resources::{bytes, class_of, cpu, kubepods_class, thousandths};
pub(crate) use wishes::read_wishes;

/// What follows the last occurrence of `part`. The library's search is made for
/// long texts and is ten times the code.
pub(crate) fn after<'a>(text: &'a str, part: &str) -> Option<&'a str> {
    let mut places = (0..text.len()).rev();
    places.find_map(|at| text.get(at..)?.strip_prefix(part))
}

/// Whether `part` occurs in the text.
#[inline(never)]
pub(crate) fn holds(text: &str, part: &str) -> bool {
    after(text, part).is_some()
}

/// The text, kept once where the one before is the same: many containers are made of
/// few images.
pub(crate) fn share(text: &str, before: Option<&Arc<str>>) -> Arc<str> {
    let same = before.filter(|before| ***before == *text);
    same.map_or_else(|| text.into(), Arc::clone)
}

/// The longest text of others that is passed on, in characters.
const MOST_TEXT: usize = 300;

/// Whether a pod's annotation of that name is ever read. What others write there may
/// be long, and is not kept.
pub(crate) fn is_read(annotation: &str) -> bool {
    annotation.starts_with("kubernetes.io/config.")
}

/// A text of others, fit for one line of a log: control characters escaped, cut
/// after 300 characters.
pub(crate) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len().min(MOST_TEXT));
    for letter in text.trim().chars().take(MOST_TEXT) {
        if letter.is_control()
            || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        {
            clean.extend(letter.escape_unicode());
        } else {
            clean.push(letter);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use super::share;

    #[test]
    fn the_same_text_is_there_once() {
        let first = share("sha256:3e", None);
        assert!(Arc::ptr_eq(&share("sha256:3e", Some(&first)), &first));
        assert_eq!(&*share("sha256:3f", Some(&first)), "sha256:3f");
    }
}
