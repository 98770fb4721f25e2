//! What this machine is, as far as it matters for eviction.

use std::path::Path;

use evictd_config::ContainerRuntimes;
use evictd_machine::facts::read_text;
use evictd_node::{Amount, Layout};
use evictd_pods::runtimes::answering;
use evictd_stats::{Hierarchies, Version};
use rustix::fs::statfs;
use rustix::system::uname;
use serde::Serialize;

use crate::sampled::Sampled;

/// What is known of it. What cannot be read is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Facts {
    pub(super) kernel: String,
    /// `v1`, `v2`, or `none` where no controller counts memory.
    pub(super) cgroup: String,
    pub(super) memory_bytes: Option<i64>,
    pub(super) swaps: Vec<Swap>,
    /// Whether the kernel tells of stalls (`/proc/pressure`).
    pub(super) tells_pressure: bool,
    /// In their own words.
    pub(super) runtimes: Vec<String>,
    /// One that has kept containers here, where none answers.
    pub(super) silent: Option<&'static str>,
    pub(super) layout: String,
    pub(super) pods: usize,
    /// Who starts services here, where `--pods-of` knows it.
    pub(super) init: Option<&'static str>,
    /// How many bytes the disk of pods has, where a reserve can lie on it.
    pub(super) reservable_bytes: Option<u64>,
    /// Who looks is not root: runtimes do not answer, and other users' files are not measured.
    pub(super) is_user: bool,
}

/// A place for pages that are swapped out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Swap {
    pub(super) name: String,
    pub(super) bytes: u64,
    /// It lies in memory, compressed.
    pub(super) is_memory: bool,
}

impl Facts {
    /// What is seen now; the second are problems for people to read.
    pub(super) fn read(runtimes: &ContainerRuntimes, sampled: &Sampled) -> (Self, Vec<String>) {
        let hierarchies = Hierarchies::read(Path::new("/proc")).ok();
        let memory = hierarchies.as_ref().and_then(|of| of.memory.as_ref());
        let (runtimes, problems) = answering(runtimes);
        let of_node = sampled.readings.get(evictd_node::Signal::MemoryAvailable);
        let silent = runtimes.is_empty().then(has_kept_containers).flatten();
        let facts = Self {
            silent,
            kernel: uname().release().to_string_lossy().into_owned(),
            cgroup: String::from(match memory.map(|of| of.version) {
                Some(Version::V1) => "v1",
                Some(Version::V2) => "v2",
                None => "none",
            }),
            memory_bytes: of_node.map(|reading| reading.capacity),
            swaps: swaps(&read_text("/proc/swaps".as_ref()).unwrap_or_default()),
            tells_pressure: read_text("/proc/pressure/memory".as_ref()).is_ok(),
            runtimes: runtimes
                .into_iter()
                .filter_map(|mut runtime| {
                    let version = runtime.version().ok()?;
                    Some(format!("{version} at {}", runtime.endpoint()))
                })
                .collect(),
            layout: String::from(match sampled.layout() {
                Layout::OneFilesystem => "one for pods, images and layers",
                Layout::DedicatedImagefs => "images and layers have their own",
                Layout::SplitImagefs => "images have their own",
            }),
            pods: sampled.pods(),
            init: init(),
            reservable_bytes: reservable(sampled.nodefs()),
            is_user: !rustix::process::geteuid().is_root(),
        };
        (facts, problems)
    }

    /// A line for each.
    pub(super) fn in_words(&self) -> Vec<String> {
        let memory = self
            .memory_bytes
            .and_then(|bytes| u64::try_from(bytes).ok());
        let memory = memory.map(|bytes| format!("{} of memory", Amount::bytes(bytes)));
        let swaps = self.swaps.iter().map(|swap| {
            let kind = if swap.is_memory {
                ", which is memory"
            } else {
                ""
            };
            format!(
                "{} of swap on {}{kind}",
                Amount::bytes(swap.bytes),
                swap.name
            )
        });
        let mut parts: Vec<String> = memory.into_iter().chain(swaps).collect();
        if self.swaps.is_empty() {
            parts.push(String::from("no swap"));
        }
        parts.push(String::from(if self.tells_pressure {
            "the kernel tells of stalls"
        } else {
            "the kernel does not tell of stalls (psi=1 on its command line)"
        }));
        let cgroup = match &*self.cgroup {
            "none" => "no cgroup counts memory",
            "v1" => "cgroup v1",
            _ => "cgroup v2",
        };
        let runtimes = match self.silent {
            Some(name) => format!("no container runtime answers: is {name} stopped?"),
            None if self.runtimes.is_empty() => String::from("no container runtime answers"),
            None => self.runtimes.join("; "),
        };
        let pods = match self.pods {
            0 => String::from("no pods"),
            1 => String::from("1 pod"),
            pods => format!("{pods} pods"),
        };
        vec![
            format!("Linux {}, {cgroup}; {}", self.kernel, parts.join(", ")),
            format!("{pods}; {runtimes}"),
            format!("filesystems: {}", self.layout),
        ]
    }
}

/// What `/proc/swaps` lists.
fn swaps(text: &str) -> Vec<Swap> {
    let lines = text.lines().skip(1).take(16);
    let swap = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        let kib: u64 = words.nth(1)?.parse().ok()?;
        Some(Swap {
            is_memory: name.starts_with("/dev/zram"),
            name,
            bytes: kib.saturating_mul(1024),
        })
    };
    lines.filter_map(swap).collect()
}

fn has_kept_containers() -> Option<&'static str> {
    let homes = [
        ("/var/lib/docker", "dockerd"),
        ("/var/lib/containerd", "containerd"),
        ("/var/lib/containers/storage", "podman.socket"),
    ];
    let found = homes.iter().find(|(home, _)| Path::new(home).is_dir());
    found.map(|(_, name)| *name)
}

fn init() -> Option<&'static str> {
    if Path::new("/run/systemd/system").is_dir() {
        Some("systemd")
    } else {
        Path::new("/run/openrc").is_dir().then_some("openrc")
    }
}

/// The size of a filesystem on which `--reserve-file` is taken: ext2 to ext4, XFS.
fn reservable(path: &Path) -> Option<u64> {
    const EXT: u64 = 0xEF53;
    const XFS: u64 = 0x5846_5342;
    let of = statfs(path).ok()?;
    let kind = u64::try_from(of.f_type).ok()?;
    let bytes = u64::try_from(of.f_bsize).ok()?.checked_mul(of.f_blocks)?;
    [EXT, XFS].contains(&kind).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_in_memory_is_told_from_swap_on_a_disk() {
        let text = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
            /dev/zram0                              partition\t2097148\t\t0\t\t100\n\
            /var/swap                               file\t\t102396\t\t0\t\t-2\nodd\n";
        let of = |name: &str, bytes, is_memory| Swap {
            name: name.into(),
            bytes,
            is_memory,
        };
        let expected = [
            of("/dev/zram0", 2_147_479_552, true),
            of("/var/swap", 104_853_504, false),
        ];
        assert_eq!(swaps(text), expected);
        assert_eq!(swaps(""), []);
    }
}
