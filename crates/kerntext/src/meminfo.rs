use crate::known::{Bad, Known};
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
    pub(crate) bad: Bad,
}

/// The fields of [`Meminfo`], in its order.
const KEYS: [&str; 13] = [
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Cached",
    "AnonPages",
    "SwapTotal",
    "SwapFree",
    "HugePages_Total",
    "Hugepagesize",
    "Hugetlb",
    "SUnreclaim",
    "Zswap",
    "PageTables",
];

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

    /// The keys of fields that are in the file with a value that is no number, or does not
    /// fit in 64 bits as bytes. The fields are `None`.
    pub fn bad_fields(&self) -> impl Iterator<Item = &'static str> {
        self.bad.keys(&KEYS)
    }

    /// Whether a pool of huge pages is told, in numbers that make no sense.
    #[must_use]
    pub fn has_bad_huge_page_pool(&self) -> bool {
        self.huge_page_pool_bytes().is_none() && self.bad.has_any(7..10)
    }
}

/// `/proc/meminfo`.
///
/// A field that makes no sense costs itself: it is `None`, and one of
/// [`Meminfo::bad_fields`]. Of a field that comes twice the first line counts.
#[must_use]
pub fn parse_meminfo(text: &[u8]) -> Meminfo {
    let lines = Lines::new(text).filter_map(|line| line.split(|byte| byte == b':'));
    let Known { values, bad } = Known::read(&KEYS, lines, amount);
    let [
        mem_total_bytes,
        mem_free_bytes,
        mem_available_bytes,
        cached_bytes,
        anon_bytes,
        swap_total_bytes,
        swap_free_bytes,
        huge_pages_total,
        huge_page_size_bytes,
        hugetlb_bytes,
        unreclaimable_slab_bytes,
        zswap_bytes,
        page_tables_bytes,
    ] = values;
    Meminfo {
        mem_total_bytes,
        mem_free_bytes,
        mem_available_bytes,
        cached_bytes,
        anon_bytes,
        swap_total_bytes,
        swap_free_bytes,
        huge_pages_total,
        huge_page_size_bytes,
        hugetlb_bytes,
        unreclaimable_slab_bytes,
        zswap_bytes,
        page_tables_bytes,
        bad,
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
