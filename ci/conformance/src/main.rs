//! Runs conformance vectors, answers of the kubelet's own code, against the crates.
//!
//! docs/dev/conformance-vectors.md describes the vectors, the arguments and the exit codes.
#![forbid(unsafe_code)]

#[cfg(test)]
mod between;
mod case;
mod container_gc;
mod files;
mod image_gc;
mod report;
mod rules;
mod switches;

mod admission;
mod config;
mod config_defaults;
mod config_load;
mod config_validate;
mod duration;
mod manager;
mod manager_engine;
mod memcg;
mod node_allocatable;
mod node_conditions;
mod oom;
mod pod_defaults;
mod pods;
mod qos;
mod quantity;
mod quantity_ops;
mod rank;
mod requests;
mod summary;
mod threshold_flags;
mod threshold_layout;
mod threshold_resolve;
mod thresholds;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evictd_node::KubeletVersion;
use rules::Rules;

const USAGE: &str = "usage: evictd-conformance [--json] [--switches] [--compat=KUBELET] [DIR...]
  DIR       directories of vector files (*.jsonl); default: ci/conformance/vectors and
            ci/conformance/vectors-1.36
  --compat  whose answers they are: kubelet-1.32 to kubelet-1.37, or kubelet, which is 1.36;
            default: the version that DIR/README.md names first, else kubelet
  --json    an object for each file
  --switches  instead: how many answers each difference of evictd's changes
exit: 0 all as the kubelet answers, 1 some not or not covered, 2 nothing could be run";

/// Where vectors lie if no directory is named, from the top of the tree.
const USUAL: [&str; 2] = ["ci/conformance/vectors", "ci/conformance/vectors-1.36"];

fn main() -> ExitCode {
    let (mut json, mut by_switch) = (false, false);
    let mut version = None;
    let mut dirs = Vec::new();
    for argument in std::env::args_os().skip(1) {
        let text = argument.to_str();
        let compat = text.and_then(|text| text.strip_prefix("--compat="));
        match (text, compat.map(KubeletVersion::from_name)) {
            (_, Some(Some(found))) => version = Some(found),
            (Some("--json"), _) => json = true,
            (Some("--switches"), _) => by_switch = true,
            (Some("--help" | "-h"), _) => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            (Some(text), _) if text.starts_with('-') => {
                eprintln!("evictd-conformance: unknown option {text}\n{USAGE}");
                return ExitCode::from(2);
            }
            _ => dirs.push(PathBuf::from(argument)),
        }
    }
    if dirs.is_empty() {
        dirs.extend(USUAL.map(PathBuf::from));
    }
    let ran = if by_switch {
        let all = each(&dirs, version);
        let all = all.and_then(|all| {
            let mut all = all.into_iter();
            all.try_for_each(|(dir, rules)| switches::print(dir, rules))
        });
        all.map(|()| ExitCode::SUCCESS)
    } else {
        judge(&dirs, version).map(|results| report::print(&results, json))
    };
    match ran {
        Ok(code) => code,
        Err(error) => {
            eprintln!("evictd-conformance: {error}");
            ExitCode::from(2)
        }
    }
}

fn judge(
    dirs: &[PathBuf],
    version: Option<KubeletVersion>,
) -> Result<Vec<files::FileResult>, String> {
    let mut results = Vec::new();
    for (dir, rules) in each(dirs, version)? {
        results.extend(files::run(dir, rules)?);
    }
    Ok(results)
}

/// The directories with the rules that count for each.
fn each(dirs: &[PathBuf], version: Option<KubeletVersion>) -> Result<Vec<(&Path, Rules)>, String> {
    let rules = |dir| version.map_or_else(|| Rules::of_directory(dir), |found| Ok(found.into()));
    let dirs = dirs.iter().map(PathBuf::as_path);
    dirs.map(|dir| Ok((dir, rules(dir)?))).collect()
}
