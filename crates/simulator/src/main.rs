//! Runs worlds; see the crate's README.

#![forbid(unsafe_code)]

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use evictd_simulator::{Comparison, Coverage, Feature, Plan, Violation, run, shrink, watch};

const USAGE: &str =
    "usage: evictd-simulator --seed N | --seeds A..B | --first A..B | --digests A..B |
       --evictions A..B | --record N | --plan PLAN | --shrink PLAN | --compare FILE...

  --seed N      the story of a seed
  --seeds A..B  all of these seeds on two threads: how many a second, what they have met,
                and which went wrong
  --first A..B  the same up to the first that goes wrong
  --digests A..B  a number for the story of each of them: the same on every processor
  --evictions A..B  for each of them how many pods were evicted, and a number for which and when
  --record N    a recording of a seed, as evictd record writes it and evictd replay reads it
  --plan PLAN   the story of a plan as --shrink prints it: 'seed=7 without=Swap'
  --compare FILE...  whether what recordings of evictd record show lies in what worlds allow
  --shrink PLAN the smallest plan found in which the same goes wrong, and its story";

/// What was met, and the seeds that went wrong.
type Found = Mutex<(Coverage, Vec<(u64, Violation)>)>;

/// So many seeds that went wrong are named.
const MOST_NAMED: usize = 30;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let plan = |text: &str| {
        let seed = text.parse().ok().map(Plan::of);
        seed.or_else(|| Plan::parse(text))
    };
    match *words {
        ["--seed" | "--plan", text] => plan(text).map_or_else(usage, |plan| story(&plan)),
        ["--shrink", text] => plan(text).map_or_else(usage, |plan| story(&shrink(&plan))),
        ["--seeds", text] => range(text).map_or_else(usage, |seeds| many(seeds, usize::MAX)),
        ["--record", text] => plan(text).map_or_else(usage, |plan| recording(&plan)),
        ["--first", text] => range(text).map_or_else(usage, |seeds| many(seeds, 1)),
        ["--compare", ref files @ ..] if !files.is_empty() => compared(files),
        ["--digests", text] => range(text).map_or_else(usage, |seeds| {
            numbers(seeds, |plan| format!("{:016x}", run(plan, true).digest()))
        }),
        ["--evictions", text] => range(text).map_or_else(usage, |seeds| {
            numbers(seeds, |plan| {
                // Pods that vanish while they are read depend on how much is read.
                let mut plan = plan.clone();
                plan.features.set(Feature::Vanishing, false);
                let report = run(&plan, false);
                let count = report.evictions.len();
                format!("{count} {:016x}", report.digest_of_evictions())
            })
        }),
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

fn range(text: &str) -> Option<Range<u64>> {
    let (from, to) = text.split_once("..")?;
    Some(from.parse().ok()?..to.parse().ok()?)
}

fn story(plan: &Plan) -> ExitCode {
    let report = run(plan, true);
    print!("{report}");
    code(report.violation.is_none())
}

fn recording(plan: &Plan) -> ExitCode {
    let watched = watch(plan);
    if let Some(watched) = &watched {
        print!("{}", watched.recording);
    }
    code(watched.is_some())
}

fn numbers(seeds: Range<u64>, of: impl Fn(&Plan) -> String + Sync) -> ExitCode {
    let middle = seeds.start.midpoint(seeds.end);
    let line = |seed| format!("{seed} {}\n", of(&Plan::of(seed)));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| (seeds.start..middle).map(line).collect::<String>());
        let second: String = (middle..seeds.end).map(line).collect();
        first.join().map_or(ExitCode::FAILURE, |first| {
            print!("{first}{second}");
            ExitCode::SUCCESS
        })
    })
}

fn compared(files: &[&str]) -> ExitCode {
    let mut comparison = Comparison::default();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
        let added = text.and_then(|text| comparison.add(&text).map_err(|error| error.to_string()));
        if let Err(error) = added {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    }
    print!("{comparison}");
    code(comparison.is_allowed())
}

const fn code(is_well: bool) -> ExitCode {
    if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how fast it runs is told; no world asks"
)]
fn many(seeds: Range<u64>, most: usize) -> ExitCode {
    let begun = Instant::now();
    let next = AtomicU64::new(seeds.start);
    let found: Found = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| work((&next, seeds.end), most, &found));
        }
    });
    let Ok((coverage, mut failed)) = found.into_inner() else {
        return ExitCode::FAILURE;
    };
    print!("{coverage}");
    failed.sort_by_key(|(seed, violation)| (violation.oracle, *seed));
    let mut oracles: Vec<&str> = failed
        .iter()
        .map(|(_, violation)| violation.oracle)
        .collect();
    oracles.dedup();
    for oracle in oracles {
        let count = failed.iter().filter(|(_, of)| of.oracle == oracle).count();
        println!("{count} seeds: {oracle}");
    }
    for (seed, violation) in failed.iter().take(MOST_NAMED) {
        println!("seed {seed}: {violation}");
    }
    let (count, millis) = (coverage.runs, begun.elapsed().as_millis().max(1));
    let each_second = u128::from(count) * 1000 / millis;
    println!(
        "{count} seeds in {millis} ms, {each_second} a second; {} went wrong",
        failed.len()
    );
    code(failed.is_empty())
}

fn work((next, end): (&AtomicU64, u64), most: usize, found: &Found) {
    let mut coverage = Coverage::default();
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end {
            break;
        }
        let report = run(&Plan::of(seed), false);
        coverage.add(&report.coverage);
        coverage.runs += 1;
        let Some(violation) = report.violation else {
            continue;
        };
        if let Ok(mut found) = found.lock() {
            found.1.push((seed, violation));
            if found.1.len() >= most {
                next.store(end, Ordering::Relaxed);
            }
        }
    }
    if let Ok(mut found) = found.lock() {
        found.0.add(&coverage);
    }
}
