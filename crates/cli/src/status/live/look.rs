//! What is shown: seen each second, by a thread, as whatever is asked may be slow.

use alloc::collections::VecDeque;
use core::time::Duration;
use std::sync::mpsc::SyncSender;

use evictd_config::{Paths, Resolved};
use evictd_machine::facts::node_name;
use evictd_node::{Mono, Readings, Utc};
use evictd_state::read_events;
use evictd_stats::{now, wall_seconds};
use evictd_sys::Bell;

use crate::explain::{Explanation, one_answer};
use crate::history::events;
use crate::moments::Moments;
use crate::next::Next;
use crate::sampled::{Sampled, ask_daemon};
use crate::status::Overview;

/// How often it looks.
const EVERY: Duration = Duration::from_secs(1);
/// Over so many looks goes the rate at which something runs out.
const RATE: usize = 10;
/// No screen shows more events.
const EVENTS: usize = 50;

/// One look.
pub(super) struct Seen {
    pub(super) node: String,
    pub(super) time: String,
    pub(super) is_dry_run: bool,
    /// Those that the daemon holds.
    pub(super) conditions: Vec<String>,
    pub(super) overview: Overview,
    pub(super) explained: Explanation,
    /// The latest is the last.
    pub(super) events: Vec<String>,
}

/// What is kept from one look to the next.
struct Eye {
    /// The daemon's settings, and the node by them.
    flags: Vec<String>,
    sampled: Sampled,
    before: VecDeque<(Mono, Readings)>,
}

/// Looks, until nobody takes what is seen. An error is why the daemon or the node says nothing.
pub(super) fn look_on(settings: &Resolved, seen: &SyncSender<Result<Seen, String>>, bell: &Bell) {
    let mut eye = None;
    loop {
        let begun = now();
        let what = look(settings, &mut eye);
        if seen.send(what).is_err() {
            return;
        }
        bell.ring();
        std::thread::sleep(EVERY.saturating_sub(now().since(begun)));
    }
}

fn look(settings: &Resolved, eye: &mut Option<Eye>) -> Result<Seen, String> {
    let (view, of_daemon) = ask_daemon(settings)?;
    // It may have read other settings meanwhile.
    let known = eye.take().filter(|eye| eye.flags == view.flags);
    let mut known = match known {
        Some(known) => known,
        None => Eye {
            flags: view.flags.clone(),
            sampled: Sampled::take(&of_daemon)?,
            before: VecDeque::new(),
        },
    };
    let at = now();
    let lines = Moments::new(&of_daemon.evict).look(&mut known.sampled, at)?;
    let decided = lines.into_iter().flat_map(|(_, decided)| decided);
    let readings = known.sampled.readings;
    known.before.push_back((at, readings));
    if known.before.len() > RATE {
        known.before.pop_front();
    }
    let (first, before) = known.before.front().copied().unwrap_or((at, readings));
    let between = (&before, &readings, at.since(first));
    let mut overview = Overview::of(&known.sampled, None);
    overview.next = Next::of(overview.next.signal, &known.sampled, Some(&view));
    overview.pods = overview.next.order(&known.sampled);
    let next = overview.next.clone();
    let decided = one_answer(decided.collect(), &view);
    let explained = Explanation::of_daemon(&of_daemon, between, decided, next);
    let seen = Seen {
        node: node_name(),
        time: Utc(wall_seconds()).to_string(),
        is_dry_run: of_daemon.dry_run,
        conditions: view.conditions,
        overview,
        explained,
        events: latest_events(&settings.paths),
    };
    *eye = Some(known);
    Ok(seen)
}

/// As `evictd history --events` shows them.
fn latest_events(paths: &Paths) -> Vec<String> {
    let text = paths.state_dir.as_deref().map(read_events);
    let text = text.and_then(Result::ok).unwrap_or_default();
    let shown = |line| events::show(line, None, false);
    let latest = text.lines().rev().filter_map(shown).take(EVENTS);
    let mut latest: Vec<String> = latest.collect();
    latest.reverse();
    latest
}
