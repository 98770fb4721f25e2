use alloc::collections::BTreeMap;
use evictd_evict::Annotations;

use evictd_evict::Eviction;
use evictd_node::Signal;
use serde::{Serialize, Serializer};

use crate::object::Object;

/// How many evictions are remembered: the last ones (failure F38).
pub const HISTORY: usize = 50;

/// The longest text of a record in bytes; longer ones are cut.
pub(crate) const MOST_TEXT: usize = 1024;

/// What came of an eviction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The kill has begun; if the daemon runs no more, it ended before the kill.
    #[default]
    Begun,
    /// The pod is gone.
    Killed,
    /// The pod could not be killed, or not in time.
    Stuck,
    /// Nothing was done, because of `--dry-run`.
    DryRun,
    /// No eviction: the kernel's own OOM killer killed processes of the pod.
    OomKilled,
}

impl Outcome {
    const ALL: [Self; 5] = [
        Self::Begun,
        Self::Killed,
        Self::Stuck,
        Self::DryRun,
        Self::OomKilled,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Killed => "killed",
            Self::Stuck => "stuck",
            Self::DryRun => "dryRun",
            Self::OomKilled => "oomKilled",
        }
    }

    /// One that is unknown is [`Outcome::Begun`]: nothing more is known.
    fn of(name: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        let named = all.find(|outcome| outcome.name() == name);
        named.unwrap_or_default()
    }

    /// Whether a pod was to be ended, and not only in a rehearsal.
    #[must_use]
    pub const fn is_eviction(self) -> bool {
        match self {
            Self::Begun | Self::Killed | Self::Stuck => true,
            Self::DryRun | Self::OomKilled => false,
        }
    }

    /// The phase of the pod's status, in Kubernetes' words: `Failed` once all of its
    /// containers are ended (acceptance row 2); until then eviction changed none.
    #[must_use]
    pub const fn phase(self) -> Option<&'static str> {
        match self {
            Self::Killed => Some(Eviction::PHASE),
            Self::Begun | Self::Stuck | Self::DryRun | Self::OomKilled => None,
        }
    }
}

/// Two members of a [`Record`]: what came of the eviction, and the pod's phase by it.
impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("outcome", Some(self.name())), ("phase", self.phase())])
    }
}

fn write_signal<S: Serializer>(signal: &Option<Signal>, to: S) -> Result<S::Ok, S::Error> {
    signal.map(Signal::name).serialize(to)
}

/// One eviction, with all that explains it afterwards. As JSON it is what the state
/// file keeps and what `evictd history --json` prints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// When it was decided: seconds since 1970.
    pub wall_seconds: u64,
    /// The signal whose threshold was met; `None` for a limit of the pod's own.
    #[serde(serialize_with = "write_signal")]
    pub signal: Option<Signal>,
    /// The threshold that was met: `memory.available<100Mi`; empty for a limit.
    pub threshold: String,
    /// Its grace period in nanoseconds; 0 for a hard one and for a limit.
    pub threshold_grace_nanos: i64,
    /// How much was left, in the signal's unit.
    pub available: Option<i64>,
    /// How much there is in all.
    pub capacity: Option<i64>,
    /// On which filesystem: major and minor number of its device, as in `254:1`.
    pub device: Option<String>,
    /// The pod's namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// Why it was this pod.
    pub reason: String,
    /// Who would have been evicted in its place, as that pod was then: `NAMESPACE/NAME`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// What put that pod there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_reason: Option<String>,
    /// The rule that put the evicted pod before that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What it leaves on the disk that is short, and what would free it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leftovers: Option<String>,
    /// The kubelet's message.
    pub message: String,
    /// The annotations of the kubelet's event.
    pub annotations: BTreeMap<String, String>,
    /// Seconds that it was given to end by itself.
    pub grace_seconds: i64,
    /// The restart policy that its container keeps, where a runtime has one for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_policy: Option<String>,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// How it was killed, in the kernel's words; empty where it was not, or
    /// ended by itself.
    pub method: String,
    /// How long that took in milliseconds, from the decision to the end.
    pub millis: Option<u64>,
}

impl Record {
    /// What can be read of it.
    pub(crate) fn read(from: Object<'_>) -> Self {
        let if_any = |name| from.text(name).map(str::to_owned);
        let text = |name| if_any(name).unwrap_or_default();
        let mut record = Self {
            wall_seconds: from.number("wallSeconds").unwrap_or(0),
            signal: from.text("signal").and_then(Signal::from_name),
            threshold: text("threshold"),
            threshold_grace_nanos: from.signed("thresholdGraceNanos").unwrap_or(0),
            available: from.signed("available"),
            capacity: from.signed("capacity"),
            device: if_any("device"),
            namespace: text("namespace"),
            name: text("name"),
            uid: text("uid"),
            reason: text("reason"),
            next: if_any("next"),
            next_reason: if_any("nextReason"),
            rule: if_any("rule"),
            leftovers: if_any("leftovers"),
            message: text("message"),
            annotations: annotations(from),
            grace_seconds: from.signed("graceSeconds").unwrap_or(0),
            restart_policy: if_any("restartPolicy"),
            outcome: from.text("outcome").map_or(Outcome::Begun, Outcome::of),
            method: text("method"),
            millis: from.number("millis"),
        };
        record.cut();
        record
    }

    /// Whether both are of one eviction, whatever is known of its end.
    pub(crate) fn is_of_same_eviction(&self, other: &Self) -> bool {
        let decided = |of: &Self| (of.wall_seconds, of.available);
        decided(self) == decided(other) && self.uid == other.uid && self.reason == other.reason
    }

    /// Cuts texts that are too long, so that the file stays bounded.
    pub(crate) fn cut(&mut self) {
        const MOST_ANNOTATIONS: usize = 8;
        self.annotations.retain(|key, _| key.len() <= MOST_TEXT);
        while self.annotations.len() > MOST_ANNOTATIONS {
            self.annotations.pop_last();
        }
        [
            &mut self.threshold,
            &mut self.namespace,
            &mut self.name,
            &mut self.uid,
            &mut self.reason,
            &mut self.message,
            &mut self.method,
        ]
        .into_iter()
        .chain(&mut self.device)
        .chain(&mut self.restart_policy)
        .chain(&mut self.next)
        .chain(&mut self.next_reason)
        .chain(&mut self.rule)
        .chain(&mut self.leftovers)
        .chain(self.annotations.values_mut())
        .for_each(|text| cut(text, MOST_TEXT));
    }
}

/// Those that are texts.
fn annotations(from: Object<'_>) -> BTreeMap<String, String> {
    let texts = from.texts("annotations");
    texts
        .map(|(key, text)| (key.to_owned(), text.to_owned()))
        .collect()
}

/// Leaves the first `most` bytes or a little less: whole characters only.
pub(crate) fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or(0));
    }
}

/// The annotations as the kubelet names them.
#[must_use]
pub fn annotations_by_name(annotations: Annotations) -> BTreeMap<String, String> {
    let (pod, usage) = annotations.offending_pod.unzip();
    let all = [
        (
            "offending_containers",
            Some(annotations.offending_containers),
        ),
        (
            "offending_containers_usage",
            Some(annotations.offending_containers_usage),
        ),
        ("offending_pod", pod),
        ("offending_pod_usage", usage.map(|used| used.to_string())),
        (
            "starved_resource",
            Some(annotations.starved_resource.to_string()),
        ),
    ];
    let mut given = BTreeMap::new();
    for (name, value) in all {
        if let Some(value) = value {
            given.insert(name.to_owned(), value);
        }
    }
    given
}
