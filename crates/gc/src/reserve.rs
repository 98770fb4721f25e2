/// Whether a reserve of `bytes` may be taken of a filesystem with so much `available`, where
/// less than `needed` meets a threshold.
///
/// Taking it must not be what meets the threshold, as it would be given back at once: a tenth
/// of it stays between the two. As much again as it takes has to be left in any case, as a
/// filesystem that nobody watches has no threshold.
///
/// ```
/// use evictd_gc::reserve_fits;
///
/// // 1 GiB is available, and 500 MiB must be: 256 MiB may be taken, 512 MiB may not.
/// let (mib, needed) = (1 << 20, 500 << 20);
/// assert!(reserve_fits(256 * mib, 1024 * mib, needed));
/// assert!(!reserve_fits(512 * mib, 1024 * mib, needed));
/// ```
#[must_use]
pub const fn reserve_fits(bytes: u64, available: u64, needed: u64) -> bool {
    match available.checked_sub(bytes) {
        Some(left) => left >= bytes && left >= needed.saturating_add(bytes / 10),
        None => false,
    }
}
