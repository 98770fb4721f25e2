//! The facts about this machine that settings are judged by.

use core::fmt::Display;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use evictd_config::{Machine, Resolved};
use evictd_kerntext::{Meminfo, mounts, parse_meminfo, parse_zram_pool};
use evictd_state::read_boot_id;
use evictd_stats::{Hierarchies, NodeSample, PROC, Version, read_memory_switched_off};
use rustix::system::uname;

/// The capacities of these readings, the kernel's own reserve, and swap. What
/// cannot be read is unknown, and nothing is judged by it.
pub fn read(sample: &NodeSample) -> Machine {
    let unaccounted = sample.memory.and_then(|memory| memory.unaccounted_bytes);
    Machine {
        unaccounted_bytes: unaccounted.and_then(|bytes| i64::try_from(bytes).ok()),
        min_free_bytes: min_free_bytes(),
        processors: processors(),
        swap_bytes: swap_bytes(),
        ..Machine::of_readings(&sample.readings())
    }
}

/// What this machine is called.
pub fn node_name() -> String {
    uname().nodename().to_string_lossy().into_owned()
}

/// What tells this boot from others; empty where that cannot be read, which equals no boot.
pub fn boot_id() -> String {
    read_boot_id(PROC.as_ref()).unwrap_or_default()
}

/// Why there is no memory controller, and what would be right.
pub fn why_no_memory_controller(hierarchies: &Hierarchies) -> &'static str {
    let is_switched_off = read_memory_switched_off(PROC.as_ref()).unwrap_or(false);
    if is_switched_off {
        "the kernel's command line lacks cgroup_enable=memory (on a Raspberry Pi also \
         cgroup_memory=1)"
    } else if *hierarchies == Hierarchies::default() {
        "no cgroups are mounted here: mount -t cgroup2 none /sys/fs/cgroup, in a chroot mount \
         --rbind /sys/fs/cgroup of the machine there"
    } else {
        "neither a cgroup2 mount nor one of v1 has it (/proc/cgroups says what the kernel has)"
    }
}

/// `vm.min_free_kbytes`.
pub(crate) fn min_free_bytes() -> Option<i64> {
    let text = read_text("/proc/sys/vm/min_free_kbytes".as_ref()).ok()?;
    text.trim().parse::<i64>().ok()?.checked_mul(1024)
}

/// Has memory be judged otherwise where the kubelet's formula misleads on this machine, and
/// not by lost time unless its kernel counts that or somebody asked for it. Has memory be
/// relieved where that pays.
pub fn fit(settings: &mut Resolved) {
    if is_small() || swap_is_compressed() {
        settings.distrust_kubelets_formula();
    }
    settings.settle_memory_relief(swap_is_zram() && can_relieve_memory());
    if !counts_lost_time() {
        settings.leave_lost_time_out();
    }
}

/// Whether the kernel has pressure stall information, and it is on: the file may be there and
/// not tell (failure F4).
pub(crate) fn counts_lost_time() -> bool {
    std::fs::read(Path::new(PROC).join("pressure/memory")).is_ok()
}

/// Whether the kubelet's formula misleads here, as much of a small machine is in no cgroup.
fn is_small() -> bool {
    const SMALL: u64 = 512 << 20;
    read_meminfo().is_ok_and(|info| info.mem_total_bytes.is_some_and(|all| all < SMALL))
}

/// Whether swapped-out pages stay in memory, compressed. The kubelet's formula counts them as
/// available then, on cgroup v1 and v2. The kernel's own estimate does not.
fn swap_is_compressed() -> bool {
    let has_zram = || {
        let swaps = read_text("/proc/swaps".as_ref()).unwrap_or_default();
        swaps.lines().any(|line| line.starts_with("/dev/zram"))
    };
    let has_zswap = || {
        let enabled = read_text("/sys/module/zswap/parameters/enabled".as_ref());
        enabled.is_ok_and(|text| text.trim() == "Y") && swap_bytes().is_some_and(|all| all > 0)
    };
    has_zram() || has_zswap()
}

/// Whether there is swap and all of it is zram. Only there memory relief was measured to pay: what
/// lies on a disk comes back too slowly (docs/dev/relief.md).
fn swap_is_zram() -> bool {
    read_text("/proc/swaps".as_ref()).is_ok_and(|swaps| are_all_zram(&swaps))
}

fn are_all_zram(swaps: &str) -> bool {
    let mut places = swaps.lines().skip(1).peekable();
    places.peek().is_some() && places.all(|line| line.starts_with("/dev/zram"))
}

