use crate::ParseError;
use crate::scan::{Cut, Piece};

/// The process ids of a `cgroup.procs`, `cgroup.threads` or `tasks` file; see
/// [`pids`].
#[derive(Clone, Debug)]
pub struct Pids<'a>(Cut<'a>);

/// A file with one process id on each line: `cgroup.procs`, `cgroup.threads`,
/// v1's `tasks`.
///
/// The id 0 is a process that lives outside the reader's pid namespace. An id
/// may come twice while processes move. A bad line is an error of its own.
#[must_use]
pub const fn pids(text: &[u8]) -> Pids<'_> {
    Pids(Cut::new(Piece::whole(text), b'\n'))
}

impl Iterator for Pids<'_> {
    type Item = Result<i32, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(Piece::pid)
    }
}
