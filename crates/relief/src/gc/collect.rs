use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_cgroup::{
    FoundPod, Freed, Leftover, LeftoverKind, Leftovers, Origin, SkipReason, Skipped,
};
use evictd_config::Paths;
use evictd_gc::{Kind, KnownPod, Node, Uid, is_uid, plan_logs};
use evictd_node::Amount;
use evictd_node::kubepods::parse_kubepods_name;
use evictd_node::pod::Pod;
use evictd_pods::{AllPods, Pods};
use evictd_stats::{PROC, wall_seconds};
use serde::Serialize;

use crate::confined::confined;

/// Collects what pods left, in directories that were named on the command line.
#[derive(Clone)]
pub struct Collector {
    logs: Option<PathBuf>,
    root: Option<PathBuf>,
}

/// Something that was, or would be, deleted, and why; as JSON, what `evictd gc` prints.
#[derive(Serialize)]
pub struct Deleted {
    /// Where it lies.
    pub path: String,
    /// What it is.
    pub kind: &'static str,
    /// How much it takes, where that is known.
    pub bytes: Option<u64>,
    /// Why it is to go.
    pub reason: String,
}

/// What a collection did.
#[derive(Default)]
pub struct Collected {
    /// In this order.
    pub deleted: Vec<Deleted>,
    /// How much that was.
    pub freed: Freed,
    /// Whether something that should have gone is still there, or could not be looked at.
    pub has_failed: bool,
    /// What could not be read or deleted, or was left on purpose.
    pub notes: Vec<String>,
}

impl Collected {
    /// Whether there was nothing to do, and nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.freed.deleted == 0 && self.deleted.is_empty() && self.notes.is_empty()
    }

    /// In one line, for a log.
    pub(crate) fn summary(&self) -> String {
        let (count, bytes) = (self.freed.deleted, Amount::bytes(self.freed.bytes));
        let line = format!("deleted {count} files and directories of dead pods, {bytes} freed");
        let parts = core::iter::once(&line).chain(&self.notes);
        parts.map(String::as_str).collect::<Vec<&str>>().join("; ")
    }
}

/// What lies in the directories that were named.
pub struct Found {
    leftovers: Leftovers,
    found: Vec<Leftover>,
    notes: Vec<String>,
}

/// What of it is to be deleted, each with why.
pub struct Chosen {
    leftovers: Leftovers,
    chosen: Vec<(Leftover, Deleted)>,
    notes: Vec<String>,
    has_failed: bool,
}

impl Collector {
    /// `None` where no directory was named: then nothing is ever deleted.
    pub fn of(paths: &Paths) -> Option<Self> {
        let logs = paths.pod_logs_dir.deletable().map(Path::to_path_buf);
        let root = paths.root_dir.deletable().map(Path::to_path_buf);
        (logs.is_some() || root.is_some()).then_some(Self { logs, root })
    }

    /// Empties what a pod that was evicted left in memory: emptyDir volumes that are a tmpfs.
    ///
    /// # Errors
    /// When a directory cannot be opened, or not all could be deleted.
    pub(super) fn empty_memory(&self, uid: &str) -> Result<Freed, String> {
        let leftovers = Leftovers::open(Path::new(PROC), None, self.root.as_deref());
        let leftovers = leftovers.map_err(|error| error.to_string())?;
        let directories: Vec<BorrowedFd<'_>> = leftovers.directories().collect();
        let empty = || leftovers.empty_memory(uid, &mut |_| true);
        let freed = confined(&directories, empty)?;
        match freed.errors.first() {
            None => Ok(freed),
            Some(error) => Err(format!("what pod uid {uid} left in memory: {error}")),
        }
    }

    /// Lists what is left.
    ///
    /// # Errors
    /// When a directory cannot be opened.
    pub fn list(&self) -> Result<Found, String> {
        let (logs, root) = (self.logs.as_deref(), self.root.as_deref());
        let leftovers = Leftovers::open(Path::new(PROC), logs, root);
        let leftovers = leftovers.map_err(|error| error.to_string())?;
        let (found, errors) = leftovers.list();
        Ok(Found {
            leftovers,
            found,
            notes: errors.iter().map(ToString::to_string).collect(),
        })
    }

