use crate::{NestedEntry, ParseError, nested_keyed};

/// One line of a pressure file.
///
/// The averages are the share of time in which tasks stalled, in parts per ten
/// thousand: the kernel prints per cent with two decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stall {
    /// `avg10`: over the last 10 seconds, in parts per ten thousand.
    pub avg10_permyriad: Option<u32>,
    /// `avg60`: over the last minute, in parts per ten thousand.
    pub avg60_permyriad: Option<u32>,
    /// `avg300`: over the last 5 minutes, in parts per ten thousand.
    pub avg300_permyriad: Option<u32>,
    /// `total`: stalled since boot, in microseconds.
    pub total_usec: Option<u64>,
}

/// A pressure file: `/proc/pressure/*` (since 4.20), `*.pressure` of a v2
/// cgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pressure {
    /// Some task stalled.
    pub some: Option<Stall>,
    /// All tasks stalled at once. Missing for the machine's `cpu` before 5.13.
    pub full: Option<Stall>,
}

/// A pressure file.
///
/// # Errors
/// When an average is not a number with two decimals, or the total not a
/// 64-bit number.
pub fn parse_pressure(text: &[u8]) -> Result<Pressure, ParseError> {
    let mut pressure = Pressure::default();
    for line in nested_keyed(text) {
        let place = match line.key() {
            b"some" => &mut pressure.some,
            b"full" => &mut pressure.full,
            _ => continue,
        };
        *place = Some(stall(&line)?);
    }
    Ok(pressure)
}

fn stall(line: &NestedEntry<'_>) -> Result<Stall, ParseError> {
    let mut stall = Stall::default();
    for pair in line.pairs() {
        match pair.key() {
            b"avg10" => stall.avg10_permyriad = Some(pair.hundredths()?),
            b"avg60" => stall.avg60_permyriad = Some(pair.hundredths()?),
            b"avg300" => stall.avg300_permyriad = Some(pair.hundredths()?),
            b"total" => stall.total_usec = Some(pair.number()?),
            _ => {}
        }
    }
    Ok(stall)
}
