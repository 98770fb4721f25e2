/// What is free of a filesystem, as `statfs` says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FsUsage {
    /// Its size in bytes.
    pub capacity_bytes: u64,
    /// How many of them an ordinary user may still use.
    pub available_bytes: u64,
    /// How many inodes it has; 0 where it does not count them.
    pub inodes: u64,
    /// How many of them are free.
    pub inodes_free: u64,
}

impl FsUsage {
    pub(crate) fn bytes(&self) -> Share {
        Share::new(self.capacity_bytes, self.available_bytes)
    }

    pub(crate) fn inode_share(&self) -> Share {
        Share::new(self.inodes, self.inodes_free)
    }

    /// The usage after `bytes` more became free.
    pub(crate) fn with_freed(mut self, bytes: u64) -> Self {
        self.available_bytes = self.available_bytes.saturating_add(bytes);
        self
    }
}

/// A capacity, and what of it is available: at most all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    capacity: i128,
    available: i128,
}

impl Share {
    fn new(capacity: u64, available: u64) -> Self {
        Self {
            capacity: capacity.into(),
            available: available.min(capacity).into(),
        }
    }

    pub(crate) fn capacity(self) -> u64 {
        u64::try_from(self.capacity).unwrap_or(u64::MAX)
    }

    /// How much is used, in percent, rounded up; `None` of nothing.
    pub(crate) fn percent_used(self) -> Option<i64> {
        let free = self.available.saturating_mul(100);
        let free = i64::try_from(free.checked_div(self.capacity)?).ok()?;
        Some(100_i64.saturating_sub(free))
    }

    /// How much more has to become available until that many percent are used;
    /// zero or less where it is.
    pub(crate) fn missing_to(self, low_percent: i64) -> i64 {
        let free = i128::from(100_i64.saturating_sub(low_percent));
        let wanted = self.capacity.saturating_mul(free) / 100;
        nearest(wanted.saturating_sub(self.available))
    }
}

/// The number, or the nearer end of what 64 bits hold.
pub(crate) fn nearest(number: i128) -> i64 {
    let end = if number < 0 { i64::MIN } else { i64::MAX };
    i64::try_from(number).unwrap_or(end)
}
