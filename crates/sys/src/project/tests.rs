use std::fs::File;

use crate::{read_project, read_project_usage};
use rustix::io::Errno;

#[test]
fn a_filesystem_without_projects_says_so() {
    let file = File::open("/proc/self/status").unwrap();
    let found = read_project(&file);
    assert!(
        matches!(found, Err(Errno::NOTTY | Errno::OPNOTSUPP)),
        "{found:?}"
    );
}

#[test]
fn a_pipe_has_no_project() {
    let (reader, _writer) = std::io::pipe().unwrap();
    assert_eq!(read_project(&reader), Err(Errno::NOTTY));
}

#[test]
fn without_accounting_there_is_no_usage() {
    let file = File::open("/proc/self/status").unwrap();
    let found = read_project_usage(&file, 7);
    let refused = [Errno::NOSYS, Errno::SRCH, Errno::PERM, Errno::NODEV];
    assert!(
        found.is_err_and(|errno| refused.contains(&errno)),
        "{found:?}"
    );
}
