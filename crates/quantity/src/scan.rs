use crate::{Format, ParseQuantityError, ParseQuantityErrorKind};

/// The parts of a quantity's text.
pub(crate) struct Scan<'a> {
    pub(crate) negative: bool,
    /// The digits before the dot, without leading zeros.
    pub(crate) int: &'a str,
    /// The digits after the dot.
    pub(crate) frac: &'a str,
    /// Whether the number has a digit at all, be it a leading zero.
    pub(crate) any_digit: bool,
    pub(crate) suffix: Suffix,
    /// Where the suffix begins.
    pub(crate) suffix_at: usize,
}

/// What a suffix multiplies the number with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    /// A power of ten by name.
    Decimal(i32),
    /// A power of ten by number.
    Exponent(i32),
    /// A power of two.
    Binary(u32),
}

impl Suffix {
    /// The suffixes that have a name.
    const NAMED: [(&'static str, Self); 16] = [
        ("", Self::Decimal(0)),
        ("n", Self::Decimal(-9)),
        ("u", Self::Decimal(-6)),
        ("m", Self::Decimal(-3)),
        ("k", Self::Decimal(3)),
        ("M", Self::Decimal(6)),
        ("G", Self::Decimal(9)),
        ("T", Self::Decimal(12)),
        ("P", Self::Decimal(15)),
        ("E", Self::Decimal(18)),
        ("Ki", Self::Binary(10)),
        ("Mi", Self::Binary(20)),
        ("Gi", Self::Binary(30)),
        ("Ti", Self::Binary(40)),
        ("Pi", Self::Binary(50)),
        ("Ei", Self::Binary(60)),
    ];

    /// Its name. Kubernetes v1.32 prints none where there is none, so that `1000E` comes
    /// out as `1`.
    pub(crate) fn name(self) -> &'static str {
        let named = Self::NAMED.iter().find(|(_, suffix)| *suffix == self);
        named.map_or("", |(name, _)| name)
    }

    fn parse(text: &str) -> Option<Self> {
        let named = Self::NAMED.iter().find(|(name, _)| *name == text);
        named.map(|(_, suffix)| *suffix).or_else(|| {
            // As Go's `strconv.ParseInt` reads it, in 64 bits, and then cut to 32 as
            // Kubernetes does.
            let number: i64 = text.strip_prefix(['e', 'E'])?.parse().ok()?;
            let low = u32::try_from(number & i64::from(u32::MAX)).ok()?;
            Some(Self::Exponent(low.cast_signed()))
        })
    }

    pub(crate) const fn format(self) -> Format {
        match self {
            Self::Decimal(_) => Format::DecimalSi,
            Self::Exponent(_) => Format::DecimalExponent,
            Self::Binary(_) => Format::BinarySi,
        }
    }
}

/// Takes a text apart.
pub(crate) fn scan(text: &str) -> Result<Scan<'_>, ParseQuantityError> {
    let fail = |kind, rest: &str| ParseQuantityError {
        kind,
        position: text.len() - rest.len(),
    };
    if text.is_empty() {
        return Err(fail(ParseQuantityErrorKind::Format, text));
    }
    let (negative, unsigned) = split_sign(text);
    let significant = unsigned.trim_start_matches('0');
    let (int, rest) = split_digits(significant);
    let (frac, rest) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    let suffix = Suffix::parse(rest).ok_or_else(|| match after_shape(rest) {
        "" => fail(ParseQuantityErrorKind::Suffix, rest),
        wrong => fail(ParseQuantityErrorKind::Format, wrong),
    });
    Ok(Scan {
        negative,
        int,
        frac,
        any_digit: significant.len() != unsigned.len() || !int.is_empty() || !frac.is_empty(),
        suffix: suffix?,
        suffix_at: text.len() - rest.len(),
    })
}

impl Scan<'_> {
    /// The digits before and after the dot, most significant first.
    pub(crate) fn digits(&self) -> impl DoubleEndedIterator<Item = u8> {
        let texts = self.int.bytes().chain(self.frac.bytes());
        texts.map(|byte| byte.wrapping_sub(b'0'))
    }
}

/// Whether there is a minus, and what follows the sign.
pub(crate) fn split_sign(text: &str) -> (bool, &str) {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    (text.starts_with('-'), unsigned)
}

/// The leading digits, and the rest.
pub(crate) fn split_digits(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (text.strip_suffix(rest).unwrap_or(text), rest)
}

/// What follows after the shape of a suffix: letters, a sign, digits.
fn after_shape(text: &str) -> &str {
    let rest = text.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    split_digits(rest.strip_prefix(['-', '+']).unwrap_or(rest)).1
}
