use core::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Something that not every machine, or not every user of it, has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The memory, pids and freezer hierarchies of cgroup v1, to make cgroups in: root.
    CgroupV1,
    /// A mounted cgroup2 hierarchy, whatever its controllers, to make cgroups in: root.
    Cgroup2,
    /// One of these two: root.
    Cgroups,
    /// The memory controller of either version, to make cgroups in: root.
    MemoryCgroups,
    /// The pids controller of either version, to make cgroups in: root.
    PidsCgroups,
    /// `/proc/sys/kernel/ns_last_pid`, to choose the number of the next process: root.
    ChosenPids,
    /// `CAP_SYS_ADMIN`, to mount and unmount.
    Mounting,
    /// A file as a block device, and an XFS filesystem in it.
    XfsInAFile,
    /// A file as a block device, and an ext4 filesystem in it.
    Ext4InAFile,
    /// The real user 0.
    Root,
}

impl Need {
    /// Whether this machine has it, and this process may use it.
    #[must_use]
    pub fn is_met(self) -> bool {
        match self {
            Self::CgroupV1 => {
                let controllers = ["memory", "pids", "freezer"];
                is_root() && controllers.iter().all(|name| has_v1(name))
            }
            Self::Cgroup2 => is_root() && unified().is_some(),
            Self::Cgroups => Self::CgroupV1.is_met() || Self::Cgroup2.is_met(),
            Self::MemoryCgroups => is_root() && (has_v1("memory") || has_v2("memory")),
            Self::PidsCgroups => is_root() && (has_v1("pids") || has_v2("pids")),
            Self::ChosenPids => is_root() && Path::new("/proc/sys/kernel/ns_last_pid").exists(),
            Self::Mounting => may_mount(),
            Self::XfsInAFile => {
                may_mount()
                    && Path::new("/dev/loop-control").exists()
                    && runs("mkfs.xfs", "-V")
                    && runs("xfs_io", "-V")
            }
            Self::Ext4InAFile => {
                may_mount() && Path::new("/dev/loop-control").exists() && runs("mkfs.ext4", "-V")
            }
            Self::Root => is_root(),
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CgroupV1 => "cgroup v1 and root",
            Self::Cgroup2 => "a cgroup2 mount and root",
            Self::Cgroups => "cgroups and root",
            Self::MemoryCgroups => "the memory controller and root",
            Self::PidsCgroups => "the pids controller and root",
            Self::ChosenPids => "the right to choose process ids, and root",
            Self::Mounting => "the right to mount",
            Self::XfsInAFile => "the right to mount, loop devices and xfsprogs",
            Self::Ext4InAFile => "the right to mount, loop devices and e2fsprogs",
            Self::Root => "root",
        })
    }
}

/// The value of a line of `/proc/self/status`.
fn status(key: &str) -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().to_owned())
}

fn is_root() -> bool {
    // Real, effective, saved and filesystem user.
    status("Uid:").is_some_and(|uids| uids.split_whitespace().all(|uid| uid == "0"))
}

fn may_mount() -> bool {
    const SYS_ADMIN: u32 = 21;
    let effective = status("CapEff:").and_then(|text| u64::from_str_radix(&text, 16).ok());
    effective.is_some_and(|bits| bits >> SYS_ADMIN & 1 == 1)
}

/// Mount point, type and superblock options of each mount.
fn mounts() -> Vec<(String, String, String)> {
    let text = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mount = |line: &str| {
        let mut words = line.split(' ').skip(1).map(str::to_owned);
        Some((words.next()?, words.next()?, words.next()?))
    };
    text.lines().filter_map(mount).collect()
}

fn has_v1(controller: &str) -> bool {
    let is_it = |options: &str| options.split(',').any(|option| option == controller);
    mounts()
        .iter()
        .any(|(_, kind, options)| kind == "cgroup" && is_it(options))
}

fn unified() -> Option<String> {
    let unified = mounts().into_iter().find(|(_, kind, _)| kind == "cgroup2");
    unified.map(|(place, _, _)| place)
}

/// Whether a cgroup made below the root has it.
fn has_v2(controller: &str) -> bool {
    let file = unified().map(|place| Path::new(&place).join("cgroup.subtree_control"));
    let handed_out = file.and_then(|file| fs::read_to_string(file).ok());
    handed_out.is_some_and(|names| names.split_whitespace().any(|name| name == controller))
}

fn runs(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument).stdout(Stdio::null());
    command.stderr(Stdio::null()).status().is_ok()
}
