use crate::ParseError;
use crate::meminfo::amount;
use crate::scan::{Fields, Lines, Piece};

/// `/proc/PID/statm`: the resident set, in pages; shared pages count whole.
///
/// # Errors
/// When its second field is missing or no number.
pub fn parse_resident_pages(text: &[u8]) -> Result<u64, ParseError> {
    let mut fields = Fields::new(Piece::whole(text));
    let _size = fields.need()?;
    fields.need()?.number()
}

/// `Pss` of `/proc/PID/smaps_rollup`, in bytes: the resident set, where a page that is
/// shared by so many counts as that part of a page. `None` where the kernel does not say
/// it.
///
/// # Errors
/// When it is no number, or does not fit in 64 bits as bytes.
pub fn parse_pss(text: &[u8]) -> Result<Option<u64>, ParseError> {
    let mut keys = Lines::new(text).filter_map(|line| line.split(|byte| byte == b':'));
    let pss = keys.find(|(key, _)| key.text == b"Pss");
    pss.map(|(_, value)| amount(value)).transpose()
}
