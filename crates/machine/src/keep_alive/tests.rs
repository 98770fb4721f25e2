use core::sync::atomic::{AtomicU32, Ordering};
use std::fs;
use std::path::PathBuf;

use evictd_cgroup::{FoundPod, KeptPod, KnobFile, Origin};
use evictd_node::pod::{Container, Pod, ResourceList, Resources};
use evictd_node::{Policy, QosClass};
use evictd_quantity::Quantity;
use evictd_stats::{Hierarchy, Version};

use super::pods::{Asked, asked, grant};
use super::*;
use evictd_containers::ListedContainer;

const MIB: u64 = 1 << 20;

fn container(name: &str, request: &str) -> Container {
    let memory = Quantity::parse(request).ok().map(Box::new);
    Container {
        name: name.to_owned(),
        resources: Resources {
            requests: ResourceList {
                memory,
                ..ResourceList::default()
            },
            ..Resources::default()
        },
        ..Container::default()
    }
}

/// A pod that somebody describes.
fn pod(name: &str, class: QosClass, priority: i32, requests: &[(&str, &str)]) -> FoundPod {
    let mut pod = Pod::default();
    pod.metadata.name = name.to_owned();
    pod.spec.priority = Some(priority);
    let containers = requests.iter().map(|(name, of)| container(name, of));
    pod.spec.containers = containers.collect();
    pod.status.qos_class = Some(class);
    let path = PathBuf::from(format!("pods/{name}"));
    let mut found = FoundPod::new(Arc::new(pod), &path, Origin::PodCgroupRoot);
    found.by_cgroup = false;
    found
}

fn at(name: &str, cgroup: &str) -> ListedContainer {
    let mut listed = ListedContainer::default();
    listed.name = name.to_owned();
    listed.cgroup = Some(Path::new(cgroup).into());
    listed
}

fn asks(found: &FoundPod, containers: &[&ListedContainer]) -> Option<Asked> {
    asked(found, containers, &Policy::default())
}

fn granted(pods: &[FoundPod], room_bytes: u64) -> Granted {
    let asked = pods.iter().filter_map(|found| asks(found, &[]));
    grant(asked.collect(), room_bytes)
}

fn kept(granted: &Granted) -> Vec<(&str, u64, KnobFile)> {
    let kept = granted.kept.iter();
    kept.map(|of| (of.cgroup.to_str().unwrap(), of.bytes / MIB, of.file))
        .collect()
}

/// Acceptance row 441: as the kubelet has it.
#[test]
fn the_class_says_how_firmly_a_pod_keeps_what_it_requests() {
    let pods = [
        pod("firm", QosClass::Guaranteed, 0, &[("a", "40Mi")]),
        pod(
            "soft",
            QosClass::Burstable,
            0,
            &[("a", "20Mi"), ("b", "10Mi")],
        ),
        pod("none", QosClass::BestEffort, 0, &[("a", "10Mi")]),
        pod("zero", QosClass::Burstable, 0, &[("a", "0")]),
    ];
    let granted = granted(&pods, 100 * MIB);
    let expected = [
        ("pods/firm", 40, KnobFile::MemoryMin),
        ("pods/soft", 30, KnobFile::MemoryLow),
    ];
    assert_eq!(kept(&granted), expected);
    assert_eq!(granted.problem, None);
}

/// Acceptance row 443: what one pod claims takes nothing from those before it.
#[test]
fn those_that_come_last_by_priority_keep_nothing_where_all_do_not_fit() {
    let pods = [
        pod("last", QosClass::Guaranteed, -5, &[("a", "50Mi")]),
        pod("greedy", QosClass::Burstable, 9, &[("a", "8Ei")]),
        pod("soft", QosClass::Burstable, 0, &[("a", "40Mi")]),
        pod("firm", QosClass::Guaranteed, 0, &[("a", "40Mi")]),
    ];
    let granted = granted(&pods, 100 * MIB);
    let expected = [
        ("pods/firm", 40, KnobFile::MemoryMin),
        ("pods/soft", 40, KnobFile::MemoryLow),
    ];
    assert_eq!(kept(&granted), expected);
    let problem = granted.problem.unwrap();
    assert!(
        problem.starts_with("2 pods keep nothing (first is greedy)"),
        "{problem}"
    );
}

