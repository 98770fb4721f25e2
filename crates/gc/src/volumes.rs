//! Volumes that nobody named.

/// A container that is being made, or made anew, takes no longer to get its volume.
const DAY_NANOS: i64 = 24 * 60 * 60 * 1_000_000_000;

/// Whether a volume that no container refers to, running or not, may be deleted: nobody gave it
/// a name, and it was made a day ago or earlier. One of which that is not known stays.
///
/// ```
/// use evictd_gc::may_delete_volume;
///
/// let (made, day) = (1_700_000_000_000_000_000, 86_400_000_000_000);
/// assert!(may_delete_volume(true, Some(made), made + day));
/// assert!(!may_delete_volume(true, Some(made), made + day - 1));
/// assert!(!may_delete_volume(true, None, made + day));
/// assert!(!may_delete_volume(false, Some(made), made + 9 * day)); // it has a name
/// ```
#[must_use]
pub fn may_delete_volume(is_anonymous: bool, made_nanos: Option<i64>, now_nanos: i64) -> bool {
    let age = made_nanos.map(|made| now_nanos.saturating_sub(made));
    is_anonymous && age.is_some_and(|age| age >= DAY_NANOS)
}
