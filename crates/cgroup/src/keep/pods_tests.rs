//! Pods that keep what they request.

use evictd_sys::Directory;

use super::tests::{cgroup, first_word, v2};
use super::*;
use crate::knobs::KnobJournal;
use crate::testkit::Fixture;

const MIB: u64 = 1 << 20;

/// A tree of cgroups, and evictd's state directory beside it.
struct Machine {
    cgroups: Fixture,
    state: Fixture,
}

impl Machine {
    fn new(cgroups: &[&str]) -> Self {
        let fixture = Fixture::new();
        for path in cgroups {
            cgroup(&fixture, path, 6 * MIB);
            fixture.file(&format!("{path}/memory.low"), "0\n");
        }
        Self {
            cgroups: fixture,
            state: Fixture::new(),
        }
    }

    /// As evictd starts.
    fn keep_alive(&self, names: &[&str]) -> KeepAlive {
        let journal = KnobJournal {
            directory: Arc::new(Directory::open(self.state.path()).unwrap()),
            name: "kept",
            spare: "kept.spare",
            boot_id: String::from("a-boot"),
        };
        let places = v2(&self.cgroups);
        let knobs = Knobs::open(places.clone(), Some(journal));
        let names = names.iter().map(ToString::to_string).collect();
        KeepAlive::new(names, places, knobs)
    }

    fn says(&self, path: &str, file: &str, text: &str) {
        self.cgroups.file(&format!("{path}/{file}"), text);
    }

    /// `memory.min` and `memory.low`, in MiB.
    fn kept(&self, path: &str) -> (u64, u64) {
        let mib = |file| first_word(&self.cgroups, &format!("{path}/{file}")) / MIB;
        (mib("memory.min"), mib("memory.low"))
    }
}

fn min(path: &str, mib: u64) -> KeptPod {
    KeptPod {
        cgroup: Path::new(path).into(),
        bytes: mib * MIB,
        file: KnobFile::MemoryMin,
        by_cgroup: false,
    }
}

fn low(path: &str, mib: u64) -> KeptPod {
    KeptPod {
        file: KnobFile::MemoryLow,
        ..min(path, mib)
    }
}

fn by_cgroup(path: &str, mib: u64) -> KeptPod {
    KeptPod {
        by_cgroup: true,
        ..low(path, mib)
    }
}

/// Acceptance row 441: in each file the cgroups above have what all below them have.
#[test]
fn pods_keep_what_they_request_and_those_above_as_much() {
    let machine = Machine::new(&[
        "pods",
        "pods/firm",
        "pods/deep",
        "pods/deep/soft",
        "pods/new",
    ]);
    let mut kept = machine.keep_alive(&[]);
    kept.keep_pods(vec![min("pods/firm", 40), low("pods/deep/soft", 20)]);
    assert_eq!(kept.look(), Kept::default());
    assert_eq!(machine.kept("pods/firm"), (40, 0));
    assert_eq!(machine.kept("pods/deep/soft"), (0, 20));
    assert_eq!(machine.kept("pods/deep"), (0, 20));
    assert_eq!(machine.kept("pods"), (40, 20));

    // However small: requests do not move all the time.
    kept.keep_pods(vec![
        min("pods/firm", 40),
        low("pods/deep/soft", 20),
        low("pods/new", 1),
    ]);
    kept.look();
    assert_eq!(machine.kept("pods"), (40, 21));
    kept.keep_pods(vec![low("pods/new", 1), min("pods/gone", 7)]);
    kept.look();
    assert_eq!(machine.kept("pods/firm"), (0, 0));
    assert_eq!(machine.kept("pods"), (7, 1));
    kept.end();
    assert_eq!(machine.kept("pods"), (0, 0));
    assert_eq!(machine.kept("pods/new"), (0, 0));
}

/// Acceptance row 442: by the next evictd, also one that keeps nothing.
#[test]
fn what_pods_kept_is_put_back_after_kill_9() {
    let machine = Machine::new(&["pods", "pods/web"]);
    machine.says("pods", "memory.low", "4194304\n");
    let mut killed = machine.keep_alive(&[]);
    killed.keep_pods(vec![low("pods/web", 20)]);
    killed.look();
    assert_eq!(machine.kept("pods"), (0, 20));
    drop(killed);
    machine.keep_alive(&[]).end();
    assert_eq!(machine.kept("pods/web"), (0, 0));
    assert_eq!(machine.kept("pods"), (0, 4));
}

