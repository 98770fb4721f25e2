//! Checks kubelet configuration files (KubeletConfiguration in YAML or JSON) as far as they
//! are about eviction, and prints the thresholds that follow.
//!
//! usage: lint FILE...
//!
//! Exits with 1 where one is wrong.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use evictd_config::{Machine, Typed, lint, resolve};

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("usage: lint FILE...");
        return ExitCode::from(2);
    }
    let mut code = ExitCode::SUCCESS;
    for file in &files {
        if let Err(error) = check(file) {
            println!("wrong: {error}");
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn check(file: &str) -> Result<(), Box<dyn core::error::Error>> {
    let mut typed = Typed::default();
    let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    typed.add_file(file, &bytes)?;
    let resolved = resolve(&typed)?;
    println!("fine: {file}");
    for threshold in &resolved.evict.thresholds {
        println!("  {threshold}");
    }
    // Of a machine that is not known only what holds for any is said.
    let doubts = lint(&resolved, &Machine::default());
    for warning in resolved.warnings.iter().chain(&doubts) {
        println!("  doubtful: {warning}");
    }
    Ok(())
}
