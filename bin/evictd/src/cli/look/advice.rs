//! Which settings this machine would gain most by.

use evictd_engine::amount::Amount;
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

/// What is recommended, what matters most first.
pub(super) fn advise(facts: &Facts) -> Vec<Advice> {
    let all = [pods(facts), swap(facts), reserve(facts), keep_alive(facts)];
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

fn swap(facts: &Facts) -> Option<Advice> {
    // As a shell takes it.
    let watches = "--eviction-hard='swap.available<10%' --merge-default-eviction-settings";
    if facts.swaps.is_empty() {
        None
    } else if facts.swaps.iter().any(|swap| swap.is_memory) {
        advice(
            watches,
            "this swap lies in memory: once it is full, memory is, too",
        )
    } else {
        advice(
            watches,
            "a machine whose swap is full stalls before its memory is short",
        )
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
    use super::super::machine::Swap;
    use super::*;

    fn flags(facts: &Facts) -> Vec<String> {
        advise(facts).into_iter().map(|of| of.flags).collect()
    }

    #[test]
    fn what_is_recommended_follows_from_the_machine() {
        let bare = Facts::default();
        assert_eq!(flags(&bare), ["--pod-cgroup-root=/pods"]);
        let docker_stopped = Facts {
            silent: Some("dockerd"),
            ..Facts::default()
        };
        assert_eq!(flags(&docker_stopped), [""; 0]);
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
        assert_eq!(flags(&raspberry_pi), expected);
        let docker_box = Facts {
            cgroup: "v2".into(),
            pods: 4,
            runtimes: vec!["Docker 28".into()],
            reservable_bytes: Some(1 << 30),
            ..Facts::default()
        };
        assert_eq!(flags(&docker_box), ["--keep-alive=sshd,getty"]);
        let user = Facts {
            is_user: true,
            ..Facts::default()
        };
        assert_eq!(flags(&user), [""; 0]);
    }
}
