//! The state, in lines of the log, when a signal asks for it.

use evictd_engine::full_name;
use evictd_engine::ports::Listing as _;
use evictd_engine::timers::Timer;
use evictd_evict::Evict;
use evictd_machine::engine::Engine;
use evictd_node::{Condition, Layout, Mono, Signal};
use evictd_rank::rank;

/// How many pods are named.
const PODS: usize = 8;

/// Logs what is left of each signal against its thresholds, the conditions, what waits for
/// its time, and which pods would be evicted first. Some 40 lines at most: there are no more
/// signals than those.
pub(crate) fn log(now: Mono, engine: &mut Engine) {
    log::info!(event = "state"; "state: {}", evictd_engine::summary(engine.evict().conditions(), engine.readings()));
    signals(now, engine);
    conditions(now, engine.evict());
    let is_killing = engine.is_killing();
    let timers = engine.timers().map(|(timer, at)| in_time(timer, at, now));
    let timers: Vec<String> = timers.collect();
    log::info!(event = "state"; "state: killing {is_killing}; due: {}", timers.join(", "));
    pods(now, engine);
}

fn in_time(timer: Timer, at: Mono, now: Mono) -> String {
    format!("{timer:?} in {} ms", at.since(now).as_millis())
}

fn signals(now: Mono, engine: &Engine) {
    for signal in Signal::ALL {
        let reading = engine.readings().get(signal);
        let all = engine.evict().thresholds();
        let own: Vec<String> = all
            .filter(|of| of.signal == signal && of.operator.is_some())
            .map(|of| {
                let mut met = engine.evict().met();
                match met.find(|met| core::ptr::eq(met.threshold, of)) {
                    Some(met) => format!(
                        "{of} (met for {} s, acts in {} s)",
                        now.since(met.since).as_secs(),
                        met.acts_at.since(now).as_secs()
                    ),
                    None => of.to_string(),
                }
            })
            .collect();
        if !own.is_empty() {
            let left = reading.map_or_else(
                || "unknown".to_owned(),
                |reading| format!("{} of {}", reading.available, reading.capacity),
            );
            log::info!(event = "state"; "state: {signal} {left}; {}", own.join(", "));
        }
    }
}

fn conditions(now: Mono, evict: &Evict) {
    for condition in Condition::ALL {
        if let Some(last) = evict.pressure().last_observed(condition) {
            let ago = now.since(last).as_secs();
            let holds = evict.conditions().has(condition);
            log::info!(event = "state"; "state: {condition}={holds}, last observed {ago} s ago");
        }
    }
}

/// For the signal that is acted on, else for memory.
fn pods(now: Mono, engine: &mut Engine) {
    let signal = engine.evict().met().next().map(|met| met.threshold.signal);
    let signal = signal.unwrap_or(Signal::MemoryAvailable);
    engine.list_early(now);
    let layout = engine.evict().observed_layout();
    let layout = layout.unwrap_or(Layout::OneFilesystem);
    let candidates = engine.pods().candidates();
    let order = rank(signal, layout, candidates, engine.evict().policy());
    let count = candidates.len();
    log::info!(event = "state"; "state: {count} pods, in the order of eviction for {signal}:");
    for (number, place) in (1..).zip(order.into_iter().take(PODS)) {
        let Some(candidate) = candidates.get(place.candidate) else {
            continue;
        };
        let of = &candidate.pod.metadata;
        let name = full_name(&of.namespace, &of.name);
        let spared = if candidate.pod.is_critical() {
            "; never evicted: critical"
        } else {
            ""
        };
        log::info!(event = "state"; "state: {number}. {name}: {place}{spared}");
    }
}
