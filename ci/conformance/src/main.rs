//! Runs every conformance vector file of a directory against the crates.
//!
//! `conformance [--json] [DIR]` prints for each file how many cases passed,
//! failed and were not covered, with the first failures in full. It exits 1
//! when a case in force fails, 2 when it cannot run at all.
#![forbid(unsafe_code)]

mod case;
mod container_gc;
mod files;
mod image_gc;
mod report;

mod admission;
mod config;
mod config_defaults;
mod config_validate;
mod duration;
mod manager;
mod manager_engine;
mod memcg;
mod node_allocatable;
mod node_conditions;
mod oom;
mod pods;
mod qos;
mod quantity;
mod quantity_ops;
mod rank;
mod summary;
mod threshold_flags;
mod threshold_layout;
mod threshold_resolve;
mod thresholds;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: conformance [--json] [DIR]
  DIR   a directory of vector files (*.jsonl); default: ci/conformance/vectors";

fn main() -> ExitCode {
    let mut json = false;
    let mut dir = PathBuf::from("ci/conformance/vectors");
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--json") => json = true,
            Some("--help" | "-h") => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            Some(text) if text.starts_with('-') => {
                eprintln!("conformance: unknown option {text}\n{USAGE}");
                return ExitCode::from(2);
            }
            _ => dir = PathBuf::from(argument),
        }
    }
    match files::run(&dir) {
        Ok(results) => report::print(&results, json),
        Err(error) => {
            eprintln!("conformance: {error}");
            ExitCode::from(2)
        }
    }
}
