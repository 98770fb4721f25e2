//! Node-pressure eviction for machines that have no kubelet.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    evictd::run(std::env::args_os().skip(1).collect())
}
