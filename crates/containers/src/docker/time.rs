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
    let (head, rest) = text.split_at_checked(19)?;
    let numbers = head.split(['-', 'T', 't', ':']);
    let numbers: Vec<i64> = numbers.filter_map(|number| number.parse().ok()).collect();
    let [year, month, day, hour, minute, second] = numbers.try_into().ok()?;
    let zone = rest.trim_start_matches(|letter: char| letter == '.' || letter.is_ascii_digit());
    let nanos = parse_decimals(rest.strip_suffix(zone)?)?;
    let offset = parse_offset(zone)?;
    let first = days_since_1970(year, month, 1);
    let is_day = (1..=12).contains(&month)
        && (1..=days_since_1970(year, month + 1, 1) - first).contains(&day);
    if !has_form(head, "0000-00-00T00:00:00") || !is_day || hour > 23 || minute > 59 || second > 60
    {
        return None;
    }
    let minutes = ((first + day - 1) * 24 + hour) * 60 + minute - offset;
    let nanos = i128::from(minutes * 60 + second) * 1_000_000_000 + i128::from(nanos);
    let end = if nanos < 0 { i64::MIN } else { i64::MAX };
    Some(i64::try_from(nanos).unwrap_or(end))
}

/// Whether there is a digit for each `0` of a form, and its other letters, large or small.
fn has_form(text: &str, form: &str) -> bool {
    let alike = |(byte, form): (u8, u8)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte.eq_ignore_ascii_case(&form),
    };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(alike)
}

/// The nanoseconds of a decimal point and what is behind it; 0 of nothing.
fn parse_decimals(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    let digits = text.strip_prefix('.')?;
    if digits.is_empty() || digits.contains('.') {
        return None;
    }
    let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
    nine.parse().ok()
}

/// How far its clock is ahead, in minutes.
fn parse_offset(zone: &str) -> Option<i64> {
    if let "Z" | "z" = zone {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let clock = zone
        .strip_prefix(['+', '-'])
        .filter(|clock| has_form(clock, "00:00"))?;
    let (hours, minutes) = clock.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// The Gregorian calendar, counted in years that begin with March, so that the
/// leap day is the last of its year. The month behind December is January.
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
