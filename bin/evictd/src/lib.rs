//! Node-pressure eviction for machines that have no kubelet: the wiring.
#![forbid(unsafe_code)]

extern crate alloc;

mod amount;
mod daemon;
mod engine;
mod pods;
mod protect;
mod rank;
mod screen;
mod selftest;
mod setup;
mod snapshot;
mod status;

/// temporary entry
pub fn run(argv: Vec<std::ffi::OsString>) -> std::process::ExitCode {
    use std::process::ExitCode;
    env_logger::Builder::new().parse_filters("info").init();
    match argv.get(1).and_then(|a| a.to_str()) {
        Some(selftest::WORKLOAD_ARGUMENT) => selftest::run_workload(argv.get(2..).unwrap_or(&[])),
        Some("selftest") => selftest::run(&selftest::SelftestOptions { json: argv.len() > 2 }),
        Some(command) => {
            let settings = evictd_config::resolve(&evictd_config::Typed::default()).unwrap();
            match command {
                "status" => status::run(&settings, &status::StatusOptions { json: argv.len() > 2 }),
                "rank" => rank::run(&settings, &rank::RankOptions { signal: evictd_node::Signal::MemoryAvailable, json: argv.len() > 2 }),
                _ => daemon::run(&settings),
            }
        }
        None => ExitCode::from(2),
    }
}
