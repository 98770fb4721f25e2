use crate::ParseError;
use crate::scan::{Fields, Piece};

/// The bytes of memory that a zram device takes, all of its pool: the third number of
/// `/sys/block/zramN/mm_stat` (`mem_used_total`).
///
/// # Errors
/// When there is no such number.
pub fn parse_zram_pool(text: &[u8]) -> Result<u64, ParseError> {
    let mut fields = Fields::new(Piece::whole(text));
    let _stored = fields.need()?;
    let _compressed = fields.need()?;
    fields.need()?.number()
}
