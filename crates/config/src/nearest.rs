/// The candidate that was probably meant by a mistyped word: the one with the
/// fewest letters changed, added, dropped or swapped, if those are at most a
/// third of the word.
///
/// ```
/// use evictd_config::nearest;
///
/// let names = ["nodefs.available", "memory.available"];
/// assert_eq!(nearest("memroy.available", names), Some("memory.available"));
/// assert_eq!(nearest("cpu", names), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are no typing errors, and the distance is quadratic.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let distances = candidates.into_iter().map(|c| (distance(word, c), c));
    let near = distances.filter(|(distance, c)| distance.saturating_mul(3) <= c.len());
    let best = near.min_by_key(|(distance, _)| *distance);
    best.map(|(_, candidate)| candidate)
}

/// The edit distance with swaps of neighbours ("optimal string alignment"),
/// letter case aside.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().map(|c| c.to_ascii_lowercase()).collect();
    let to: Vec<char> = to.chars().map(|c| c.to_ascii_lowercase()).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (row, letter) in from.iter().enumerate() {
        let mut current = vec![row.saturating_add(1)];
        for (column, other) in to.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX);
            let changed = at(&above, column).saturating_add(usize::from(letter != other));
            let dropped = at(&above, column.saturating_add(1)).saturating_add(1);
            let added = at(&current, column).saturating_add(1);
            let mut least = changed.min(dropped).min(added);
            if let (Some(row), Some(earlier)) = (row.checked_sub(1), column.checked_sub(1))
                && from.get(row) == Some(other)
                && to.get(earlier) == Some(letter)
            {
                least = least.min(at(&before, earlier).saturating_add(1));
            }
            current.push(least);
        }
        before = core::mem::replace(&mut above, current);
    }
    above.last().copied().unwrap_or(0)
}