/// Acceptance row 443: what is above the hard threshold, also after a reload.
#[test]
fn pods_keep_no_more_than_is_above_the_hard_threshold() {
    let room = |hard: &str| {
        let mut typed = evictd_config::Typed::default();
        assert!(typed.add("eviction-hard", hard));
        super::pods::room(&evictd_config::resolve(&typed).unwrap(), 1000 * MIB) / MIB
    };
    assert_eq!(room("memory.available<100Mi"), 900);
    assert_eq!(room("memory.available<25%"), 750);
    assert_eq!(room("memory.available<2Gi"), 0);
    assert_eq!(room("nodefs.available<10%"), 1000);
}

/// Pages are in the cgroups of containers, and where these are several that is where they
/// have to be kept.
#[test]
fn containers_keep_what_they_request_in_cgroups_of_their_own() {
    let mut project = pod(
        "shop",
        QosClass::Burstable,
        0,
        &[("web", "20Mi"), ("db", "30Mi")],
    );
    let (web, db) = (at("web", "docker/web"), at("db", "docker/db"));
    let paths = |found: &FoundPod, containers: &[&ListedContainer]| {
        let asked = asks(found, containers).unwrap();
        let granted = grant(vec![asked], 100 * MIB);
        let kept = granted.kept.iter();
        kept.map(|of| of.cgroup.display().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(&project, &[&web, &db]), ["docker/web", "docker/db"]);
    // Only one is known, and one cgroup holds all of them.
    assert_eq!(paths(&project, &[&web]), ["pods/shop"]);
    // Of several it is not known which has what the other requests.
    project.more_cgroups = Arc::from([Arc::from(Path::new("docker/db"))]);
    assert_eq!(paths(&project, &[&web]), ["docker/web"]);
    // What its cgroup says is the cgroup's.
    project.by_cgroup = true;
    assert_eq!(paths(&project, &[&web, &db]), ["pods/shop"]);
}

/// A v2 hierarchy with a pod, and a state directory; gone with the test.
struct Machine(PathBuf);

impl Machine {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("evictd-kept-{}-{number}", std::process::id());
        let machine = Self(std::env::temp_dir().join(name));
        for directory in ["state", "pods/web"] {
            fs::create_dir_all(machine.0.join(directory)).unwrap();
        }
        for file in ["pods/memory.low", "pods/web/memory.low"] {
            fs::write(machine.0.join(file), "0\n").unwrap();
        }
        machine
    }

    fn low(&self, cgroup: &str) -> u64 {
        let text = fs::read_to_string(self.0.join(cgroup).join("memory.low")).unwrap();
        text.lines().next().unwrap().parse().unwrap()
    }

    fn keeper(&self, given: &[(&str, &str)]) -> Option<Keeper> {
        let mut typed = evictd_config::Typed::default();
        for (flag, text) in given {
            assert!(typed.add(flag, *text));
        }
        let settings = evictd_config::resolve(&typed).unwrap();
        let hierarchies = Hierarchies {
            memory: Some(Hierarchy {
                version: Version::V2,
                mount_point: self.0.clone(),
            }),
            ..Hierarchies::default()
        };
        let directory = Arc::new(Directory::open(&self.0.join("state")).unwrap());
        Keeper::of(&settings, &hierarchies, Some(&directory))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Acceptance row 442: the helper sets what it is handed, and puts it back at the end; a dry
/// run, or no policy, has no helper at all.
#[test]
fn the_helper_keeps_what_the_loop_hands_over() {
    const TIERED: (&str, &str) = ("memory-reservation-policy", "TieredReservation");
    let machine = Machine::new();
    assert!(machine.keeper(&[]).is_none());
    assert!(machine.keeper(&[TIERED, ("dry-run", "true")]).is_none());
    let keeper = machine.keeper(&[TIERED]).unwrap();
    keeper.helper.start().unwrap();
    let web = KeptPod {
        cgroup: Arc::from(Path::new("pods/web")),
        bytes: 32 * MIB,
        file: KnobFile::MemoryLow,
        by_cgroup: false,
    };
    keeper.helper.change(|shared| {
        shared.pods = Some(Granted {
            kept: vec![web],
            problem: Some(String::from("one pod keeps nothing")),
        });
    });
    let is_told = |shared: &mut Shared| {
        let mut told = shared.told.iter().flatten();
        told.any(|line| line.starts_with("--memory-reservation-policy: one pod"))
    };
    assert!(keeper.helper.wait_until(Duration::from_secs(60), is_told));
    assert_eq!(
        (machine.low("pods/web"), machine.low("pods")),
        (32 * MIB, 32 * MIB)
    );
    keeper.end(Duration::from_secs(60));
    assert_eq!((machine.low("pods/web"), machine.low("pods")), (0, 0));
}