/// Acceptance row 442: what stands there is kept where it is more; a kubelet's own is no
/// reason to keep it twice.
#[test]
fn what_is_kept_already_is_kept_once() {
    let machine = Machine::new(&["pods", "pods/web", "pods/db"]);
    for (path, mib) in [("pods", 30), ("pods/web", 20), ("pods/db", 64)] {
        machine.says(path, "memory.low", &format!("{}\n", mib * MIB));
    }
    let mut kept = machine.keep_alive(&[]);
    kept.keep_pods(vec![low("pods/web", 20), low("pods/db", 10)]);
    kept.look();
    assert_eq!(machine.kept("pods"), (0, 30));
    assert_eq!(machine.kept("pods/db"), (0, 64));
    assert_eq!(kept.knobs.held(), []);
}

/// Acceptance row 442: a slice above both has the sum.
#[test]
fn services_and_pods_share_the_slice_above_them() {
    let machine = Machine::new(&[
        "system.slice",
        "system.slice/web.scope",
        "system.slice/ssh.service",
    ]);
    let mut kept = machine.keep_alive(&["sshd"]);
    kept.keep_pods(vec![min("system.slice/web.scope", 40)]);
    kept.look();
    assert_eq!(machine.kept("system.slice"), (46, 0));
    assert_eq!(machine.kept("system.slice/ssh.service"), (6, 0));
    kept.keep_pods(Vec::new());
    kept.look();
    assert_eq!(machine.kept("system.slice"), (6, 0));
}

/// Acceptance row 443: `docker run --memory-reservation` and `MemoryLow=` have an effect, as
/// the slice above gets as much; but what a cgroup says is never what evictd has set there.
#[test]
fn what_evictd_has_set_is_no_request() {
    let machine = Machine::new(&["docker", "docker/web"]);
    machine.says("docker/web", "memory.low", "33554432\n");
    let mut kept = machine.keep_alive(&[]);
    kept.keep_pods(vec![by_cgroup("docker/web", 32)]);
    kept.look();
    assert_eq!(machine.kept("docker"), (0, 32));
    assert_eq!(machine.kept("docker/web"), (0, 32));

    // A manifest says more, and then there is none any more: the loop reads what was set.
    kept.keep_pods(vec![min("docker/web", 50)]);
    kept.look();
    assert_eq!(machine.kept("docker/web"), (50, 32));
    kept.keep_pods(vec![by_cgroup("docker/web", 50)]);
    // A plain file is not cut off by what is written into it.
    machine.says("docker", "memory.low", "0\n");
    kept.look();
    assert_eq!(machine.kept("docker/web"), (0, 32));
    assert_eq!(machine.kept("docker"), (0, 32));

    // It never has more above it than it was granted.
    machine.says("docker/web", "memory.low", "max\n");
    machine.says("docker", "memory.low", "33554432\n");
    kept.look();
    assert_eq!(machine.kept("docker"), (0, 50));
}

/// Acceptance row 443: nothing is set that nobody could put back.
#[test]
fn nothing_is_kept_without_a_state_directory_or_on_v1() {
    let machine = Machine::new(&["pods", "pods/web"]);
    let mut places = v2(&machine.cgroups);
    let problems = |places: &KnobPlaces| {
        let knobs = Knobs::open(places.clone(), None);
        let mut kept = KeepAlive::new(Vec::new(), places.clone(), knobs);
        kept.keep_pods(vec![min("pods/web", 40)]);
        let looked = kept.look();
        assert_eq!(looked.problems, [""; 0]);
        assert_eq!(machine.kept("pods/web"), (0, 0));
        looked.of_pods.join("\n")
    };
    assert!(problems(&places).ends_with("without --state-dir"));
    if let Some(memory) = &mut places.memory {
        memory.version = Version::V1;
    }
    assert!(problems(&places).starts_with("cgroup v1"));
    assert!(problems(&KnobPlaces::default()).starts_with("no memory controller"));
}
