/// Whether each underscore of a number stands between two digits, or a base prefix and a
/// digit, as in `1_000` and `0x_8p0` (Go: `strconv.underscoreOK`).
#[must_use]
pub fn underscores_separate_digits(number: &str) -> bool {
    let (_, unsigned) = crate::scan::split_sign(number);
    let prefixes = ["0b", "0B", "0o", "0O", "0x", "0X"];
    let prefix = prefixes.into_iter().find(|p| unsigned.starts_with(p));
    let is_hexadecimal = prefix.is_some_and(|p| p.ends_with(['x', 'X']));
    let is_digit = |c: char| c.is_ascii_digit() || (is_hexadecimal && c.is_ascii_hexdigit());
    let digits = prefix.and_then(|p| unsigned.strip_prefix(p));
    let mut pieces = digits.unwrap_or(unsigned).split('_');
    let first = pieces.next().unwrap_or("");
    let mut may_follow = first.ends_with(is_digit) || (first.is_empty() && prefix.is_some());
    pieces.all(|piece| {
        let separates = may_follow && piece.starts_with(is_digit);
        may_follow = piece.ends_with(is_digit);
        separates
    })
}
