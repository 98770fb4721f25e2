//! Which processes write a log, and how they have it open.
//!
//! A process in a pod may have as many files open as it likes, and share them with others:
//! each of its descriptors is a question more. So the machine's own processes are asked
//! first, all of them, which no pod makes. The others are asked only where that gives no
//! writer for a log (its runtime may run without root). Each round asks a limited number of
//! them, in turns between the containers, and the next round goes on where it stopped.

use alloc::collections::{BTreeMap, VecDeque};
use std::ffi::OsStr;
use std::fs::{DirEntry, File, read, read_dir, read_link};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use evictd_gc::LogWriter;
use evictd_kerntext::parse_open_file;
use rustix::fs::stat;

use super::find::Log;

/// How many descriptors are asked about that may be a pod's.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// Of a container, or of a service or user, in a turn.
    pub(super) turn: usize,
    /// Of all of them at a time.
    pub(super) most: usize,
}

pub(super) const BOUNDS: Bounds = Bounds {
    turn: 1024,
    most: 32_768,
};

/// How many parts of a cgroup's path say whose a process is:
/// `/kubepods/burstable/podUID`, `/system.slice/docker-ID.scope`,
/// `/user.slice/user-1000.slice/user@1000.service`. Below these a tenant makes its own.
const PARTS: usize = 3;

/// A shorter one may stand in any cgroup's path.
const SHORTEST_ID: usize = 12;

/// Finds those that write logs.
pub(super) struct Writers {
    proc: PathBuf,
    bounds: Bounds,
    /// Where each of those that were not asked about everything is to go on.
    stopped: Mutex<BTreeMap<Vec<u8>, Place>>,
}

/// A process, and how many of its descriptors were asked about.
type Place = (u32, usize);

impl Writers {
    pub(super) const fn new(proc: PathBuf, bounds: Bounds) -> Self {
        Self {
            proc,
            bounds,
            stopped: Mutex::new(BTreeMap::new()),
        }
    }

    /// For each log how its writers have it open, as far as they are known.
    pub(super) fn find(&self, logs: &[Log]) -> Vec<LogWriter> {
        self.search(logs).found
    }

    pub(super) fn search<'a>(&self, logs: &'a [Log]) -> Search<'a> {
        let mut search = Search {
            logs,
            found: vec![LogWriter::Nobody; logs.len()],
            looked_at: 0,
        };
        let (own, others) = self.processes();
        for process in own {
            search.look_at(&self.proc.join(process.to_string()), 0, usize::MAX);
        }
        if search.found.contains(&LogWriter::Nobody) {
            self.ask(others, &mut search);
        }
        search
    }

    /// The machine's own processes, and the others.
    fn processes(&self) -> (Vec<u32>, Vec<u32>) {
        // Who may not look at the first process sees what it sees, as a rule.
        let init = namespace(&self.proc.join("1"));
        let init = init.or_else(|| namespace(&self.proc.join("self")));
        let ids = entries(&self.proc).filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.partition(|id: &u32| {
            let process = self.proc.join(id.to_string());
            init.is_some() && namespace(&process) == init && is_roots(&process)
        })
    }

    /// In turns.
    fn ask(&self, processes: Vec<u32>, search: &mut Search<'_>) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let mut groups = BTreeMap::<Vec<u8>, Vec<u32>>::new();
        for process in processes {
            let of = self.whose(process, search.logs);
            groups.entry(of).or_default().push(process);
        }
        // Where a process is that it stopped at, and how far it came with it.
        let mut turns: VecDeque<(Vec<u8>, Turns)> = groups
            .into_iter()
            .map(|(of, mut processes)| {
                processes.sort_unstable();
                let (at, from) = stopped.get(&of).copied().unwrap_or_default();
                let first = processes.partition_point(|process| *process < at);
                processes.rotate_left(first);
                let from = if processes.first() == Some(&at) {
                    from
                } else {
                    0
                };
                (
                    of,
                    Turns {
                        left: processes.into(),
                        from,
                    },
                )
            })
            .collect();
        stopped.clear();
        let mut left = self.bounds.most;
        while let Some((of, mut group)) = turns.pop_front() {
            let turn = self.bounds.turn.min(left);
            let spent = group.take_turn(turn, &self.proc, search);
            left = left.saturating_sub(spent);
            match group.left.front() {
                None => {}
                Some(_) if left > 0 => turns.push_back((of, group)),
                Some(at) => {
                    stopped.insert(of, (*at, group.from));
                }
            }
        }
    }

    /// What a process is counted to.
    fn whose(&self, process: u32, logs: &[Log]) -> Vec<u8> {
        let mut text = String::new();
        let file = File::open(self.proc.join(process.to_string()).join("cgroup"));
        let _ = file.and_then(|file| file.take(8192).read_to_string(&mut text));
        let mut named = logs.iter().filter(|log| log.id.len() >= SHORTEST_ID);
        if let Some(log) = named.find(|log| text.contains(&*log.id)) {
            return log.id.as_bytes().to_vec();
        }
        let path = text
            .lines()
            .next()
            .and_then(|line| line.splitn(3, ':').nth(2));
        let parts: Vec<&str> = path.unwrap_or("").split('/').take(PARTS + 1).collect();
        parts.join("/").into_bytes()
    }
}

