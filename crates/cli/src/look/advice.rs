//! Which settings this machine would gain most by.

use evictd_config::Resolved;
use evictd_node::Amount;
use serde::Serialize;

use super::machine::Facts;

/// No more than that is recommended: nobody reads a list.
const MOST: usize = 3;

const MIB: u64 = 1 << 20;

/// Flags, and what they are good for here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Advice {
    pub(super) flags: String,
    pub(super) why: String,
}

/// What is recommended, what matters most first, and what is not in force already.
pub(super) fn advise(
    facts: &Facts,
    settings: &Resolved,
    of_thresholds: Option<Advice>,
) -> Vec<Advice> {
    let has_reserve = settings.relief.reserve_bytes.is_some();
    let all = [
        pods(facts),
        of_thresholds,
        reserve(facts).filter(|_| !has_reserve),
        keep_alive(facts).filter(|_| settings.memory.keep_alive.is_empty()),
    ];
    all.into_iter().flatten().take(MOST).collect()
}

fn advice(flags: impl Into<String>, why: &str) -> Option<Advice> {
    Some(Advice {
        flags: flags.into(),
        why: why.to_owned(),
    })
}

/// Without pods nothing can be evicted.
fn pods(facts: &Facts) -> Option<Advice> {
    if facts.pods > 0 || facts.is_user || !facts.runtimes.is_empty() || facts.silent.is_some() {
        return None;
    }
    match facts.init {
        Some(init) => advice(
            format!("--pods-of={init}"),
            "services count as pods: without pods nothing can be evicted here",
        ),
        None => advice(
            "--pod-cgroup-root=/pods",
            "with a cgroup of that name, and in it one for each program: its children count as \
             pods, and without pods nothing can be evicted here (docs/first-hour.md, step 3)",
        ),
    }
}

/// At most one in a hundred of the disk, as `--reserve-file` takes it.
fn reserve(facts: &Facts) -> Option<Advice> {
    let bytes = (facts.reservable_bytes? / 100).min(256 * MIB) / MIB * MIB;
    let flags = format!(
        "--state-dir=/var/lib/evictd --reserve-file={}",
        Amount::bytes(bytes)
    );
    (bytes >= 16 * MIB)
        .then(|| {
            let why = "room that is given back when the disk is full, so that one can still log in";
            advice(flags, why)
        })
        .flatten()
}

fn keep_alive(facts: &Facts) -> Option<Advice> {
    let (flags, why) = (
        "--keep-alive=sshd,getty",
        "these keep their pages and their processor: one can log in while the machine swaps",
    );
    (facts.cgroup == "v2").then(|| advice(flags, why)).flatten()
}

#[cfg(test)]
mod tests {
    use evictd_config::{Typed, resolve};

    use super::super::machine::Swap;
    use super::super::thresholds::recommend;
    use super::*;

    fn flags(facts: &Facts, more: &[(&str, &str)]) -> Vec<String> {
        let mut typed = Typed::default();
        for (name, text) in more {
            assert!(typed.add(name, *text));
        }
        let settings = resolve(&typed).unwrap();
        let thresholds = recommend(&settings, &[], &facts.swaps);
        let all = advise(facts, &settings, thresholds.advice());
        all.into_iter().map(|of| of.flags).collect()
    }

    #[test]
    fn what_is_recommended_follows_from_the_machine() {
        let bare = Facts::default();
        assert_eq!(flags(&bare, &[]), ["--pod-cgroup-root=/pods"]);
        let docker_stopped = Facts {
            silent: Some("dockerd"),
            ..Facts::default()
        };
        assert_eq!(flags(&docker_stopped, &[]), [""; 0]);
        let told = docker_stopped.in_words().join("\n");
        assert!(
            told.contains("no container runtime answers: is dockerd stopped?"),
            "{told}"
        );
        let raspberry_pi = Facts {
            cgroup: "v2".into(),
            swaps: vec![Swap {
                name: "/dev/zram0".into(),
                bytes: 1 << 31,
                is_memory: true,
            }],
            init: Some("systemd"),
            reservable_bytes: Some(32 << 30),
            ..Facts::default()
        };
        let expected = [
            "--pods-of=systemd",
            "--eviction-hard='swap.available<10%' --merge-default-eviction-settings",
            "--state-dir=/var/lib/evictd --reserve-file=256Mi",
        ];
        assert_eq!(flags(&raspberry_pi, &[]), expected);
        let expected = [
            "--pods-of=systemd",
            "--eviction-hard='swap.available<10%,memory.available<5%,pid.available<1k' \
             --eviction-minimum-reclaim=memory.available=50Mi",
            "--keep-alive=sshd,getty",
        ];
        let chosen = [
            ("eviction-hard", "memory.available<5%,pid.available<1000"),
            ("eviction-minimum-reclaim", "memory.available=50Mi"),
            ("state-dir", "/var/lib/evictd"),
            ("reserve-file", "64Mi"),
        ];
        assert_eq!(flags(&raspberry_pi, &chosen), expected);
        let docker_box = Facts {
            cgroup: "v2".into(),
            pods: 4,
            runtimes: vec!["Docker 28".into()],
            reservable_bytes: Some(1 << 30),
            ..Facts::default()
        };
        assert_eq!(flags(&docker_box, &[]), ["--keep-alive=sshd,getty"]);
        assert_eq!(flags(&docker_box, &[("keep-alive", "sshd")]), [""; 0]);
        let user = Facts {
            is_user: true,
            ..Facts::default()
        };
        assert_eq!(flags(&user, &[]), [""; 0]);
    }
}
