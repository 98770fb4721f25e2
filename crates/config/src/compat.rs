//! `--compat`: whose behaviour, and in what else evictd does as a kubelet.

use evictd_node::{KubeletVersion, Policy};
use evictd_oom::GuaranteedScore;

use crate::book::Book;
use crate::typed::Facts;
use crate::values::{Parsed, did_you_mean};
use crate::{ConfigError, Origin};

const FLAG: &str = "compat";

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

    fn from_word(word: &str) -> Option<Self> {
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
    const fn setting(self) -> &'static str {
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

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.word() == word)
    }

    /// Whether that kubelet does it. It counts huge pages as used since 1.37.
    fn is_of(self, version: KubeletVersion) -> bool {
        self != Self::NoHugepageAware || version < KubeletVersion::V1_37
    }
}

/// What `--compat` and the files come to.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    pub(crate) compat: Compat,
    differences: Vec<Difference>,
}

impl Behaviour {
    /// Reads the flag, and notes whose behaviour it is and each difference.
    pub(crate) fn read(book: &mut Book<'_>) -> Parsed<Self> {
        let (text, origin) = book.text(FLAG);
        let (compat, given) = parse(text)?;
        book.note(FLAG, &text, origin);
        let facts = book.typed.facts;
        let mut differences = Vec::new();
        for difference in Difference::ALL {
            let (is_on, from) = match given.contains(&difference) {
                true => (true, origin),
                false => otherwise(difference, compat, facts),
            };
            book.note(difference.setting(), &is_on, from);
            if is_on {
                differences.push(difference);
            }
        }
        Ok(Self {
            compat,
            differences,
        })
    }

    /// Whether evictd does so.
    pub(crate) fn has(&self, difference: Difference) -> bool {
        self.differences.contains(&difference)
    }
}

/// Whether a difference that the flag does not name is on: by the feature gate, or as that
/// kubelet does.
fn otherwise(difference: Difference, compat: Compat, facts: Facts) -> (bool, Origin) {
    match (difference, facts.hugepage_aware, compat) {
        (Difference::NoHugepageAware, Some(is_aware), _) => (
            !is_aware,
            Origin::File("featureGates.HugepageAwareEviction"),
        ),
        (_, _, Compat::Evictd) => (false, Origin::Default),
        (_, _, Compat::Kubelet(version)) => (difference.is_of(version), Origin::Compat),
    }
}

/// Whose behaviour, and the differences: `kubelet-1.34`, `evictd,keep-build-cache`,
/// `keep-build-cache`.
fn parse(text: &str) -> Parsed<(Compat, Vec<Difference>)> {
    let mut compat = Compat::Evictd;
    let mut differences = Vec::new();
    let mut at: usize = 0;
    for word in text.split(',') {
        match (Difference::from_word(word), Compat::from_word(word)) {
            (Some(difference), _) => differences.push(difference),
            (None, Some(whose)) if at == 0 => compat = whose,
            (None, Some(_)) => {
                let message = format!("{word} stands behind another word");
                let hint =
                    format!("write --{FLAG}={word},DIFFERENCE,...: whose behaviour is first");
                return Err(ConfigError::new(FLAG, (word, at), message, hint));
            }
            (None, None) => return Err(unknown(word, at)),
        }
        at = at.saturating_add(word.len()).saturating_add(1);
    }
    Ok((compat, differences))
}

fn unknown(word: &str, at: usize) -> Box<ConfigError> {
    let differences = Difference::ALL.map(Difference::word);
    let meant = did_you_mean(word, Compat::WORDS.into_iter().chain(differences));
    let (whose, differences) = (Compat::WORDS.join(", "), differences.join(", "));
    let hint = format!("{meant}first whose behaviour: {whose}; then differences: {differences}");
    ConfigError::new(FLAG, (word, at), format!("unknown value {word:?}"), hint)
}