/// Those of a container that are still to be asked about.
struct Turns {
    left: VecDeque<u32>,
    /// How many descriptors of the first were asked about.
    from: usize,
}

impl Turns {
    /// Returns how many descriptors that were.
    fn take_turn(&mut self, turn: usize, proc: &Path, search: &mut Search<'_>) -> usize {
        let mut spent = 0;
        while spent < turn
            && let Some(process) = self.left.front()
        {
            let process = proc.join(process.to_string());
            let seen = search.look_at(&process, self.from, turn - spent);
            spent += seen.max(1); // a process is a question too
            if seen > 0 && spent >= turn {
                self.from += seen;
            } else {
                self.left.pop_front();
                self.from = 0;
            }
        }
        spent
    }
}

/// What was found so far.
pub(super) struct Search<'a> {
    logs: &'a [Log],
    pub(super) found: Vec<LogWriter>,
    /// How many descriptors were asked about.
    pub(super) looked_at: usize,
}

impl Search<'_> {
    /// Of all that a process has open only what bears a log's name is looked at closer: other
    /// files may lie on disks that do not answer. Returns how many descriptors that were.
    fn look_at(&mut self, process: &Path, from: usize, most: usize) -> usize {
        let mut seen: usize = 0;
        for open in entries(&process.join("fd")).skip(from).take(most) {
            seen = seen.saturating_add(1);
            let Ok(link) = read_link(open.path()) else {
                continue;
            };
            let all = self.logs.iter().zip(&mut self.found);
            let named = all.filter(|(log, _)| link.file_name() == Some(&log.file));
            for (_, writer) in named.filter(|(log, _)| is_it(&open.path(), log)) {
                *writer = (*writer).max(how(process, &open.file_name()));
            }
        }
        self.looked_at = self.looked_at.saturating_add(seen);
        seen
    }
}

/// What is gone meanwhile has none.
fn entries(directory: &Path) -> impl Iterator<Item = DirEntry> {
    read_dir(directory).into_iter().flatten().flatten()
}

/// Which tree of mounts a process sees.
fn namespace(process: &Path) -> Option<PathBuf> {
    read_link(process.join("ns/mnt")).ok()
}

/// Whether a process is root's by each of its four users: a program that is root by its file
/// was started by another, with what that had open.
fn is_roots(process: &Path) -> bool {
    let mut text = String::new();
    let file = File::open(process.join("status"));
    let read = file.and_then(|file| file.take(4096).read_to_string(&mut text));
    let users = text.lines().find_map(|line| line.strip_prefix("Uid:"));
    read.is_ok() && users.is_some_and(|users| users.split_whitespace().all(|user| user == "0"))
}

fn is_it(open: &Path, log: &Log) -> bool {
    let stat = stat(open);
    stat.is_ok_and(|stat| (stat.st_dev, stat.st_ino) == (log.looked.device, log.looked.inode))
}

/// What cannot be told is the worst.
fn how(process: &Path, number: &OsStr) -> LogWriter {
    let text = read(process.join("fdinfo").join(number));
    let file = text.ok().and_then(|text| parse_open_file(&text).ok());
    match file {
        Some(file) if !file.is_writable() => LogWriter::Nobody,
        Some(file) if file.appends() => LogWriter::Appends,
        _ => LogWriter::KeepsPosition,
    }
}
