//! The smallest Rust program that reads one number of the kernel and decides: what
//! starting must cost at least.

use std::io::Write;

fn available_kib(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn main() {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let is_short = available_kib(&text).is_none_or(|kib| kib < 100 << 10);
    let told: &[u8] = if is_short { b"SHORT\n" } else { b"OK\n" };
    let _ = std::io::stdout().write_all(told);
}
