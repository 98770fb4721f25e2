use core::sync::atomic::{AtomicU32, Ordering};
use std::fs;
use std::path::PathBuf;

use evictd_stats::{Hierarchy, Version};

use super::*;

const MIB: u64 = 1 << 20;

/// A v2 hierarchy with sshd's service, and a state directory; gone with the test.
struct Machine(PathBuf);

impl Machine {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("evictd-kept-{}-{number}", std::process::id());
        let machine = Self(std::env::temp_dir().join(name));
        for directory in ["state", "system.slice/ssh.service"] {
            fs::create_dir_all(machine.0.join(directory)).unwrap();
        }
        for cgroup in ["system.slice", "system.slice/ssh.service"] {
            fs::write(machine.0.join(cgroup).join("memory.min"), "0\n").unwrap();
        }
        let used = format!("{}\n", 6 * MIB);
        let file = machine.0.join("system.slice/ssh.service/memory.current");
        fs::write(file, used).unwrap();
        machine
    }

    fn kept(&self, cgroup: &str) -> u64 {
        let text = fs::read_to_string(self.0.join(cgroup).join("memory.min")).unwrap();
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

/// Acceptance row 316: the helper keeps the pages of services and puts everything back at the
/// end; a dry run, or no service, has no helper at all.
#[test]
fn helper_keeps_pages_of_services_until_its_end() {
    const SSHD: (&str, &str) = ("keep-alive", "sshd");
    let machine = Machine::new();
    assert!(machine.keeper(&[]).is_none());
    assert!(machine.keeper(&[SSHD, ("dry-run", "true")]).is_none());
    let mut keeper = machine.keeper(&[SSHD]).unwrap();
    keeper.turn();
    let has_looked = |shared: &mut Shared| shared.told.is_some();
    assert!(
        keeper
            .helper
            .wait_until(Duration::from_secs(60), has_looked)
    );
    let kept = |machine: &Machine| {
        ["system.slice", "system.slice/ssh.service"].map(|cgroup| machine.kept(cgroup))
    };
    assert_eq!(kept(&machine), [6 * MIB, 6 * MIB]);
    keeper.end(Duration::from_secs(60));
    assert_eq!(kept(&machine), [0, 0]);
}
