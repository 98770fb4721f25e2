//! Whose rules the answers of a set of vectors are judged by.

use std::fs;
use std::path::Path;

use evictd_node::{KubeletVersion, Policy};
use serde_json::Value;

use crate::case::flag;

/// A setting that kubelets have had since 1.33.
const SINCE_1_33: &str = "mergeDefaultEvictionSettings";

/// The kubelet whose answers they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) version: KubeletVersion,
    policy: Policy,
}

impl From<KubeletVersion> for Rules {
    /// With the preset of that kubelet.
    fn from(version: KubeletVersion) -> Self {
        let policy = Policy::of(version);
        Self { version, policy }
    }
}

impl Rules {
    /// How evictd is to decide.
    pub(crate) const fn policy(self) -> Policy {
        self.policy
    }

    /// These rules with `policy` changed.
    pub(crate) fn changed(mut self, change: impl Fn(&mut Policy)) -> Self {
        change(&mut self.policy);
        self
    }

    /// The policy with the gate `PodLevelResources` as the case has it, if it does.
    pub(crate) fn policy_of(self, case: &Value) -> Policy {
        const GATE: &str = "podLevelResourcesGate";
        let mut policy = self.policy();
        if case.get(GATE).is_some() {
            policy.pod_resources_are_ignored = !flag(case, GATE);
        }
        policy
    }

    /// The version that `README.md` of the directory names first, as in `v1.36.3`. Without
    /// one the newest, unless `config_defaults.json` lacks a setting that 1.32 did not have.
    ///
    /// # Errors
    /// Where it names one that evictd has no preset for.
    pub(crate) fn of_directory(dir: &Path) -> Result<Self, String> {
        let path = dir.join("README.md");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let Some(minor) = first_minor(&text) else {
            let defaults = fs::read_to_string(dir.join("config_defaults.json"));
            let is_older = defaults.is_ok_and(|text| !text.contains(SINCE_1_33));
            return Ok(match is_older {
                true => KubeletVersion::V1_32.into(),
                false => KubeletVersion::NEWEST.into(),
            });
        };
        let name = format!("kubelet-1.{minor}");
        let version = KubeletVersion::from_name(&name).ok_or_else(|| {
            format!(
                "{}: names Kubernetes v1.{minor}, for which there is no preset; say with \
                 --compat whose rules count",
                path.display()
            )
        })?;
        Ok(version.into())
    }
}

/// The minor number of the first `v1.NUMBER` in the text.
fn first_minor(text: &str) -> Option<&str> {
    let rest = text.split_once("v1.")?.1;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let digits = rest.get(..end.unwrap_or(rest.len()))?;
    (!digits.is_empty()).then_some(digits)
}
