extern crate alloc;

mod cgroup_files;
mod meminfo;
mod mountinfo;
mod open_file;
mod poison;
mod pressure;
mod proc_cgroups;
mod proc_pid;
mod value;
mod zram;

use crate::{ParseError, ParseErrorKind};

fn error(kind: ParseErrorKind, position: usize) -> ParseError {
    ParseError { kind, position }
}
