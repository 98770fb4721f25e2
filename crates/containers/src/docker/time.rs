use core::fmt;

/// Why a text is no time, and at which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseTimeError {
    /// Where the first odd byte stands.
    pub position: usize,
}

impl fmt::Display for ParseTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a time of RFC 3339 at byte {}", self.position)
    }
}

impl core::error::Error for ParseTimeError {}

/// Reads a time as Go writes it (RFC 3339 with any number of decimals),
/// `2026-11-20T16:16:02.123456789+01:00`: nanoseconds since 1970.
///
/// What is finer than a nanosecond is cut off; a time that 64 bits do not hold
/// gives the nearer end, such as Go's zero time, the year 1. A leap second
/// counts as the one after it.
///
/// # Errors
/// When it is written in another way, or is no day of the calendar.
pub fn parse_rfc3339(text: &[u8]) -> Result<i64, ParseTimeError> {
    let mut scan = Scan { text, position: 0 };
    let year = scan.digits(4, 0, 9999)?;
    scan.byte(b"-")?;
    let month = scan.digits(2, 1, 12)?;
    scan.byte(b"-")?;
    let day = scan.digits(2, 1, days_in(year, month))?;
    scan.byte(b"Tt")?;
    let hour = scan.digits(2, 0, 23)?;
    scan.byte(b":")?;
    let minute = scan.digits(2, 0, 59)?;
    scan.byte(b":")?;
    let second = scan.digits(2, 0, 60)?;
    let nanos = scan.decimals()?;
    let offset = scan.offset()?;
    if scan.position < text.len() {
        return Err(scan.error());
    }
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - offset;
    let nanos = i128::from(minutes * 60 + second) * 1_000_000_000 + i128::from(nanos);
    let end = if nanos < 0 { i64::MIN } else { i64::MAX };
    Ok(i64::try_from(nanos).unwrap_or(end))
}

struct Scan<'a> {
    text: &'a [u8],
    position: usize,
}

impl Scan<'_> {
    const fn error(&self) -> ParseTimeError {
        ParseTimeError {
            position: self.position,
        }
    }

    fn digit(&mut self) -> Option<i64> {
        let byte = *self.text.get(self.position)?;
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        self.position += 1;
        Some(digit)
    }

    /// So many digits, which make a number of that range.
    fn digits(&mut self, count: u8, least: i64, most: i64) -> Result<i64, ParseTimeError> {
        let start = self.error();
        let mut number = 0;
        for _ in 0..count {
            number = number * 10 + self.digit().ok_or(self.error())?;
        }
        if number < least || number > most {
            return Err(start);
        }
        Ok(number)
    }

    /// One of these bytes, each of them ASCII.
    fn byte(&mut self, any_of: &[u8]) -> Result<u8, ParseTimeError> {
        let found = self.text.get(self.position);
        let byte = found.filter(|byte| any_of.contains(byte)).copied();
        let byte = byte.ok_or(self.error())?;
        self.position += 1;
        Ok(byte)
    }

    fn decimals(&mut self) -> Result<i64, ParseTimeError> {
        if self.byte(b".").is_err() {
            return Ok(0);
        }
        let mut unit = 100_000_000;
        let mut nanos = self.digit().ok_or(self.error())? * unit;
        while let Some(digit) = self.digit() {
            unit /= 10;
            nanos += digit * unit;
        }
        Ok(nanos)
    }

    /// How far its clock is ahead, in minutes.
    fn offset(&mut self) -> Result<i64, ParseTimeError> {
        let sign = match self.byte(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Ok(0),
        };
        let hours = self.digits(2, 0, 23)?;
        self.byte(b":")?;
        Ok(sign * (hours * 60 + self.digits(2, 0, 59)?))
    }
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
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

#[cfg(test)]
mod tests {
    use super::parse_rfc3339;

    #[test]
    fn times() {
        const S: i64 = 1_000_000_000;
        for (text, nanos) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59.999999999Z", -1),
            ("2000-02-29T00:00:00z", 951_782_400 * S),
            ("2000-03-01t00:00:00Z", 951_868_800 * S),
            ("2026-11-20T16:16:02.5Z", 1_795_191_362 * S + S / 2),
            ("2026-11-20T17:16:02+01:00", 1_795_191_362 * S),
            ("2026-11-20T08:46:02-07:30", 1_795_191_362 * S),
            ("2016-12-31T23:59:60Z", 1_483_228_800 * S),
            (
                "2026-11-20T16:16:02.1234567899Z",
                1_795_191_362 * S + 123_456_789,
            ),
            ("0001-01-01T00:00:00Z", i64::MIN),
            ("9999-12-31T23:59:59Z", i64::MAX),
        ] {
            assert_eq!(parse_rfc3339(text.as_bytes()), Ok(nanos), "{text}");
        }
    }

    #[test]
    fn other_texts_and_where_they_go_wrong() {
        for (text, position) in [
            ("", 0),
            ("0", 1),
            ("2026-13-01T00:00:00Z", 5),
            ("2026-02-29T00:00:00Z", 8),
            ("2026-02-20 00:00:00Z", 10),
            ("2026-02-20T24:00:00Z", 11),
            ("2026-02-20T00:00:00", 19),
            ("2026-02-20T00:00:00.Z", 20),
            ("2026-02-20T00:00:00Z ", 20),
            ("2026-02-20T00:00:00+0100", 22),
            ("+026-02-20T00:00:00Z", 0),
        ] {
            let error = parse_rfc3339(text.as_bytes()).unwrap_err();
            assert_eq!(error.position, position, "{text}");
        }
    }
}
