use std::fs;

use super::*;
use crate::tests::tree::Tree;

fn read(file: &mut KeptFile) -> Option<u64> {
    file.parse(&mut Buffer::new(), Buffer::value).ok()
}

/// Acceptance row 178: a descriptor that cannot be read does not blind for ever.
#[test]
fn what_could_not_be_read_is_opened_anew() {
    let tree = Tree::new();
    let path = tree.path("value");
    fs::create_dir(&path).unwrap();
    let mut file = KeptFile::new(path.clone());
    assert_eq!(read(&mut file), None, "a directory can be opened");
    fs::remove_dir(&path).unwrap();
    fs::write(&path, "7\n").unwrap();
    assert_eq!(read(&mut file), Some(7));
}

/// Acceptance row 178, whatever the errno; what is gone is gone.
#[test]
fn one_failure_is_tried_again_once() {
    let mut attempts = 0;
    let mut failing = |times: u32, errno: Errno| {
        attempts = 0;
        let done = twice(|| {
            attempts += 1;
            if attempts <= times {
                Err(errno)
            } else {
                Ok(attempts)
            }
        });
        (done, attempts)
    };
    for errno in (1..134).map(Errno::from_raw_os_error) {
        if is_gone(errno) {
            assert_eq!(failing(1, errno), (Err(errno), 1));
        } else {
            assert_eq!(failing(1, errno), (Ok(2), 2));
            assert_eq!(failing(2, errno), (Err(errno), 2));
        }
    }
}
