use alloc::collections::BTreeMap;
use core::time::Duration;

use evictd_config::{Origin, PodSources, Resolved, Setting, Typed, resolve};
use evictd_evict::Verdict;
use evictd_node::{Condition, ConditionSet, Reading, Readings, Signal};
use evictd_threshold::Threshold;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::HeldBack;
use crate::verdict::verdict_in_json;

/// What the running daemon knows: as its socket tells it, and `status` shows it.
///
/// In an answer a member of another type than it should have costs itself: the daemon may be
/// of another version.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct View {
    /// The settings that are not the defaults, as one would write them.
    pub flags: Vec<String>,
    /// The thresholds that it watches.
    pub thresholds: Vec<String>,
    /// The conditions that it holds.
    pub conditions: Vec<String>,
    /// By condition how many more seconds it holds it if no threshold is met again. An older
    /// daemon does not say.
    #[serde(rename = "conditionsForSeconds")]
    conditions_for_seconds: BTreeMap<String, u64>,
    /// What it measured last: by signal, what is `available` of which `capacity`.
    readings: Map<String, Value>,
    /// By signal its verdict, where a threshold is met: it knows what a look from outside cannot,
    /// as what the last eviction gave back. An older daemon does not say.
    verdicts: Map<String, Value>,
    /// What holds the next eviction back, while something does.
    #[serde(rename = "heldBack", skip_serializing_if = "Option::is_none")]
    held_back: Option<HeldBack>,
}

impl From<Value> for View {
    fn from(answer: Value) -> Self {
        let texts = |name: &str| {
            let list = answer.get(name).and_then(Value::as_array);
            let texts = list.into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        let entries = |name: &str| answer.get(name).and_then(Value::as_object);
        let seconds = entries("conditionsForSeconds").into_iter().flatten();
        Self {
            flags: texts("flags"),
            thresholds: texts("thresholds"),
            conditions: texts("conditions"),
            conditions_for_seconds: seconds
                .filter_map(|(name, of)| Some((name.clone(), of.as_u64()?)))
                .collect(),
            readings: entries("readings").cloned().unwrap_or_default(),
            verdicts: entries("verdicts").cloned().unwrap_or_default(),
            held_back: answer.get("heldBack").and_then(HeldBack::read),
        }
    }
}

impl View {
    /// What does not change: the settings.
    pub fn of_settings(settings: &Resolved) -> Self {
        // The others follow from those.
        let is_given = |origin| {
            matches!(
                origin,
                Origin::Flag(_) | Origin::FlagsFile(_) | Origin::File(_)
            )
        };
        let gates = gates(&settings.settings);
        let is_told = |of: &&Setting| match of.word() {
            Some(_) => false, // It is in the text of --compat.
            None => is_given(of.origin) || (of.name == COMPAT && !gates.is_empty()),
        };
        let given = settings.settings.iter().filter(is_told);
        let flags = given.flat_map(|of| {
            let texts = texts(&settings.pods, of).into_iter();
            let behind = if of.name == COMPAT { &*gates } else { "" };
            texts.map(move |text| format!("--{}={text}{behind}", of.name))
        });
        Self {
            flags: flags_of(&settings.evict.thresholds).chain(flags).collect(),
            ..Self::default()
        }
    }

    /// With what the daemon knows now, as JSON.
    #[must_use]
    pub fn in_json<'a>(
        &self,
        thresholds: impl IntoIterator<Item = &'a Threshold>,
        conditions: impl Iterator<Item = (Condition, Duration)>,
        readings: &Readings,
        (verdicts, held_back): (&[Verdict], Option<HeldBack>),
    ) -> String {
        let seen = |signal: Signal| {
            let reading = readings.get(signal)?;
            let seen = json!({"available": reading.available, "capacity": reading.capacity});
            Some((signal.name().to_owned(), seen))
        };
        let conditions: Vec<(String, u64)> = conditions
            .map(|(of, left)| (of.name().to_owned(), left.as_secs()))
            .collect();
        let view = Self {
            flags: self.flags.clone(),
            thresholds: thresholds.into_iter().map(ToString::to_string).collect(),
            conditions: conditions.iter().map(|(name, _)| name.clone()).collect(),
            conditions_for_seconds: conditions.into_iter().collect(),
            readings: Signal::ALL.into_iter().filter_map(seen).collect(),
            verdicts: verdicts
                .iter()
                .map(|of| (of.signal.name().to_owned(), verdict_in_json(of)))
                .collect(),
            held_back,
        };
        serde_json::to_string(&view).unwrap_or_default() + "\n"
    }

    /// The settings that it runs with.
    ///
    /// # Errors
    /// Which flag makes no sense here: it may be of another version.
    pub fn settings(&self) -> Result<Resolved, String> {
        let mut typed = Typed::default();
        for flag in &self.flags {
            let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
            let name = name.trim_start_matches('-');
            // What the files say is among the flags.
            let is_known =
                matches!(name, "flags-file" | "config" | "config-dir") || typed.add(name, value);
            if !is_known {
                return Err(format!(
                    "the daemon has a flag that is not known here: {flag}"
                ));
            }
        }
        resolve(&typed).map_err(|error| error.to_string())
    }

    /// What it measured last. A signal of another version is none here.
    pub fn readings(&self) -> Readings {
        let mut readings = Readings::default();
        for signal in Signal::ALL {
            let seen = self.readings.get(signal.name());
            let number = |of| seen?.get(of)?.as_i64();
            let reading = number("available").zip(number("capacity"));
            let reading = reading.map(|(available, capacity)| Reading {
                available,
                capacity,
                sampled: None,
            });
            readings.set(signal, reading);
        }
        readings
    }

