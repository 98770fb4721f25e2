//! One look at the node: what `status`, `rank` and `config` show.

use std::path::Path;

use evictd_client::View;
use evictd_config::Resolved;
use evictd_engine::ports::Listing as _;
use evictd_machine::engine::{self, Engine};
use evictd_machine::facts;
use evictd_node::{Amount, Layout, Mono, Policy, QosClass, Readings, Signal};
use evictd_rank::{Candidate, Place, rank};
use serde::Serialize;

use super::output::shown;

/// What was seen.
pub(crate) struct Sampled {
    pub(crate) engine: Box<Engine>,
    pub(crate) readings: Readings,
    policy: Policy,
}

impl Sampled {
    /// Reads the node and its pods once and judges; does nothing about it.
    pub(crate) fn take(settings: &Resolved) -> Result<Self, String> {
        let engine = engine::look(settings)?;
        Ok(Self {
            readings: *engine.readings(),
            engine,
            policy: *settings.policy(),
        })
    }

    pub(crate) fn layout(&self) -> Layout {
        self.engine
            .node()
            .sample
            .layout()
            .unwrap_or(Layout::OneFilesystem)
    }

    /// Looks once more.
    pub(crate) fn look_again(&mut self, at: Mono) {
        engine::look_again(&mut self.engine, at);
        self.readings = *self.engine.readings();
    }

    /// How many pods there are.
    pub(crate) fn pods(&self) -> usize {
        self.engine.pods().candidates().len()
    }

    /// A directory on the filesystem of pods.
    pub(crate) fn nodefs(&self) -> &Path {
        self.engine.node().nodefs()
    }

    /// The pods in the order of eviction for `signal`.
    pub(crate) fn order(&self, signal: Signal) -> Vec<RankedPod> {
        let candidates = self.engine.pods().candidates();
        rank_pods(signal, self.layout(), candidates, &self.policy)
    }
}

/// A pod and its place in the order of eviction.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RankedPod {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    #[serde(serialize_with = "shown")]
    pub(crate) qos_class: QosClass,
    pub(crate) priority: i32,
    pub(crate) used: Option<u64>,
    pub(crate) request: i64,
    pub(crate) exceeds_request: bool,
    /// Whether it is passed over, whatever its place.
    pub(crate) protected: bool,
    /// By what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protection: Option<&'static str>,
    pub(crate) reason: String,
    /// Its place among those that would be evicted; none where it would not be.
    pub(crate) place: Option<usize>,
    /// Why it is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skipped: Option<String>,
}

impl RankedPod {
    /// How much it uses of what the signal is about; `?` where nobody knows.
    pub(crate) fn used_in_words(&self, signal: Signal) -> String {
        let used = self.used.and_then(|used| i64::try_from(used).ok());
        used.map_or_else(
            || "?".to_owned(),
            |used| Amount::of(signal, used).to_string(),
        )
    }

    /// Its place as a table shows it, and how it stands.
    pub(crate) fn standing(&self) -> (String, &'static str) {
        let place = self
            .place
            .map_or_else(|| "-".to_owned(), |place| place.to_string());
        let standing = match (self.protected, self.exceeds_request) {
            (true, _) => "protected",
            (false, true) => "above request",
            (false, false) => "",
        };
        (place, standing)
    }
}

pub(crate) fn rank_pods(
    signal: Signal,
    layout: Layout,
    candidates: &[Candidate],
    policy: &Policy,
) -> Vec<RankedPod> {
    let order = rank(signal, layout, candidates, policy).into_iter();
    let ranked = |place: Place| {
        let pod = &candidates.get(place.candidate)?.pod;
        let request = place.request_nanos / 1_000_000_000;
        Some(RankedPod {
            namespace: pod.metadata.namespace.clone(),
            name: pod.metadata.name.clone(),
            uid: pod.metadata.uid.clone(),
            qos_class: place.qos,
            priority: place.priority,
            used: place.used,
            request: i64::try_from(request).unwrap_or(i64::MAX),
            exceeds_request: place.exceeds,
            protected: pod.is_critical(),
            protection: pod.protection(),
            reason: place.to_string(),
            place: None,
            skipped: None,
        })
    };
    let mut pods: Vec<RankedPod> = order.filter_map(ranked).collect();
    // What is never evicted has no place among the others.
    pods.sort_by_key(|pod| pod.protected);
    for (place, pod) in (1..).zip(&mut pods) {
        pod.place = (!pod.protected).then_some(place);
    }
    pods
}

/// What the running daemon knows, and what it is set to.
///
/// # Errors
/// Why none answers.
pub(super) fn ask_daemon(settings: &Resolved) -> Result<(View, Resolved), String> {
    let view = evictd_client::view(&settings.paths)?;
    let mut of_daemon = view.settings()?;
    facts::fit(&mut of_daemon);
    Ok((view, of_daemon))
}
