//! The facts about this machine that settings are judged by.

use std::io::{self, ErrorKind};
use std::path::Path;

use evictd_config::Machine;
use evictd_kerntext::parse_meminfo;
use evictd_node::Readings;

/// The capacities of these readings, the kernel's own reserve, and swap. What
/// cannot be read is unknown, and nothing is judged by it.
pub(crate) fn read(readings: &Readings) -> Machine {
    Machine {
        min_free_bytes: min_free_bytes(),
        swap_bytes: swap_bytes(),
        ..Machine::of_readings(readings)
    }
}

fn min_free_bytes() -> Option<i64> {
    let text = read_text("/proc/sys/vm/min_free_kbytes".as_ref()).ok()?;
    text.trim().parse::<i64>().ok()?.checked_mul(1024)
}

fn swap_bytes() -> Option<i64> {
    let text = std::fs::read("/proc/meminfo").ok()?;
    let total = parse_meminfo(&text).ok()?.swap_total_bytes?;
    i64::try_from(total).ok()
}

/// A file of the kernel's that is text.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(std::fs::read(path)?).map_err(|_| ErrorKind::InvalidData.into())
}
