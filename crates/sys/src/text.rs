use core::ops::Range;
use core::ptr::without_provenance_mut;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// `MADV_DONTNEED_LOCKED` of `asm-generic/mman-common.h`, since Linux 5.18.
const DONTNEED_LOCKED: libc::c_int = 24;

/// What is needed at a time: a page, on most machines.
const PIECE: usize = 4 << 10;

/// Gives back the pages of this program's code and constants: what is needed of
/// them comes back when it is needed, from the page cache or the file. Those of a
/// start that is over do not.
///
/// The kernel maps 64 KiB around a page that is needed, which would be most of the
/// program again. It stops at the ends of a mapping, so the code is made into
/// mappings of 4 KiB that differ in a hint. Each costs the kernel some 200 bytes. So
/// it is for once: the next time it finds the first of these, and gives back no more.
///
/// # Errors
///
/// When `PROC/self/maps` cannot be read, or the code is locked in memory and the
/// kernel is older than 5.18: call it before.
pub fn forget_text(proc: &Path) -> io::Result<()> {
    let mut maps = [0; 1024];
    let length = File::open(proc.join("self/maps"))?.read(&mut maps)?;
    let maps = maps.get(..length).unwrap_or_default();
    let text = parse_text_range(maps).ok_or(io::ErrorKind::InvalidData)?;
    let hints = [libc::MADV_RANDOM, libc::MADV_NORMAL];
    for (start, hint) in text.clone().step_by(PIECE).zip(hints.into_iter().cycle()) {
        // With larger pages it stays one mapping.
        if advise(start..text.end.min(start + PIECE), hint).is_err() {
            break;
        }
    }
    advise(text.clone(), DONTNEED_LOCKED).or_else(|_| advise(text, libc::MADV_DONTNEED))
}

/// Reads these addresses in and keeps them in memory: `mlock(2)`. What was locked as it
/// is touched (`MCL_ONFAULT`) is there at once then.
///
/// # Errors
///
/// `ENOMEM` where something else, or nothing, lies there, and above the limit of locked
/// memory; `EPERM` where nothing may be locked; `EAGAIN` where it cannot be read in.
pub fn lock_addresses(range: Range<usize>) -> io::Result<()> {
    let start = without_provenance_mut::<libc::c_void>(range.start);
    // SAFETY: no memory is read or written, and no contents change.
    let answer = unsafe { libc::mlock(start, range.len()) };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

fn advise(text: Range<usize>, advice: libc::c_int) -> io::Result<()> {
    let start = without_provenance_mut(text.start);
    // SAFETY: the range is one of executable pages of a file that nobody writes to:
    // whatever the advice, they hold the same before and after.
    let answer = unsafe { libc::madvise(start, text.len(), advice) };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The first mapping of a file that can be executed and not written to, from the
/// beginning of `/proc/PID/maps`: the program's own.
fn parse_text_range(maps: &[u8]) -> Option<Range<usize>> {
    let maps = core::str::from_utf8(maps).ok()?;
    let line = maps
        .lines()
        .find(|line| line.contains(" r-xp ") && line.contains('/'))?;
    let (start, end) = line.split(' ').next()?.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    Some(number(start)?..number(end)?)
}

#[cfg(test)]
mod tests {
    use super::{lock_addresses, parse_text_range};

    #[test]
    fn what_is_locked_counts_as_locked() {
        let locked = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("VmLck:"));
            let number = line.unwrap().trim().trim_end_matches(" kB");
            number.parse::<usize>().unwrap()
        };
        let here = parse_text_range as *const () as usize;
        let before = locked();
        lock_addresses(here..here + 8192).unwrap();
        assert!((8..=12).contains(&(locked() - before)));
        assert!(lock_addresses(8192..16384).is_err(), "nothing lies there");
    }

    #[test]
    fn the_programs_own_code() {
        for (name, maps, range) in [
            (
                "static",
                "00400000-004d9000 r-xp 00000000 fe:00 1 /bin/evictd\n004d9000-004da000 rw-p 0 fe:00 1 /bin/evictd\n",
                Some(0x40_0000..0x4d_9000),
            ),
            (
                "dynamic",
                "55d0-55e0 r--p 0 fe:00 1 /bin/evictd\n55e0-55f0 r-xp 0 fe:00 1 /bin/evictd\n7f00-7f10 r-xp 0 fe:00 2 /lib/libc.so.6\n",
                Some(0x55e0..0x55f0),
            ),
            ("of no file", "7f00-7f10 r-xp 0 00:00 0 [vdso]\n", None),
            (
                "can be written",
                "1000-2000 rwxp 0 fe:00 1 /bin/evictd\n",
                None,
            ),
            ("cut off", "1000-20", None),
            ("no numbers", "x-y r-xp 0 fe:00 1 /bin/evictd\n", None),
            ("empty", "", None),
        ] {
            assert_eq!(parse_text_range(maps.as_bytes()), range, "{name}");
        }
    }
}
