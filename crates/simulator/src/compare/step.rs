//! What is compared from one look to the next.

use evictd_node::{Signal, Unit};

use super::moment::{Moment, share};
use super::rule::{In, Rules};
use crate::world::bounds::Bounds;

/// What leaks, or is written, in a second: a tenth of memory, a twentieth of a disk.
const LEAKS: i64 = 1000;
const WRITES: i64 = 500;
/// A pod writes half of a disk at once,
const POD_WRITES: i64 = 5000;
/// and starts so many processes a second.
const POD_FORKS: i64 = 4000;
/// All of it.
const WHOLE: i64 = 10_000;

/// Compares two looks.
pub(super) fn step(to: &mut Rules, pair: (&Moment, &Moment), bounds: &Bounds) {
    let (before, after) = pair;
    let millis = after.at.since(before.at).as_millis();
    let millis = i64::try_from(millis).unwrap_or(i64::MAX);
    memory(to, pair, bounds, millis);
    pods(to, pair, bounds, millis);
    for signal in [
        Signal::NodefsAvailable,
        Signal::NodefsInodesFree,
        Signal::ImagefsAvailable,
        Signal::ImagefsInodesFree,
    ] {
        disk(to, pair, (signal, bounds), millis);
    }
    pids(to, pair, bounds);
    let changed = before.layout != after.layout;
    to.note(
        ("layouts that change", In::Count),
        i64::from(changed),
        (0, 0),
    );
}

/// So much a second comes to that much in a step.
const fn in_millis(a_second: i64, millis: i64) -> i64 {
    a_second.saturating_mul(millis) / 1000 + 1
}

fn memory(to: &mut Rules, (before, after): (&Moment, &Moment), bounds: &Bounds, millis: i64) {
    let signal = Signal::MemoryAvailable;
    let (Some(reading), Some(former)) = (after.get(signal), before.get(signal)) else {
        return;
    };
    let resized = share(reading.capacity - former.capacity, former.capacity);
    to.note(
        ("memory that there is, changes by", In::Share),
        resized,
        (-WHOLE / 2, 0),
    );
    let (Some(then), Some(now)) = (
        before.elsewhere(signal, |pod| pod.memory),
        after.elsewhere(signal, |pod| pod.memory),
    ) else {
        return;
    };
    let disagree = bounds.disagree.cast_signed();
    let beyond = share((-now).max(0), reading.capacity);
    to.note(
        ("pods hold more than is used, by", In::Share),
        beyond,
        (0, disagree),
    );
    if before.has_the_pods_of(after) {
        let moved = share(now - then, reading.capacity);
        let move_by = bounds.others_move.cast_signed() + 2 * disagree;
        let allowed = (-move_by, move_by + in_millis(LEAKS, millis));
        to.note(
            ("memory that others take and give", In::Share),
            moved,
            allowed,
        );
    }
}

fn pods(to: &mut Rules, (before, after): (&Moment, &Moment), bounds: &Bounds, millis: i64) {
    let whole = |signal| after.get(signal).map(|of| of.capacity);
    let memory = whole(Signal::MemoryAvailable);
    let disk = whole(Signal::NodefsAvailable);
    let gives = bounds.pod_gives.cast_signed();
    let takes = bounds.pod_takes.cast_signed();
    for now in &after.pods {
        let Some(then) = before.pod(&now.uid) else {
            continue;
        };
        for (now, then, whole, names, most) in [
            (
                now.memory,
                then.memory,
                memory,
                [
                    "memory that a pod takes",
                    "memory that a pod gives back, of its own",
                ],
                takes + in_millis(LEAKS, millis),
            ),
            (
                now.disk,
                then.disk,
                disk,
                [
                    "disk that a pod takes",
                    "disk that a pod gives back, of its own",
                ],
                POD_WRITES + in_millis(WRITES, millis),
            ),
        ] {
            let (Some(now), Some(then), Some(whole)) = (now, then, whole) else {
                continue;
            };
            let [taken, given] = names;
            to.note(
                (taken, In::Share),
                share((now - then).max(0), whole),
                (0, most),
            );
            to.note(
                (given, In::Share),
                share((then - now).max(0), then),
                (0, gives),
            );
        }
        if let (Some(now), Some(then)) = (now.pids, then.pids) {
            let allowed = (
                -in_millis(gives, 1000),
                POD_FORKS + in_millis(POD_FORKS, millis),
            );
            to.note(
                ("processes that a pod starts and ends", In::Count),
                now - then,
                allowed,
            );
        }
    }
}

fn disk(
    to: &mut Rules,
    (before, after): (&Moment, &Moment),
    (signal, bounds): (Signal, &Bounds),
    millis: i64,
) {
    let (Some(now), Some(then)) = (after.get(signal), before.get(signal)) else {
        return;
    };
    let is_bytes = signal.unit() == Unit::Bytes;
    let resized = if is_bytes {
        "bytes that a disk has, change by"
    } else {
        "inodes that a disk has, change by"
    };
    let by = share(now.capacity - then.capacity, then.capacity);
    // From full to empty it is by more than from empty to full.
    let fewer = bounds.inodes_resized.cast_signed();
    let most = if is_bytes {
        0
    } else {
        fewer * WHOLE / (WHOLE - fewer) + 1
    };
    to.note((resized, In::Share), by, (-most, most));
    // What pods hold is measured seconds later, so all of it is compared.
    let used = |of: evictd_node::Reading| of.capacity - of.available;
    let moved = share(used(now) - used(then), now.capacity);
    let name = if is_bytes {
        "bytes of a disk that are taken and given"
    } else {
        "inodes that are taken and given"
    };
    let most = POD_WRITES + bounds.others_move.cast_signed() + in_millis(2 * WRITES, millis);
    let least = if bounds.pod_gives == 0 && before.has_the_pods_of(after) {
        0
    } else {
        -WHOLE
    };
    to.note((name, In::Share), moved, (least, most));
}

fn pids(to: &mut Rules, (before, after): (&Moment, &Moment), bounds: &Bounds) {
    let signal = Signal::PidAvailable;
    let (Some(reading), Some(then), Some(now)) = (
        after.get(signal),
        before.elsewhere(signal, |pod| pod.pids),
        after.elsewhere(signal, |pod| pod.pids),
    ) else {
        return;
    };
    // Who has nothing left says no more how much is used.
    let is_left = |of: &Moment| of.get(signal).is_some_and(|of| of.available > 0);
    if before.has_the_pods_of(after) && is_left(before) && is_left(after) {
        let moved = share(now - then, reading.capacity);
        let most = bounds.others_fork.cast_signed();
        to.note(
            ("process ids that others take and give", In::Share),
            moved,
            (-most, most),
        );
    }
}
