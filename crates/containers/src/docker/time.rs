/// Reads a time as Go writes it (RFC 3339 with any number of decimals),
/// `2026-11-20T16:16:02.123456789+01:00`: nanoseconds since 1970. `None` when it is
/// written in another way, or is no day of the calendar.
///
/// What is finer than a nanosecond is cut off; a time that 64 bits do not hold
/// gives the nearer end, such as Go's zero time, the year 1. A leap second
/// counts as the one after it.
///
/// ```
/// use evictd_containers::docker::parse_rfc3339;
///
/// assert_eq!(parse_rfc3339("1970-01-01T01:00:02.5+01:00"), Some(2_500_000_000));
/// assert_eq!(parse_rfc3339("2026-02-29T00:00:00Z"), None);
/// ```
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let mut rest = text;
    let year = take_number(&mut rest, "", 4)?;
    let month = take_number(&mut rest, "-", 2)?;
    let day = take_number(&mut rest, "-", 2)?;
    rest = rest.strip_prefix(['T', 't'])?;
    let hour = take_number(&mut rest, "", 2)?;
    let minute = take_number(&mut rest, ":", 2)?;
    let second = take_number(&mut rest, ":", 2)?;
    let nanos = take_decimals(&mut rest)?;
    let offset = parse_offset(rest)?;
    let is_day = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    if !is_day || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - offset;
    let nanos = i128::from(minutes * 60 + second) * 1_000_000_000 + i128::from(nanos);
    let end = if nanos < 0 { i64::MIN } else { i64::MAX };
    Some(i64::try_from(nanos).unwrap_or(end))
}

/// So many digits behind that text.
fn take_number(rest: &mut &str, before: &str, count: usize) -> Option<i64> {
    let (digits, after) = rest.strip_prefix(before)?.split_at_checked(count)?;
    *rest = after;
    // The standard parser would take a sign.
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

/// The nanoseconds behind a decimal point; 0 where there is none.
fn take_decimals(rest: &mut &str) -> Option<i64> {
    let Some(behind) = rest.strip_prefix('.') else {
        return Some(0);
    };
    let after = behind.trim_start_matches(|letter: char| letter.is_ascii_digit());
    *rest = after;
    let digits = behind
        .strip_suffix(after)
        .filter(|digits| !digits.is_empty())?;
    let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
    nine.parse().ok()
}

/// How far its clock is ahead, in minutes.
fn parse_offset(text: &str) -> Option<i64> {
    if let "Z" | "z" = text {
        return Some(0);
    }
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let hours = take_number(&mut rest, "", 2).filter(|hours| *hours < 24)?;
    let minutes = take_number(&mut rest, ":", 2).filter(|minutes| *minutes < 60)?;
    rest.is_empty().then_some(sign * (hours * 60 + minutes))
}

const fn days_in(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 31,
    }
}

/// The Gregorian calendar, counted in years that begin with March, so that the
/// leap day is the last of its year.
const fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // Months from March on have 31, 30, 31, 30, 31 days, again and again.
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + leap_days + day_of_year - 719_468
}
