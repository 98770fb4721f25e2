use crate::ParseError;
use crate::scan::{Cut, Piece};

/// The process ids of a file with one on each line: `cgroup.procs`, `cgroup.threads`,
/// v1's `tasks`.
///
/// The id 0 is a process that lives outside the reader's pid namespace. An id
/// may come twice while processes move. A bad line is an error of its own.
pub fn pids(text: &[u8]) -> impl Iterator<Item = Result<i32, ParseError>> + Clone {
    Cut::new(Piece::whole(text), b'\n').map(Piece::pid)
}
