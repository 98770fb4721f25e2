//! `evictd explain`, `record`, `replay`, `serve` and `summary`: a program of their own, as all
//! of evictd is locked in memory. evictd starts it where it lies beside it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    evictd::run_tools(&words)
}
