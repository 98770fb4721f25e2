//! What the crates cost, beside the least that must be done. `ci/bench/run` runs it.
//!
//! usage: bench rank PODS ROUNDS       picoseconds of: rank, packed sort; first, one scan
//!        bench quantity ROUNDS        picoseconds of: ours, the least; for a mix
//!        bench quantity-one ROUNDS    the same of "1.5Gi" and of the rest
//!        bench walk TREE              what the tree holds; its cost is the process's
//!        bench pods ROOT ROUNDS       CPU nanoseconds of: reading each one's memory, its
//!                                     counter; all there is with listing and opening
//!
//! Each prints its figures on one line.
#![forbid(unsafe_code)]

mod clock;
mod mix;
mod pods;
mod quantities;
mod ranking;

use std::path::Path;
use std::process::ExitCode;

use evictd_stats::read_tree_usage;
use mix::MIX;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<usize>().unwrap_or(1);
    let figures = match words.as_slice() {
        ["rank", pods, rounds] => ranking::figures(number(pods), number(rounds)),
        ["quantity", rounds] => quantities::figures(MIX, number(rounds)),
        ["quantity-one", text, rounds] => quantities::figures(&[text], number(rounds)),
        ["walk", tree] => vec![read_tree_usage(Path::new(tree)).inodes_used],
        ["pods", root, rounds] => pods::figures(root, number(rounds)),
        _ => Vec::new(),
    };
    if figures.is_empty() {
        eprintln!("usage: see the comment at the top of main.rs");
        return ExitCode::from(2);
    }
    let figures: Vec<String> = figures.iter().map(ToString::to_string).collect();
    println!("{}", figures.join(" "));
    ExitCode::SUCCESS
}
