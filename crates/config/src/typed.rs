use crate::lines::Lines;
use crate::source::Source;
use crate::{Compat, ConfigError, Flag, Origin, parse_boolean};

/// Every flag as it was typed: the texts of its occurrences, in order. None
/// means that the flag was not given, which differs from given with an empty
/// text.
///
/// Of scalars and booleans the last text counts. Lists are joined by commas, as
/// the kubelet's flags merge. A bare boolean flag has the text `true`. What a
/// configuration file says stands here too, where no flag says otherwise: see
/// [`Typed::add_file`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// The flags that were given, sorted by name.
    given: Vec<(&'static str, Given)>,
    /// The configuration file and what was dropped in beside it, for what there
    /// is to say about them.
    pub(crate) sources: Vec<Source>,
    /// Where the flags of `--flags-file` stand.
    pub(crate) lines: Lines,
    /// What the file says for which there is no flag.
    pub(crate) facts: Facts,
    /// Arguments in the file that neither evictd nor the kubelet has a flag for.
    pub(crate) unknown_arguments: Vec<String>,
    /// The kubelet's flags and fields that evictd has no use for.
    pub(crate) passed_over: Vec<String>,
    /// Fields that no kubelet has, or not the one that was asked for.
    pub(crate) unknown_fields: Vec<String>,
}

/// What a file says for which there is no flag. All of it is so by default that
/// nothing is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// `cgroupsPerQOS: false`.
    pub(crate) no_qos_cgroups: bool,
    /// `systemReservedCgroup` names one.
    pub(crate) system_cgroup: bool,
    /// `kubeReservedCgroup` names one.
    pub(crate) kube_cgroup: bool,
    /// The feature gate `ImageMaximumGCAge` is off.
    pub(crate) no_image_max_age: bool,
    /// The feature gate `PodLevelResources` is off.
    pub(crate) no_pod_resources: bool,
    /// What the feature gate `ImageVolume` is set to.
    pub(crate) image_volumes: Option<bool>,
    /// What the feature gate `HugepageAwareEviction` is set to.
    pub(crate) hugepage_aware: Option<bool>,
    /// `memoryReservationPolicy: TieredReservation`, which evictd does not set.
    pub(crate) tiered_reservation: bool,
}

/// The texts of a flag, or of a field that stands for one, and where they came from.
type Given = (Vec<String>, Origin);

/// New flags, and the old ones that say the same.
const RENAMED: [(&str, &str); 1] = [(
    "eviction-pressure-transition-period",
    "outofdisk-transition-frequency",
)];

impl Typed {
    /// Adds one more text of the flag with that name, without dashes. Returns
    /// whether there is such a flag; if not, nothing is added.
    #[must_use]
    pub fn add(&mut self, name: &str, text: impl Into<String>) -> bool {
        let Some(flag) = Flag::find(name) else {
            return false;
        };
        let origin = Origin::Flag(flag.name);
        self.push(flag.name, origin, text.into(), |origin, of| origin != of);
        true
    }

    /// Adds what a field of the file says for a flag, unless the flag was given:
    /// flags win.
    pub(crate) fn add_field(&mut self, flag: &'static str, field: &'static str, text: String) {
        self.add_unless_given(flag, Origin::File(field), text);
    }

    /// Adds a text of a flag, unless something that beats its origin gave one. Returns
    /// whether it was added.
    pub(crate) fn add_unless_given(
        &mut self,
        flag: &'static str,
        origin: Origin,
        text: String,
    ) -> bool {
        let old = RENAMED.iter().find(|(new, _)| *new == flag);
        let beats = |flag| match self.origin(flag) {
            Origin::Flag(_) => true,
            Origin::FlagsFile(_) => matches!(origin, Origin::File(_)),
            Origin::Default | Origin::File(_) | Origin::Compat | Origin::Derived => false,
        };
        if beats(flag) || old.is_some_and(|(_, old)| beats(old)) {
            return false;
        }
        self.push(flag, origin, text, |origin, of| {
            matches!((origin, of), (Origin::FlagsFile(_), Origin::File(_)))
        });
        true
    }

