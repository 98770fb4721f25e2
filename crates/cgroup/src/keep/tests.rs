use std::fs;

use evictd_stats::{Hierarchy, Version};

use super::*;
use crate::testkit::Fixture;

const SESSION: &str = "user.slice/user-0.slice/session-1.scope";

fn v2(fixture: &Fixture) -> KnobPlaces {
    let hierarchy = Some(Hierarchy {
        version: Version::V2,
        mount_point: fixture.path().to_owned(),
    });
    KnobPlaces {
        memory: hierarchy.clone(),
        cpu: hierarchy,
    }
}

fn keep_alive(places: KnobPlaces, names: &[&str]) -> KeepAlive {
    let knobs = Knobs::open(places.clone(), None);
    let names = names.iter().map(ToString::to_string).collect();
    KeepAlive::new(names, places, knobs)
}

fn cgroup(fixture: &Fixture, path: &str, used: u64) {
    fixture.file(&format!("{path}/memory.current"), &format!("{used}\n"));
    fixture.file(&format!("{path}/memory.min"), "0\n");
}

fn first_word(fixture: &Fixture, file: &str) -> u64 {
    let text = fs::read_to_string(fixture.path().join(file)).unwrap();
    text.lines().next().unwrap().parse().unwrap()
}

/// Acceptance row 316: services that are named and sessions, in their own size, with all
/// above them; and each as it was once that is over.
#[test]
fn pages_of_what_lets_one_in_are_kept_and_given_up_again() {
    let fixture = Fixture::new();
    for (path, used) in [
        ("system.slice", 900 << 20),
        ("system.slice/ssh.service", 6 << 20),
        ("system.slice/web.service", 800 << 20),
        ("system.slice/system-getty.slice", 1 << 20),
        (
            "system.slice/system-getty.slice/getty@tty1.service",
            1 << 20,
        ),
        ("user.slice", 500 << 20),
        ("user.slice/user-0.slice", 500 << 20),
        (SESSION, 500 << 20),
    ] {
        cgroup(&fixture, path, used);
    }
    fixture.file("system.slice/ssh.service/cpu.weight", "100\n");
    fixture.file("system.slice/memory.min", "1048576\n");
    let mut kept = keep_alive(v2(&fixture), &["sshd", "getty"]);
    let looked = kept.look();
    assert_eq!(looked.problems, [""; 0]);
    assert_eq!(looked.cgroups.len(), 3);
    let min = |path: &str| first_word(&fixture, &format!("{path}/memory.min"));
    assert_eq!(min("system.slice/ssh.service"), 6 << 20);
    assert_eq!(min("system.slice/system-getty.slice"), 1 << 20);
    assert_eq!(min("system.slice"), 8 << 20, "with what was kept before");
    assert_eq!(min("system.slice/web.service"), 0);
    assert_eq!(min(SESSION), 64 << 20, "no more than a bound");
    assert_eq!(min("user.slice"), 64 << 20);
    assert_eq!(
        first_word(&fixture, "system.slice/ssh.service/cpu.weight"),
        WEIGHT
    );

    fs::remove_dir_all(fixture.path().join(SESSION)).unwrap();
    kept.look();
    assert_eq!(min("user.slice"), 0, "a session that has ended");
    kept.end();
    assert_eq!(min("system.slice/ssh.service"), 0);
    assert_eq!(min("system.slice"), 1 << 20);
    assert_eq!(
        first_word(&fixture, "system.slice/ssh.service/cpu.weight"),
        100
    );
}

/// Acceptance row 316: nobody gets pages kept by a name that he gave himself.
#[test]
fn only_the_init_systems_own_cgroups_are_kept_alive() {
    let fixture = Fixture::new();
    for path in [
        "openrc.sshd",
        "docker/sshd",
        "docker/sshd.service",
        "kubepods.slice/sshd.service",
        "machine.slice/sshd.service",
        "system.slice/docker-0123.scope/sshd.service",
        "user.slice/user-1000.slice/user@1000.service/app.slice/sshd.service",
        "user.slice/sshd.service",
        "system.slice/session-1.scope",
        "sshd.slice",
    ] {
        cgroup(&fixture, path, 1 << 20);
    }
    let looked = keep_alive(v2(&fixture), &["sshd"]).look();
    assert_eq!(looked.cgroups, [PathBuf::from("openrc.sshd")]);
    assert_eq!(keep_alive(v2(&fixture), &[]).look(), Kept::default());
}

/// Acceptance row 316: what v1 cannot do is said, and the rest is done.
#[test]
fn v1_keeps_the_processor_alone_and_says_so() {
    let fixture = Fixture::new();
    fixture.file("sshd/cpu.shares", "1024\n");
    let hierarchy = Some(Hierarchy {
        version: Version::V1,
        mount_point: fixture.path().to_owned(),
    });
    let places = KnobPlaces {
        memory: hierarchy.clone(),
        cpu: hierarchy,
    };
    let looked = keep_alive(places, &["sshd"]).look();
    assert!(
        looked
            .problems
            .iter()
            .any(|line| line.contains("cgroup v1"))
    );
    assert_eq!(looked.cgroups, [PathBuf::from("sshd")]);
    assert_eq!(first_word(&fixture, "sshd/cpu.shares"), SHARES);
}

/// What moves a little is not set again and again.
#[test]
fn a_little_more_changes_nothing() {
    assert!(is_near(6 << 20, (6 << 20) + 4096));
    assert!(is_near(64 << 20, 60 << 20));
    assert!(!is_near(6 << 20, 12 << 20));
}
