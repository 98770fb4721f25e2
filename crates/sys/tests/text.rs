//! In a process of its own, as others count mappings.

use std::path::Path;

use evictd_sys::forget_text;

#[test]
fn what_is_forgotten_comes_back() {
    assert!(forget_text(Path::new("/nowhere")).is_err());
    forget_text(Path::new("/proc")).unwrap();
    // Again, by code that was forgotten.
    forget_text(Path::new("/proc")).unwrap();
}
