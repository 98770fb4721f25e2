//! Finding things again among thousands without comparing each with each.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Sorts numbers by what they stand for, equal ones by number. Compiled once, whatever
/// that is.
pub(crate) fn sort(numbers: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    numbers.sort_unstable_by(|a, b| compare(*a, *b).then(a.cmp(b)));
}

/// The numbers below `count` in that order.
pub(crate) fn sorted(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    sort(&mut order, compare);
    order
}

/// Those in such an order that compare as equal.
pub(crate) fn equal<'a>(order: &'a [usize], compare: &dyn Fn(usize) -> Ordering) -> &'a [usize] {
    let first = order.partition_point(|at| compare(*at).is_lt());
    let rest = order.get(first..).unwrap_or_default();
    let length = rest.iter().take_while(|at| compare(**at).is_eq()).count();
    rest.get(..length).unwrap_or_default()
}

/// Puts a number into such an order, after those that are equal.
pub(crate) fn insert(order: &mut Vec<usize>, new: usize, compare: &dyn Fn(usize) -> Ordering) {
    let at = order.partition_point(|other| compare(*other).is_le());
    order.insert(at, new);
}