    /// Adds a flag that [`foreign_flag`](crate::foreign_flag) knows: it is passed over, but
    /// for what of it other settings are judged by.
    pub fn add_foreign(&mut self, name: &str, text: &str) {
        match name {
            "system-reserved-cgroup" => self.facts.system_cgroup = !text.is_empty(),
            "kube-reserved-cgroup" => self.facts.kube_cgroup = !text.is_empty(),
            "cgroups-per-qos" => {
                self.facts.no_qos_cgroups = parse_boolean("config", text) == Ok(false);
            }
            _ => self.passed_over.push(name.to_owned()),
        }
    }

    /// These flags where they are among `live`, else those of `other`.
    pub(crate) fn keeping(mut self, other: &Self, live: &[&str]) -> Self {
        self.given.retain(|(flag, _)| live.contains(flag));
        let kept = other.given.iter().filter(|(flag, _)| !live.contains(flag));
        self.given.extend(kept.cloned());
        self.given.sort_unstable_by_key(|(flag, _)| *flag);
        self.facts = other.facts;
        self
    }

    /// Without what errors are told by: the texts of the files.
    #[must_use]
    pub fn without_texts(mut self) -> Self {
        self.sources = Vec::new();
        self.lines = Lines::default();
        self
    }

    /// These flags without what files say.
    pub(crate) fn without_files(&self) -> Self {
        let mut given = self.given.clone();
        given.retain(|(_, (_, origin))| !matches!(origin, Origin::File(_)));
        Self {
            given,
            ..Self::default()
        }
    }

    /// Whose behaviour is asked for, as far as the text is one of `--compat`.
    pub(crate) fn compat(&self) -> Compat {
        let text = self.get("compat").last();
        let found = text.and_then(|text| Compat::from_list(text));
        found.unwrap_or_default()
    }

    /// Whether errors are to be worded as the kubelet's.
    pub(crate) fn is_kubelets(&self) -> bool {
        self.compat() != Compat::Evictd
    }

    fn find(&self, name: &str) -> Option<&Given> {
        debug_assert!(Flag::find(name).is_some(), "there is no --{name}");
        let at = self.position(name).ok()?;
        self.given.get(at).map(|(_, given)| given)
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.given.binary_search_by_key(&name, |(flag, _)| *flag)
    }

    /// Adds a text of the flag; where `beats` says so of where its texts came from, in their
    /// place.
    fn push(
        &mut self,
        flag: &'static str,
        origin: Origin,
        text: String,
        beats: fn(Origin, Origin) -> bool,
    ) {
        let at = self.position(flag).unwrap_or_else(|at| {
            self.given.insert(at, (flag, (Vec::new(), origin)));
            at
        });
        if let Some((_, (texts, of))) = self.given.get_mut(at) {
            if beats(origin, *of) {
                (*texts, *of) = (Vec::new(), origin);
            }
            texts.push(text);
        }
    }

    /// The texts of the flag with that name, in order.
    #[must_use]
    pub fn get(&self, name: &str) -> &[String] {
        self.find(name).map_or(&[], |(texts, _)| texts)
    }

    /// Where the texts of the flag came from: a flag, a file, or nowhere.
    pub(crate) fn origin(&self, name: &str) -> Origin {
        self.find(name)
            .map_or(Origin::Default, |(_, origin)| *origin)
    }

    /// What to call a setting where something is to be added to it: a flag, or a
    /// field of the file if there is one.
    pub(crate) fn name_of(&self, flag: &'static str) -> String {
        match (self.origin(flag), self.sources.first()) {
            (Origin::File(field), _) => field.to_owned(),
            (Origin::Default, Some(source)) if source.within.is_empty() => {
                let field = Flag::find(flag).and_then(|flag| flag.field);
                field.map_or(flag, |(name, _)| name).to_owned()
            }
            (Origin::Default, Some(_)) => flag.to_owned(),
            _ => format!("--{flag}"),
        }
    }

    /// The error, with the place in the file if that is where the text stands.
    pub(crate) fn locate(&self, error: Box<ConfigError>) -> Box<ConfigError> {
        let error = error.worded_for(self.is_kubelets());
        match self.origin(error.flag) {
            Origin::File(field) => Source::locate(&self.sources, field, error),
            Origin::FlagsFile(flag) => self.lines.locate(self.get(flag), error),
            Origin::Default | Origin::Flag(_) | Origin::Compat | Origin::Derived => error,
        }
    }
}
