use core::fmt;

const MINUTES_A_DAY: u16 = 24 * 60;

/// A part of each day, in UTC: from the first minute up to the last, which is no part of it.
/// Where it ends before it begins, midnight lies in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyWindow {
    from: u16,
    to: u16,
}

impl DailyWindow {
    /// Reads `HH:MM-HH:MM`; the end may be `24:00`. `None` for anything else, and where it
    /// would be empty.
    ///
    /// ```
    /// use evictd_gc::DailyWindow;
    ///
    /// let night = DailyWindow::parse("22:30-05:00").unwrap();
    /// assert!(night.contains(0));
    /// assert!(!night.contains(12 * 3_600_000_000_000));
    /// assert!(DailyWindow::parse("5-6").is_none());
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let (from, to) = (minute(from)?, minute(to)?);
        (from != to && from < MINUTES_A_DAY).then_some(Self { from, to })
    }

    /// Whether that time is in it: nanoseconds since 1970.
    #[must_use]
    pub fn contains(self, wall_nanos: i64) -> bool {
        const NANOS_A_MINUTE: i64 = 60_000_000_000;
        let minute = wall_nanos.div_euclid(NANOS_A_MINUTE);
        let minute = minute.rem_euclid(i64::from(MINUTES_A_DAY));
        let (from, to) = (i64::from(self.from), i64::from(self.to));
        if from < to {
            (from..to).contains(&minute)
        } else {
            minute >= from || minute < to
        }
    }
}

impl fmt::Display for DailyWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from, self.to);
        write!(
            f,
            "{:02}:{:02}-{:02}:{:02}",
            from / 60,
            from % 60,
            to / 60,
            to % 60
        )
    }
}

/// The minute of the day that `HH:MM` is, from 00:00 to 24:00.
fn minute(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str| {
        let is_it = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        is_it.then(|| text.parse::<u16>().ok()).flatten()
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    let minutes = hour * 60 + minute;
    (minute < 60 && minutes <= MINUTES_A_DAY).then_some(minutes)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// A time of the second day of 1970.
    fn at(hour: i64, minute: i64) -> i64 {
        (86_400 + hour * 3600 + minute * 60) * 1_000_000_000
    }

    #[test]
    fn a_day_has_one_over_midnight_too() {
        let night = DailyWindow::parse("22:30-05:00").unwrap();
        for (hour, minute, expected) in [
            (22, 29, false),
            (22, 30, true),
            (23, 59, true),
            (0, 0, true),
            (4, 59, true),
            (5, 0, false),
            (12, 0, false),
        ] {
            assert_eq!(
                night.contains(at(hour, minute)),
                expected,
                "{hour}:{minute}"
            );
        }
        let noon = DailyWindow::parse("02:00-12:05").unwrap();
        assert!(noon.contains(at(2, 0)) && noon.contains(at(12, 4)));
        assert!(!noon.contains(at(1, 59)) && !noon.contains(at(12, 5)));
        assert!(noon.contains(at(-22, 0)), "before 1970 too");
        let all = DailyWindow::parse("00:00-24:00").unwrap();
        assert!(all.contains(at(0, 0)) && all.contains(at(23, 59)));
        for window in [night, noon, all] {
            assert_eq!(DailyWindow::parse(&window.to_string()), Some(window));
        }
    }

    #[test]
    fn what_is_no_part_of_a_day_is_refused() {
        for text in [
            "",
            "-",
            "02:00",
            "2:00-5:00",
            "02:00-02:00",
            "24:00-02:00",
            "00:60-01:00",
            "24:01-25:00",
            "+2:00-05:00",
            "02:00-05:00-06:00",
            "02:00 - 05:00",
            "02:00-05:0０",
        ] {
            assert_eq!(DailyWindow::parse(text), None, "{text}");
        }
    }
}
