//! The words of `--compat`: whose behaviour, and in what else evictd does as a kubelet.

use evictd_node::{KubeletVersion, Policy};
use evictd_oom::GuaranteedScore;

/// Whose behaviour the defaults follow where evictd differs from the kubelet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compat {
    /// evictd's own: [`Policy::default`].
    #[default]
    Evictd,
    /// A kubelet's, bugs included: [`Policy::of`].
    Kubelet(KubeletVersion),
}

impl Compat {
    /// Whose behaviour `--compat` takes, patch releases apart.
    pub(crate) const WORDS: [&'static str; 9] = [
        "evictd",
        "kubelet",
        KubeletVersion::V1_37.name(),
        KubeletVersion::V1_36.name(),
        KubeletVersion::V1_35.name(),
        KubeletVersion::V1_34.name(),
        KubeletVersion::V1_33.name(),
        KubeletVersion::V1_32.name(),
        KubeletVersion::V1_3.name(),
    ];

    /// Whose behaviour a list of `--compat` asks for: its first word, or evictd's where that is
    /// a difference. `None` where that word is wrong.
    pub(crate) fn from_list(text: &str) -> Option<Self> {
        let first = text.split(',').next().unwrap_or_default();
        let is_difference = Difference::from_word(first).is_some();
        Self::from_word(first).or(is_difference.then_some(Self::Evictd))
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "evictd" => Some(Self::Evictd),
            kubelet => KubeletVersion::from_name(kubelet).map(Self::Kubelet),
        }
    }

    /// Whose rules count where evictd has none of its own.
    pub(crate) const fn version(self) -> KubeletVersion {
        match self {
            Self::Evictd => KubeletVersion::NEWEST,
            Self::Kubelet(version) => version,
        }
    }

    /// The preset of the policy.
    pub(crate) fn policy(self) -> Policy {
        match self {
            Self::Evictd => Policy::default(),
            Self::Kubelet(version) => Policy::of(version),
        }
    }

    /// `oom_score_adj` of Guaranteed pods (decision D1).
    pub(crate) fn guaranteed_score(self) -> GuaranteedScore {
        const OF_1_3: i16 = -998;
        match self {
            Self::Kubelet(KubeletVersion::V1_3) => GuaranteedScore::new(OF_1_3).unwrap_or_default(),
            Self::Evictd | Self::Kubelet(_) => GuaranteedScore::default(),
        }
    }
}

/// One thing that a kubelet does in another way, as a word of `--compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// A hard eviction gives a pod a second between SIGTERM and SIGKILL.
    HardEvictionGrace,
    /// After reclaim pods are evicted unless every threshold is clear.
    StrictKubeletReclaim,
    /// Every pod of `--pod-manifest-path` is critical.
    StaticPodsAreCritical,
    /// Memory in pools of huge pages counts as available (decision D44).
    NoHugepageAware,
    /// Under disk pressure every unused image is deleted (decision D15).
    ReclaimAllImages,
    /// Images without the digest of a registry are deleted like others (decision D0).
    CollectLocalImages,
    /// Build caches are not pruned before a pod is evicted.
    KeepBuildCache,
    /// A pod is killed for memory without asking the kernel for file pages first.
    NoReclaimBeforeKill,
}

impl Difference {
    pub(crate) const ALL: [Self; 8] = [
        Self::HardEvictionGrace,
        Self::StrictKubeletReclaim,
        Self::StaticPodsAreCritical,
        Self::NoHugepageAware,
        Self::ReclaimAllImages,
        Self::CollectLocalImages,
        Self::KeepBuildCache,
        Self::NoReclaimBeforeKill,
    ];

    /// The name of the setting: the flag that sets it, with this word alone.
    pub(crate) const fn setting(self) -> &'static str {
        match self {
            Self::HardEvictionGrace => "compat=hard-eviction-grace",
            Self::StrictKubeletReclaim => "compat=strict-kubelet-reclaim",
            Self::StaticPodsAreCritical => "compat=static-pods-are-critical",
            Self::NoHugepageAware => "compat=no-hugepage-aware",
            Self::ReclaimAllImages => "compat=reclaim-all-images",
            Self::CollectLocalImages => "compat=collect-local-images",
            Self::KeepBuildCache => "compat=keep-build-cache",
            Self::NoReclaimBeforeKill => "compat=no-reclaim-before-kill",
        }
    }

    /// The word of `--compat`.
    pub(crate) fn word(self) -> &'static str {
        let setting = self.setting();
        let word = setting.split_once('=');
        word.map_or(setting, |(_, word)| word)
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.word() == word)
    }

    /// Whether that kubelet does it. It counts huge pages as used since 1.37.
    pub(crate) fn is_of(self, version: KubeletVersion) -> bool {
        self != Self::NoHugepageAware || version < KubeletVersion::V1_37
    }
}
