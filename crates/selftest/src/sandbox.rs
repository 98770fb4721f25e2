//! The cgroups and processes of the self-test, removed whatever happens.

use core::time::Duration;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use evictd_machine::facts::{read_text, why_no_memory_controller};
use evictd_plain::Plain;
use evictd_stats::{Hierarchies, Hierarchy, Version};

use super::workload;

const NAME: &str = "evictd-selftest-";

/// A pod that the self-test runs.
pub(super) struct Load {
    pub(super) name: &'static str,
    pub(super) bytes: u64,
    /// Bytes a second; 0 as fast as memory allows.
    pub(super) pace: u64,
    /// What it requests, as its cgroup says.
    pub(super) request: u64,
}

/// What the memory controller calls its files.
struct Files {
    limit: &'static str,
    request: &'static str,
    usage: &'static str,
    /// With a line `oom_kill N`.
    oom_kills: &'static str,
}

const fn files(version: Version) -> Files {
    match version {
        Version::V1 => Files {
            limit: "memory.limit_in_bytes",
            request: "memory.soft_limit_in_bytes",
            usage: "memory.usage_in_bytes",
            oom_kills: "memory.oom_control",
        },
        Version::V2 => Files {
            limit: "memory.max",
            request: "memory.low",
            usage: "memory.current",
            oom_kills: "memory.events",
        },
    }
}

/// A cgroup with a memory limit, and the pods below it.
pub(super) struct Sandbox {
    /// The cgroup, from the root of each hierarchy.
    pub(super) cgroup: PathBuf,
    pub(super) hierarchies: Hierarchies,
    pub(super) memory: Hierarchy,
    files: Files,
    /// The hierarchies that a pod of the self-test is in, each once.
    each: Vec<Hierarchy>,
    /// Directories that were made, parents first.
    made: Vec<PathBuf>,
    /// The root's `cgroup.subtree_control`, where memory is to be taken away again.
    delegated: Option<PathBuf>,
    children: Vec<(&'static str, Child)>,
}

impl Sandbox {
    /// Makes the cgroup with its limit in every hierarchy that a kill uses.
    pub(super) fn make(hierarchies: Hierarchies, limit: u64) -> Result<Self, String> {
        let memory = hierarchies.memory.clone().ok_or_else(|| {
            let why = why_no_memory_controller(&hierarchies);
            format!("no memory controller: {why}")
        })?;
        let mut each = vec![memory.clone()];
        for other in [&hierarchies.pids, &hierarchies.freezer]
            .into_iter()
            .flatten()
        {
            if each
                .iter()
                .all(|known| known.mount_point != other.mount_point)
            {
                each.push(other.clone());
            }
        }
        let mut sandbox = Self {
            cgroup: PathBuf::from(format!("{NAME}{}", std::process::id())),
            hierarchies,
            files: files(memory.version),
            memory,
            each,
            made: Vec::new(),
            delegated: None,
            children: Vec::new(),
        };
        sandbox.each.iter().for_each(remove_stale);
        sandbox.delegate_root()?;
        sandbox.make_cgroup("")?;
        // Version 1 is hierarchical by itself since Linux 5.11; before, it has to be asked for.
        let _ = sandbox.set("", "memory.use_hierarchy", "1");
        sandbox.set("", sandbox.files.limit, &limit.to_string())?;
        if sandbox.memory.version == Version::V2 {
            let _ = sandbox.set("", "memory.swap.max", "0");
            sandbox.set("", "cgroup.subtree_control", "+memory")?;
            let _ = sandbox.set("", "cgroup.subtree_control", "+pids");
        }
        Ok(sandbox)
    }

    /// On v2 a cgroup has a controller only if its parent hands it down.
    fn delegate_root(&mut self) -> Result<(), String> {
        if self.memory.version == Version::V1 {
            return Ok(());
        }
        let control = self.memory.mount_point.join("cgroup.subtree_control");
        let before = read_text(&control).map_err(at(&control))?;
        if before
            .split_whitespace()
            .all(|controller| controller != "memory")
        {
            fs::write(&control, "+memory").map_err(at(&control))?;
            self.delegated = Some(control);
        }
        Ok(())
    }

