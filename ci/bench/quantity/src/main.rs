//! evictd-quantity beside the published crates for Kubernetes quantities: how many of
//! Kubernetes' own answers each gives, and how long it reads. Prints a Markdown table.
//! `ci/bench/quantity-peers` runs it.
//!
//! usage: quantity-peers VECTORS     the folder with quantity.jsonl and quantity_ops.jsonl
#![forbid(unsafe_code)]

#[path = "../../crate/src/mix.rs"]
mod mix;
mod peers;

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use mix::MIX;
use peers::{PEERS, Peer};
use serde_json::Value;

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: quantity-peers VECTORS");
        std::process::exit(2);
    };
    std::panic::set_hook(Box::new(|_| ()));
    let (texts, sums) = (
        read(&folder, "quantity.jsonl"),
        read(&folder, "quantity_ops.jsonl"),
    );
    println!(
        "| crate | accepts and refuses | whole number | text | sum | panics | ns a parse: `100Mi` | a mix |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for peer in &PEERS {
        row(peer, &texts, &sums);
    }
}

fn read(folder: &str, name: &str) -> Vec<Value> {
    let path = Path::new(folder).join(name);
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| fail(&format!("{}: {error}", path.display())));
    let lines = text.lines().map(serde_json::from_str);
    let cases: Result<_, _> = lines.collect();
    cases.unwrap_or_else(|error| fail(&format!("{}: {error}", path.display())))
}

fn fail(problem: &str) -> ! {
    eprintln!("quantity-peers: {problem}");
    std::process::exit(1)
}

/// How many answers were asked for, how many were right, and how often it panicked.
#[derive(Default)]
struct Count {
    asked: usize,
    right: usize,
    panics: usize,
}

impl Count {
    fn judge(&mut self, is_right: impl FnOnce() -> bool) {
        self.asked += 1;
        match catch_unwind(AssertUnwindSafe(is_right)) {
            Ok(is_right) => self.right += usize::from(is_right),
            Err(_) => self.panics += 1,
        }
    }

    fn cell(&self) -> String {
        format!("{} of {}", self.right, self.asked)
    }
}

fn row(peer: &Peer, texts: &[Value], sums: &[Value]) {
    let field = |case: &Value, name: &str| case[name].as_str().unwrap_or("").to_owned();
    let [mut verdict, mut value, mut text, mut sum] = <[Count; 4]>::default();
    for case in texts {
        let (given, is_ok) = (field(case, "in"), case["ok"] == true);
        verdict.judge(|| (peer.value)(&given).is_ok() == is_ok);
        if case["valueExact"] == true {
            let wanted = field(case, "value");
            value.judge(|| {
                (peer.value)(&given).is_ok_and(|v| v.is_some_and(|v| v.to_string() == wanted))
            });
        }
        if let (true, Some(print)) = (is_ok, peer.text) {
            text.judge(|| print(&given).as_deref() == Some(&field(case, "string")));
        }
    }
    if let Some(add) = peer.sum {
        for case in sums {
            let (a, b) = (field(case, "a"), field(case, "b"));
            sum.judge(|| add(&a, &b).as_deref() == Some(&field(case, "add")));
        }
    }
    let or_none = |count: &Count| {
        if count.asked > 0 {
            count.cell()
        } else {
            "has none".to_owned()
        }
    };
    let panics: usize = [&verdict, &value, &text, &sum]
        .iter()
        .map(|count| count.panics)
        .sum();
    let cells = [verdict.cell(), value.cell(), or_none(&text), or_none(&sum)].join(" | ");
    let (one, mix) = (nanos(peer, &["100Mi"]), nanos(peer, MIX));
    println!(
        "| {} | {cells} | {panics} | {one:.0} | {mix:.0} |",
        peer.name
    );
}

/// Nanoseconds for one text, in the best of some runs.
fn nanos(peer: &Peer, texts: &[&str]) -> f64 {
    const ROUNDS: u32 = 2000;
    let run = || {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            for text in texts {
                (peer.parse)(black_box(text));
            }
        }
        start.elapsed().as_nanos() as f64 / f64::from(ROUNDS) / texts.len() as f64
    };
    (0..20).map(|_| run()).fold(f64::INFINITY, f64::min)
}