/// Whether cgroups have `memory.high` and `memory.reclaim`: on v2, the latter since Linux 5.19.
fn can_relieve_memory() -> bool {
    let memory = Hierarchies::read(PROC.as_ref())
        .ok()
        .and_then(|all| all.memory);
    memory.is_some_and(|memory| memory.version == Version::V2)
}

/// What is in memory compressed: the pools of zram and of zswap, in bytes. They are in no
/// cgroup's usage. `None` where there is neither, or none can be read.
pub fn compressed_bytes() -> Option<u64> {
    compressed_below(Path::new("/"))
}

fn compressed_below(root: &Path) -> Option<u64> {
    // Devices beyond those are nobody's.
    const MOST: u32 = 64;
    let pool = |number: u32| {
        let file = root.join(format!("sys/block/zram{number}/mm_stat"));
        parse_zram_pool(&std::fs::read(file).ok()?).ok()
    };
    let info = std::fs::read(root.join("proc/meminfo")).ok();
    let zswap = info.and_then(|text| parse_meminfo(&text).zswap_bytes);
    let all = (0..MOST).filter_map(pool).chain(zswap);
    Some(all.fold(0, u64::saturating_add)).filter(|bytes| *bytes > 0)
}

/// All that are online, whichever of them this process may use.
fn processors() -> Option<i64> {
    let text = read_text("/proc/stat".as_ref()).ok()?;
    let is_one = |line: &&str| {
        let number = line.strip_prefix("cpu");
        number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    i64::try_from(text.lines().filter(is_one).count()).ok()
}

fn swap_bytes() -> Option<i64> {
    let total = read_meminfo().ok()?.swap_total_bytes?;
    i64::try_from(total).ok()
}

/// The memory of this machine.
pub fn read_meminfo() -> Result<Meminfo, String> {
    let at = |error: &dyn Display| format!("/proc/meminfo: {error}");
    let text = std::fs::read("/proc/meminfo").map_err(|error| at(&error))?;
    Ok(parse_meminfo(&text))
}

/// Where the filesystem with this device is mounted that holds the path.
pub(crate) fn mount_point(path: &Path, device: (u32, u32)) -> Option<String> {
    let text = std::fs::read("/proc/self/mountinfo").ok()?;
    let found = mounts(&text).flatten();
    let found = found.filter(|mount| (mount.major, mount.minor) == device);
    let found =
        found.map(|mount| PathBuf::from(OsString::from_vec(mount.mount_point.bytes().collect())));
    // Above the path the nearest; elsewhere, where a link leads, the shortest.
    let nearest = found.max_by_key(|mount| {
        let length = i64::try_from(mount.as_os_str().len()).unwrap_or(i64::MAX);
        let is_above = path.starts_with(mount);
        (is_above, if is_above { length } else { -length })
    })?;
    Some(nearest.display().to_string())
}

/// A file of the kernel's that is text.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(std::fs::read(path)?).map_err(|_| ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 320.
    #[test]
    fn swap_is_zram_only_where_all_of_it_is() {
        const HEADER: &str = "Filename\tType\tSize\tUsed\tPriority\n";
        const ZRAM: &str = "/dev/zram0 partition 262140 0 100\n";
        const DISK: &str = "/swapfile file 262140 0 -2\n";
        for (places, expected) in [
            (vec![], false),
            (vec![ZRAM], true),
            (vec![DISK], false),
            (vec![ZRAM, DISK], false),
        ] {
            let swaps = format!("{HEADER}{}", places.concat());
            assert_eq!(are_all_zram(&swaps), expected, "{swaps}");
        }
        assert!(!are_all_zram(""));
    }

    /// Acceptance row 311.
    #[test]
    fn what_is_compressed_counts_with_what_it_takes_of_memory() {
        let root = std::env::temp_dir().join(format!("evictd-facts-{}", std::process::id()));
        let put = |name: &str, text: &str| {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        put("proc/meminfo", "MemTotal: 1000 kB\nZswap: 0 kB\n");
        assert_eq!(compressed_below(&root), None);
        put("proc/meminfo", "MemTotal: 1000 kB\nZswap: 4 kB\n");
        put(
            "sys/block/zram0/mm_stat",
            " 8192 1000 4096 0 4096 0 0 0 0\n",
        );
        put("sys/block/zram2/mm_stat", "8192 1000 8192 0 8192 0 0 0\n");
        put("sys/block/zram3/mm_stat", "8192\n");
        assert_eq!(compressed_below(&root), Some(16384));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
