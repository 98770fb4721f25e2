use alloc::vec::{self, Vec};

use evictd_node::{Layout, Policy, Signal};

use crate::key::{Key, Question};
use crate::sort::sort;
use crate::{Candidate, Place};

/// The order of eviction when `signal` starves: the first goes first.
///
/// Every candidate appears once. Candidates that nothing tells apart keep the
/// order in which they were given. (Of more than 4294967295 the rest is left out.)
#[must_use]
pub fn rank<'a>(
    signal: Signal,
    layout: Layout,
    candidates: &'a [Candidate<'a>],
    policy: &Policy,
) -> Order<'a> {
    let question = Question::new(signal, layout, policy);
    let mut keys: Vec<u128> = Vec::with_capacity(candidates.len() * 2);
    let (mut is_exact, mut least) = (true, u128::MAX);
    for (index, candidate) in (0..u32::MAX).zip(candidates) {
        let packed = question.key(candidate).packed();
        is_exact &= packed.is_exact;
        least = least.min(packed.amount);
        keys.push(packed.key | u128::from(index));
    }
    if is_exact {
        // Amounts close to each other, below zero and above, then differ in few bits.
        for key in &mut keys {
            *key -= least;
        }
        sort(&mut keys);
    } else {
        for part in 0..2 {
            for key in &mut keys {
                let parts = index_and_candidate(candidates, *key)
                    .map(|(_, candidate)| question.key(candidate).in_two());
                let part = parts.and_then(|parts| parts.get(part).copied());
                *key = part.unwrap_or(0) | *key & u128::from(u32::MAX);
            }
            sort(&mut keys);
        }
    }
    Order {
        question,
        candidates,
        keys: keys.into_iter(),
    }
}

/// The first of this order that `may_go`, and how many come before it: what
/// `rank(..).enumerate().find(..)` gives, by one scan and without allocation. Each is
/// asked for by its index.
#[must_use]
pub fn first(
    signal: Signal,
    layout: Layout,
    candidates: &[Candidate<'_>],
    policy: &Policy,
    may_go: &dyn Fn(usize, &Candidate<'_>) -> bool,
) -> Option<(usize, Place)> {
    let question = Question::new(signal, layout, policy);
    let mut best: Option<(Key, usize, &Candidate<'_>)> = None;
    for (index, candidate) in candidates.iter().enumerate() {
        if may_go(index, candidate) {
            let key = question.key(candidate);
            if best.is_none_or(|(least, ..)| key.is_before(least)) {
                best = Some((key, index, candidate));
            }
        }
    }
    let (least, first, candidate) = best?;
    let mut before = 0;
    for (index, other) in candidates.iter().enumerate() {
        if !may_go(index, other) {
            let key = question.key(other);
            before += usize::from(key.is_before(least) || (key == least && index < first));
        }
    }
    Some((before, question.place(first, candidate)))
}

/// Pods in the order of eviction. The reason of each place is put together when it is
/// asked for.
#[derive(Clone)]
pub struct Order<'a> {
    question: Question,
    candidates: &'a [Candidate<'a>],
    keys: vec::IntoIter<u128>,
}

impl Iterator for Order<'_> {
    type Item = Place;

    fn next(&mut self) -> Option<Place> {
        let (index, candidate) = index_and_candidate(self.candidates, self.keys.next()?)?;
        Some(self.question.place(index, candidate))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.keys.size_hint()
    }
}

/// Whose key it is.
fn index_and_candidate<'a>(
    candidates: &'a [Candidate<'a>],
    key: u128,
) -> Option<(usize, &'a Candidate<'a>)> {
    let index = usize::try_from(key & u128::from(u32::MAX)).ok()?;
    Some((index, candidates.get(index)?))
}
