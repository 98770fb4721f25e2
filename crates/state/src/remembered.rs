//! Which pods are never evicted, remembered from before a restart until whoever said so
//! says it again.

use alloc::vec::Vec;
use std::path::PathBuf;

use crate::protected::{Protected, in_order};

/// The protected cgroups: those of whoever has answered since the start as they are now, and
/// of all others as they were before it.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    protected: Protected,
    silent: Vec<PathBuf>,
}

impl Remembered {
    /// Takes over what was known before a restart; nobody has answered yet.
    pub fn restore(&mut self, protected: &Protected) {
        self.protected.clone_from(protected);
        self.list_silent(|_| true);
    }

    /// All of them, to be remembered over the next restart.
    #[must_use]
    pub const fn protected(&self) -> &Protected {
        &self.protected
    }

    /// What those protected who have not answered yet; in order.
    #[must_use]
    pub fn silent(&self) -> &[PathBuf] {
        &self.silent
    }

    /// Notes which cgroups are protected by those who have answered. All that they said
    /// before and do not say now is forgotten.
    pub fn note(&mut self, answered: &[&str], protected: Protected) {
        let is_answered = |by: &str| answered.contains(&by);
        let of_silent = self.protected.iter().filter(|(_, by)| !is_answered(by));
        let mut all = protected;
        // Behind the others: whoever is there to say so counts.
        all.extend(of_silent.cloned());
        let all = in_order(all);
        if all != self.protected {
            self.protected = all;
        }
        if !self.silent.is_empty() {
            self.list_silent(|by| !is_answered(by));
        }
    }

    fn list_silent(&mut self, is_silent: impl Fn(&str) -> bool) {
        let silent = self.protected.iter().filter(|(_, by)| is_silent(by));
        self.silent = silent.map(|(cgroup, _)| cgroup.clone()).collect();
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use std::path::Path;

    use super::*;

    fn protected(all: &[(&str, &str)]) -> Protected {
        let all = all.iter();
        all.map(|(cgroup, by)| (cgroup.into(), (*by).to_owned()))
            .collect()
    }

    fn silent(remembered: &Remembered) -> Vec<&str> {
        let silent = remembered.silent().iter();
        silent.filter_map(|cgroup| cgroup.to_str()).collect()
    }

    /// Acceptance row 177.
    #[test]
    fn protection_is_remembered_until_the_runtime_answers() {
        let mut remembered = Remembered::default();
        remembered.note(&["docker"], protected(&[("docker/a", "docker")]));
        assert!(silent(&remembered).is_empty(), "its runtime says so itself");

        let before = protected(&[
            ("docker/a", "docker"),
            ("docker/gone", "docker"),
            ("kubepods/b", "cri"),
            ("pods/web", "manifests"),
        ]);
        remembered.restore(&before);
        assert_eq!(silent(&remembered).len(), 4);
        // Nobody has answered: a restart now forgets nothing either.
        remembered.note(&[], Protected::new());
        assert_eq!(remembered.protected(), &before);
        assert_eq!(silent(&remembered).len(), 4);

        remembered.note(&["docker"], protected(&[("docker/a", "docker")]));
        assert_eq!(silent(&remembered), ["kubepods/b", "pods/web"]);
        let mut left = remembered.protected().iter();
        assert!(left.all(|(cgroup, _)| cgroup != Path::new("docker/gone")));
        // Another than before says so.
        let all = protected(&[("docker/a", "docker"), ("pods/web", "docker")]);
        remembered.note(&["docker", "manifests"], all.clone());
        assert_eq!(silent(&remembered), ["kubepods/b"]);
        remembered.note(&["docker", "manifests", "cri"], all.clone());
        assert!(silent(&remembered).is_empty());
        assert_eq!(remembered.protected(), &all);
        remembered.note(&["docker", "manifests", "cri"], Protected::new());
        assert_eq!(remembered.protected(), &Protected::new());
    }
}