    /// Chooses what is to be deleted. The pods are listed anew, after what is left was: so
    /// nothing of a pod that started meanwhile is chosen. `ended` are the uids of pods that
    /// evictd has evicted, of which nothing has to be waited for.
    ///
    /// # Errors
    /// When it cannot be told for sure which pods there are.
    pub fn choose(&self, pods: &mut Pods, found: Found, ended: &[&str]) -> Result<Chosen, String> {
        let Found {
            leftovers,
            found,
            mut notes,
        } = found;
        let has_failed = !notes.is_empty();
        let there = pods.all_pods();
        doubt(&there)?;
        let uids = passed_over_uids(&there);
        let known = known(&there, &uids, ended);
        if self.root.is_some() && known.iter().any(|pod| pod.uid == Uid::Unknown) {
            notes.push(String::from(
                "volumes are left alone: the manifest of a pod has no uid, so nobody can say whose they are",
            ));
        }
        let all: Vec<evictd_gc::Leftover<'_>> = found.iter().map(leftover).collect();
        let node = Node {
            pods: &known,
            ended,
            now_seconds: i64::try_from(wall_seconds()).unwrap_or(i64::MAX),
        };
        let chosen = plan_logs(&all, &node).into_iter().filter_map(|one| {
            let found = found.get(one.index)?;
            let deleted = Deleted {
                path: leftovers.path(found).to_string_lossy().into_owned(),
                kind: one.kind.name(),
                bytes: found.bytes,
                reason: one.reason,
            };
            Some((found.clone(), deleted))
        });
        let chosen = chosen.collect();
        Ok(Chosen {
            leftovers,
            chosen,
            notes,
            has_failed,
        })
    }
}

impl Chosen {
    pub(crate) const fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// What would be deleted.
    pub fn look(self) -> Collected {
        Collected {
            deleted: self
                .chosen
                .into_iter()
                .map(|(_, deleted)| deleted)
                .collect(),
            freed: Freed::default(),
            has_failed: self.has_failed,
            notes: self.notes,
        }
    }

    /// Deletes all of it, on a thread that can write there alone. `go_on` is asked after each
    /// file and directory, with how many there were.
    ///
    /// # Errors
    /// Where the kernel gives no thread.
    pub fn delete(self, go_on: &mut (dyn FnMut(u64) -> bool + Send)) -> Result<Collected, String> {
        let (chosen, told): (Vec<Leftover>, Vec<Deleted>) = self.chosen.into_iter().unzip();
        let (mut told, mut deleted) = (told.into_iter(), Vec::new());
        let leftovers = &self.leftovers;
        let directories: Vec<BorrowedFd<'_>> = leftovers.directories().collect();
        let freed = confined(&directories, || {
            leftovers.delete(&mut chosen.iter(), go_on, &mut |_, count| {
                deleted.extend(told.next().filter(|_| count > 0));
            })
        })?;
        let mut notes = self.notes;
        notes.extend(freed.errors.iter().map(ToString::to_string));
        Ok(Collected {
            deleted,
            has_failed: self.has_failed || !freed.errors.is_empty(),
            freed,
            notes,
        })
    }
}

fn leftover(found: &Leftover) -> evictd_gc::Leftover<'_> {
    evictd_gc::Leftover {
        kind: match found.kind {
            LeftoverKind::PodLogs => Kind::PodLogs,
            LeftoverKind::LogFile => Kind::LogFile,
            LeftoverKind::Volumes => Kind::Volumes,
        },
        pod: found.pod.to_bytes(),
        container: found.container.to_bytes(),
        file: found.file.to_bytes(),
        modified_seconds: found.modified_seconds,
    }
}

