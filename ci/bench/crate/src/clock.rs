use evictd_stats::now;

/// The median time of one of `inner` calls, in picoseconds, over so many rounds.
pub(crate) fn picos_of(rounds: usize, inner: usize, mut call: impl FnMut()) -> u64 {
    let mut times: Vec<u128> = Vec::new();
    for _ in 0..rounds.max(1) {
        let begun = now();
        for _ in 0..inner {
            call();
        }
        times.push(now().since(begun).as_nanos());
    }
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let inner = u128::try_from(inner.max(1)).unwrap_or(1);
    u64::try_from(median.saturating_mul(1000) / inner).unwrap_or(u64::MAX)
}
