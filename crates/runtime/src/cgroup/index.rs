//! Finding things again among thousands without comparing each with each.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The numbers below `count` in the order of what they stand for, equal ones by number.
/// Compiled once, whatever they stand for.
pub(super) fn sorted(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_unstable_by(|a, b| compare(*a, *b).then(a.cmp(b)));
    order
}

/// Those in such an order that compare as equal.
pub(super) fn equal<'a>(order: &'a [usize], compare: &dyn Fn(usize) -> Ordering) -> &'a [usize] {
    let first = order.partition_point(|at| compare(*at).is_lt());
    let rest = order.get(first..).unwrap_or_default();
    let length = rest.iter().take_while(|at| compare(**at).is_eq()).count();
    rest.get(..length).unwrap_or_default()
}

/// Puts a number into such an order, after those that are equal.
pub(super) fn insert(order: &mut Vec<usize>, new: usize, compare: &dyn Fn(usize) -> Ordering) {
    let at = order.partition_point(|other| compare(*other).is_le());
    order.insert(at, new);
}