/// Which pods would be taken for gone because something could not be asked.
fn doubt(pods: &AllPods<'_>) -> Result<(), String> {
    let nothing = "so nothing is deleted";
    let failed = |skipped: &&Skipped| matches!(skipped.reason, SkipReason::Failed(_));
    let failed = pods.listing.skipped.iter().find(failed);
    let failed = failed.map(|skipped| format!("cgroup {skipped}"));
    let problems = pods.problems.iter().chain(&pods.unasked).chain(&failed);
    if let Some(problem) = problems.into_iter().next() {
        return Err(format!("{problem}; there may be more pods, {nothing}"));
    }
    let hierarchies = pods.hierarchies;
    let all = [
        &hierarchies.memory,
        &hierarchies.pids,
        &hierarchies.unified,
        &hierarchies.freezer,
    ];
    let Some(first) = all.into_iter().flatten().next() else {
        return Err(format!(
            "no cgroup hierarchy says which pods run, {nothing}"
        ));
    };
    let mut kubepods = ["kubepods", "kubepods.slice"].iter();
    if pods.is_told || kubepods.any(|name| first.below(Path::new(name)).is_dir()) {
        return Ok(());
    }
    Err(format!(
        "there is no kubepods tree, and neither --pod-cgroup-root nor --pod-manifest-path \
         says which pods there are, {nothing}"
    ))
}

/// The pods whose things stay: what runs, what may run, what has a manifest and was
/// not evicted. As with the kubelet, the manifest of an evicted pod keeps nothing:
/// the next pod would have to go for what this one left.
fn known<'a>(pods: &'a AllPods<'_>, uids: &'a [String], ended: &[&str]) -> Vec<KnownPod<'a>> {
    let listing = &pods.listing;
    let manifests = listing.not_running.iter();
    let manifests = manifests
        .filter_map(|index| pods.manifests.get(*index))
        .filter(|pod| !ended.contains(&pod.metadata.uid.as_str()));
    let skipped = passed_over(pods).filter_map(|skipped| skipped.cgroup.file_name()?.to_str());
    let mut known: Vec<KnownPod<'_>> = listing.pods.iter().map(running).collect();
    known.extend(manifests.map(|pod| described(pod)));
    known.extend(skipped.map(plain));
    known.extend(uids.iter().map(|uid| KnownPod {
        uid: Uid::Is(uid),
        namespace: None,
        name: "",
    }));
    known
}

/// Cgroups that run but are no candidates: evictd itself may be in one.
fn passed_over<'a>(pods: &'a AllPods<'_>) -> impl Iterator<Item = &'a Skipped> {
    let skipped = pods.listing.skipped.iter();
    skipped.filter(|skipped| skipped.reason != SkipReason::NoProcesses)
}

/// The uids of those in a kubepods tree.
fn passed_over_uids(pods: &AllPods<'_>) -> Vec<String> {
    let uid = |skipped: &Skipped| {
        let name = skipped.cgroup.file_name()?;
        parse_kubepods_name(name.as_bytes())?.uid()
    };
    passed_over(pods).filter_map(uid).collect()
}

fn running(found: &FoundPod) -> KnownPod<'_> {
    match (found.manifest, found.origin) {
        (None, Origin::PodCgroupRoot | Origin::Service) => plain(&found.pod.metadata.name),
        (Some(_), _) | (None, Origin::Kubepods | Origin::Runtime) => described(&found.pod),
    }
}

fn described(pod: &Pod) -> KnownPod<'_> {
    let metadata = &pod.metadata;
    let namespace = match metadata.namespace.as_str() {
        "" => "default",
        namespace => namespace,
    };
    // One without a uid has its cgroup's path for one, where it runs.
    let uid = match metadata.uid.as_str() {
        uid if is_uid(uid.as_bytes()) => Uid::Is(uid),
        _ => Uid::Unknown,
    };
    KnownPod {
        uid,
        namespace: Some(namespace),
        name: &metadata.name,
    }
}

/// A pod that is a plain cgroup or a unit of systemd: `NAMESPACE_NAME` or `NAME`.
fn plain(cgroup: &str) -> KnownPod<'_> {
    let kinds = [".service", ".scope", ".slice"];
    let bare = kinds.iter().find_map(|kind| cgroup.strip_suffix(kind));
    let bare = bare.unwrap_or(cgroup);
    let (namespace, name) = match bare.split_once('_') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, bare),
    };
    KnownPod {
        uid: Uid::Without,
        namespace,
        name,
    }
}
