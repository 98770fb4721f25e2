//! The facts about this machine that settings are judged by.

use core::fmt::Display;
use std::io::{self, ErrorKind};
use std::path::Path;

use evictd_config::Machine;
use evictd_kerntext::{Meminfo, parse_meminfo};
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
    let total = read_meminfo().ok()?.swap_total_bytes?;
    i64::try_from(total).ok()
}

/// The memory of this machine.
pub(crate) fn read_meminfo() -> Result<Meminfo, String> {
    let at = |error: &dyn Display| format!("/proc/meminfo: {error}");
    let text = std::fs::read("/proc/meminfo").map_err(|error| at(&error))?;
    parse_meminfo(&text).map_err(|error| at(&error))
}

/// A file of the kernel's that is text.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(std::fs::read(path)?).map_err(|_| ErrorKind::InvalidData.into())
}