    /// Starts a pod in a cgroup of its own.
    pub(super) fn start(&mut self, load: &Load) -> Result<(), String> {
        self.make_cgroup(load.name)?;
        if load.request > 0 {
            self.set(load.name, self.files.request, &load.request.to_string())?;
        }
        let below = self.cgroup.join(load.name);
        let numbers = [u64::from(std::process::id()), load.bytes, load.pace];
        let mut arguments = vec![workload::ARGUMENT.to_owned()];
        arguments.extend(numbers.map(|number| number.to_string()));
        arguments.extend(self.each.iter().map(|hierarchy| {
            let procs = hierarchy.below(&below).join("cgroup.procs");
            procs.to_string_lossy().into_owned()
        }));
        let child = Command::new("/proc/self/exe")
            .args(&arguments)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start pod {}: {error}", load.name))?;
        self.children.push((load.name, child));
        Ok(())
    }

    /// Whether the pod's process has not ended.
    pub(super) fn is_running(&mut self, name: &str) -> bool {
        let child = self.children.iter_mut().find(|(of, _)| *of == name);
        child.is_some_and(|(_, child)| matches!(child.try_wait(), Ok(None)))
    }

    /// The file that says how much a pod, or with `""` all of them, uses.
    pub(super) fn usage_file(&self, name: &str) -> PathBuf {
        self.memory_file(name, self.files.usage)
    }

    /// How many processes the kernel's OOM killer has killed here.
    pub(super) fn oom_kills(&self, name: &str) -> Option<u64> {
        let text = read_text(&self.memory_file(name, self.files.oom_kills)).ok()?;
        let mut lines = text.lines();
        let count = lines.find_map(|line| line.strip_prefix("oom_kill "))?;
        count.trim().parse().ok()
    }

    /// Kills what runs and removes what was made; what could not be is named.
    pub(super) fn remove(&mut self) -> Vec<String> {
        for (_, child) in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        self.children.clear();
        let mut left = Vec::new();
        for dir in self.made.drain(..).rev() {
            if let Err(error) = remove_dir(&dir) {
                left.push(format!("{}: {error}", dir.display()));
            }
        }
        if let Some(control) = self.delegated.take()
            && let Err(error) = fs::write(&control, "-memory")
        {
            left.push(format!("{}: {error}", control.display()));
        }
        left
    }

    fn make_cgroup(&mut self, name: &str) -> Result<(), String> {
        let below = self.cgroup.join(name);
        for hierarchy in &self.each {
            let dir = hierarchy.below(&below);
            fs::create_dir(&dir).map_err(at(&dir))?;
            self.made.push(dir);
        }
        Ok(())
    }

    fn memory_file(&self, name: &str, file: &str) -> PathBuf {
        self.memory.below(&self.cgroup.join(name)).join(file)
    }

    fn set(&self, name: &str, file: &str, value: &str) -> Result<(), String> {
        let path = self.memory_file(name, file);
        fs::write(&path, value).map_err(at(&path))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for left in self.remove() {
            eprintln!("evictd selftest: left behind: {}", Plain(left));
        }
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// A cgroup stays busy for a moment after its last process was reaped.
fn remove_dir(dir: &Path) -> io::Result<()> {
    for _ in 0..200 {
        match fs::remove_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            done => return done,
        }
    }
    fs::remove_dir(dir)
}

/// Removes what a self-test that was killed could not.
fn remove_stale(hierarchy: &Hierarchy) {
    let Ok(entries) = fs::read_dir(&hierarchy.mount_point) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(NAME));
        if pid.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            for pod in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                let _ = fs::remove_dir(pod.path());
            }
            let _ = fs::remove_dir(entry.path());
        }
    }
}
