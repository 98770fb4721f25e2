//! Walks directory trees and prints what each holds and how long it took: the
//! counterpart of a C walk or `du`, to be measured beside them.
//!
//! usage: disk_walk REPETITIONS TREE...
//!        disk_walk scan TREE...         by the helper thread, quotas used
#![forbid(unsafe_code)]

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evictd_stats::{DiskScanner, now, read_tree_usage};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((how, trees)) = arguments.split_first() else {
        eprintln!("usage: disk_walk REPETITIONS|scan TREE...");
        return ExitCode::from(2);
    };
    if how == "scan" {
        return scan(trees);
    }
    let repetitions: usize = how.parse().unwrap_or(1);
    for tree in trees {
        walk(Path::new(tree), repetitions.max(1));
    }
    ExitCode::SUCCESS
}

fn walk(tree: &Path, repetitions: usize) {
    let mut times: Vec<Duration> = Vec::new();
    let mut usage = read_tree_usage(tree);
    for _ in 0..repetitions {
        let begun = now();
        usage = read_tree_usage(tree);
        times.push(now().since(begun));
    }
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    println!(
        "{} bytes={} inodes={} complete={} median_us={}",
        tree.display(),
        usage.used_bytes,
        usage.inodes_used,
        usage.complete,
        median.as_micros()
    );
}

fn scan(trees: &[String]) -> ExitCode {
    let trees: Vec<PathBuf> = trees.iter().map(PathBuf::from).collect();
    let Ok(mut scanner) = DiskScanner::start() else {
        return ExitCode::FAILURE;
    };
    scanner.watch(trees.iter().map(|tree| tree.as_path().into()));
    let whole = scanner.wait_for_all(Duration::from_secs(600));
    for tree in &trees {
        if let Some(usage) = scanner.usage(tree) {
            println!(
                "{} bytes={} inodes={} complete={} by_quota={}",
                tree.display(),
                usage.used_bytes,
                usage.inodes_used,
                usage.complete,
                usage.by_quota
            );
        }
    }
    println!("{}", scanner.progress());
    ExitCode::from(u8::from(!whole))
}