    /// Its verdict on that signal, of which a threshold is met.
    pub fn verdict(&self, signal: Signal) -> Option<&Value> {
        self.verdicts.get(signal.name())
    }

    /// What holds evictions for that signal back.
    pub fn held_back(&self, signal: Signal) -> Option<&HeldBack> {
        self.held_back.as_ref().filter(|of| of.concerns(signal))
    }

    /// How many more seconds it holds that condition if no threshold is met again.
    pub fn holds_for_seconds(&self, condition: Condition) -> Option<u64> {
        self.conditions_for_seconds.get(condition.name()).copied()
    }

    /// The conditions that it holds.
    pub fn conditions(&self) -> ConditionSet {
        let mut held = ConditionSet::empty();
        for condition in self
            .conditions
            .iter()
            .filter_map(|name| Condition::from_name(name))
        {
            held.insert(condition.set());
        }
        held
    }
}

/// The flags of thresholds, also where these are the defaults.
pub fn flags_of(thresholds: &[Threshold]) -> impl Iterator<Item = String> {
    // That one follows from the one of the node.
    let own = |t: &&Threshold| t.signal != Signal::AllocatableMemoryAvailable;
    let own = || thresholds.iter().filter(own);
    let of = |is_hard| own().filter(move |t| t.operator.is_some() && t.is_hard() == is_hard);
    let soft = || of(false).map(|t| format!("{}={}", t.signal, t.grace));
    let reclaims = own().filter_map(|t| Some(format!("{}={}", t.signal, t.min_reclaim.as_ref()?)));
    let mut reclaims: Vec<String> = reclaims.collect();
    reclaims.sort_unstable();
    reclaims.dedup();
    let lists = [
        ("eviction-hard", of(true).map(ToString::to_string).collect()),
        (
            "eviction-soft",
            of(false).map(ToString::to_string).collect(),
        ),
        ("eviction-soft-grace-period", soft().collect()),
        ("eviction-minimum-reclaim", reclaims),
    ];
    let lists = lists.map(|(name, list): (_, Vec<String>)| (name, list.join(",")));
    let told = |(name, list): &(&str, String)| !list.is_empty() || *name == "eviction-hard";
    let lists = lists.into_iter().filter(told);
    lists.map(|(name, list)| format!("--{name}={list}"))
}

const COMPAT: &str = "compat";

/// What feature gates of a file switch on, which no flag says, as further words of `--compat`.
fn gates(settings: &[Setting]) -> String {
    let all = settings.iter();
    let on = all.filter(|of| matches!(of.origin, Origin::File(_)) && of.value == "true");
    let words = on.filter_map(Setting::word);
    words.map(|word| format!(",{word}")).collect()
}

/// What the flag of a setting was given, each time.
fn texts(pods: &PodSources, of: &Setting) -> Vec<String> {
    match of.name {
        "pod-cgroup-root" => {
            let roots = pods.cgroup_roots.iter();
            roots.map(|root| format!("/{}", root.display())).collect()
        }
        "never-evict" => pods.never_evict.clone(),
        // No pattern has a blank in it.
        "keep-image" => of.value.split(' ').map(str::to_owned).collect(),
        _ => vec![of.value.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 190: `status` judges as the daemon does.
    #[test]
    fn the_daemons_settings_are_found_again() {
        let flags = [
            ("eviction-hard", "memory.available<7%,pid.available<5"),
            ("eviction-soft", "memory.available<1Gi"),
            ("eviction-soft-grace-period", "memory.available=1m30s"),
            ("eviction-minimum-reclaim", "memory.available=10Mi"),
            ("pod-cgroup-root", "/pods"),
            ("pod-cgroup-root", "/system.slice"),
            ("never-evict", "ntp*"),
            ("never-evict", "a,b c"),
            ("keep-image", "redis"),
            ("keep-image", "quay.io/me/*"),
            ("container-runtime-endpoint", "unix:///run/a.sock"),
            ("container-runtime-endpoint", "unix:///run/b.sock"),
            ("kube-reserved", "memory=64Mi"),
            ("dry-run", "true"),
        ];
        let mut typed = Typed::default();
        assert!(flags.iter().all(|(name, text)| typed.add(name, *text)));
        let settings = resolve(&typed).unwrap();
        let again = View::of_settings(&settings).settings().unwrap();
        assert_eq!(again.evict.thresholds, settings.evict.thresholds);
        assert_eq!(again.pods.cgroup_roots, settings.pods.cgroup_roots);
        assert_eq!(again.pods.never_evict, settings.pods.never_evict);
        assert_eq!(again.runtimes.endpoints, settings.runtimes.endpoints);
        assert_eq!(again.settings, settings.settings);

        let gate = br#"{"kind": "KubeletConfiguration",
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "featureGates": {"HugepageAwareEviction": false}}"#;
        typed.add_file("node.json", gate).unwrap();
        assert!(typed.add("compat", "keep-build-cache"));
        let with_gate = resolve(&typed).unwrap();
        let again = View::of_settings(&with_gate).settings().unwrap();
        assert!(!again.memory.hugepage_aware && !again.relief.build_cache);

        let mut view = View::of_settings(&settings);
        view.flags.push("--of-tomorrow=1".to_owned());
        let error = view.settings().unwrap_err();
        assert!(error.ends_with("--of-tomorrow=1"), "{error}");
    }
}
