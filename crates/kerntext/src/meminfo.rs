use crate::scan::{Fields, Lines, Piece};
use crate::{ParseError, ParseErrorKind};

/// What eviction reads of `/proc/meminfo`.
///
/// The kernel writes kibibytes and calls them kB; here everything is bytes but
/// for the counts of huge pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meminfo {
    /// `MemTotal`: all memory the kernel manages. Changes with hot-plugging
    /// and balloons.
    pub mem_total_bytes: Option<u64>,
    /// `MemFree`: not used at all.
    pub mem_free_bytes: Option<u64>,
    /// `MemAvailable` (since 3.14): the kernel's guess of what can be had
    /// without swapping.
    pub mem_available_bytes: Option<u64>,
    /// `Cached`: page cache, tmpfs and shared memory included.
    pub cached_bytes: Option<u64>,
    /// `AnonPages`: anonymous memory.
    pub anon_bytes: Option<u64>,
    /// `SwapTotal`.
    pub swap_total_bytes: Option<u64>,
    /// `SwapFree`.
    pub swap_free_bytes: Option<u64>,
    /// `HugePages_Total`: how many huge pages of the default size are in the
    /// pool.
    pub huge_pages_total: Option<u64>,
    /// `Hugepagesize`: the default size of a huge page.
    pub huge_page_size_bytes: Option<u64>,
    /// `Hugetlb` (since 4.17): all pools of huge pages, of every size.
    pub hugetlb_bytes: Option<u64>,
    /// `SUnreclaim`: slabs that the kernel cannot give back.
    pub unreclaimable_slab_bytes: Option<u64>,
    /// `Zswap` (since 5.19): what swap that zswap holds takes of memory, compressed.
    pub zswap_bytes: Option<u64>,
    /// `PageTables`.
    pub page_tables_bytes: Option<u64>,
}

impl Meminfo {
    /// Bytes that lie in pools of huge pages, used or not: no other page can
    /// come from there. `Hugetlb`, or on older kernels the pool of the default
    /// size.
    #[must_use]
    pub fn huge_page_pool_bytes(&self) -> Option<u64> {
        self.hugetlb_bytes.or_else(|| {
            let size = self.huge_page_size_bytes?;
            Some(self.huge_pages_total?.saturating_mul(size))
        })
    }
}

/// `/proc/meminfo`.
///
/// # Errors
/// When a key of [`Meminfo`] has a value that is not a number, or one that
/// does not fit in 64 bits as bytes.
pub fn parse_meminfo(text: &[u8]) -> Result<Meminfo, ParseError> {
    let mut info = Meminfo::default();
    for line in Lines::new(text) {
        let Some((key, value)) = line.split(|byte| byte == b':') else {
            continue;
        };
        if let Some(place) = info.place(key.text) {
            *place = Some(amount(value)?);
        }
    }
    Ok(info)
}

impl Meminfo {
    fn place(&mut self, key: &[u8]) -> Option<&mut Option<u64>> {
        Some(match key {
            b"MemTotal" => &mut self.mem_total_bytes,
            b"MemFree" => &mut self.mem_free_bytes,
            b"MemAvailable" => &mut self.mem_available_bytes,
            b"Cached" => &mut self.cached_bytes,
            b"AnonPages" => &mut self.anon_bytes,
            b"SwapTotal" => &mut self.swap_total_bytes,
            b"SwapFree" => &mut self.swap_free_bytes,
            b"HugePages_Total" => &mut self.huge_pages_total,
            b"Hugepagesize" => &mut self.huge_page_size_bytes,
            b"Hugetlb" => &mut self.hugetlb_bytes,
            b"SUnreclaim" => &mut self.unreclaimable_slab_bytes,
            b"Zswap" => &mut self.zswap_bytes,
            b"PageTables" => &mut self.page_tables_bytes,
            _ => return None,
        })
    }
}

/// A number with ` kB` behind it is in kibibytes, one without is a count.
pub(crate) fn amount(value: Piece<'_>) -> Result<u64, ParseError> {
    let mut fields = Fields::new(value);
    let digits = fields.need()?;
    let number = digits.number()?;
    match fields.next() {
        None => Ok(number),
        Some(unit) if unit.text == b"kB" => number
            .checked_mul(1024)
            .ok_or(digits.error(ParseErrorKind::Range)),
        Some(unit) => Err(unit.error(ParseErrorKind::Form)),
    }
}
