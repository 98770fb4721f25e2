use alloc::format;
use alloc::string::ToString;

use crate::ParseQuantityErrorKind::{Format as Shape, Numeric, Suffix};
use crate::*;

fn quantity(text: &str) -> Quantity {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Name, text, what it is printed as, its canonical form.
const PRINTED: &[(&str, &str, &str, &str)] = &[
    (
        "a binary cap above tens",
        "10Ei",
        "9223372036854775807",
        "9223372036854775807",
    ),
    ("zero", "0", "0", "0"),
    ("minus zero", "-0", "0", "0"),
    ("a fraction of a binary unit", "1.5Gi", "1536Mi", "1536Mi"),
    ("binary below 1024", "0.5Ki", "512", "512"),
    ("binary with a fraction", "0.1Ki", "102400m", "102400m"),
    ("binary that fills a step", "1024Ki", "1Mi", "1Mi"),
    (
        "binary of tens alone: what it is printed as is decimal when it is read again",
        "943311087437.5Ki",
        "965950553536000",
        "965950553536000",
    ),
    (
        "that one as decimal",
        "965950553536000",
        "965950553536k",
        "965950553536k",
    ),
    ("plus is kept", "+5", "+5", "5"),
    ("a last dot is kept", "5.", "5.", "5"),
    ("trailing zeros are kept", "1.500", "1.500", "1500m"),
    ("leading zeros are kept", "007M", "007M", "7M"),
    ("but not those of a fraction", "0.5", "500m", "500m"),
    ("an exponent is kept", "1e3", "1e3", "1e3"),
    ("as it was spelled", "1E+3", "1E+3", "1e3"),
    ("exponents come in threes", "1e4", "10e3", "10e3"),
    ("plus is not kept in front of eights", "+8Ki", "8Ki", "8Ki"),
    ("but of other binary numbers", "+9Ki", "+9Ki", "9Ki"),
    ("nor in front of thousands", "+1000", "1k", "1k"),
    ("but of hundreds", "+100", "+100", "100"),
    (
        "18 digits are kept",
        "+123456789012345678",
        "+123456789012345678",
        "123456789012345678",
    ),
    (
        "19 are not",
        "+1234567890123456789",
        "1234567890123456789",
        "1234567890123456789",
    ),
    ("a lone dot", ".", "0", "0"),
    ("a lone sign", "-", "0", "0"),
    ("a lone suffix", "Ki", "0", "0"),
    (
        "an exponent cut to 32 bits",
        "1e4294967296",
        "1e4294967296",
        "1",
    ),
    (
        "a long text is kept",
        "000000000000000000000000001k",
        "000000000000000000000000001k",
        "1k",
    ),
    ("finer than nano", "0.1n", "1n", "1n"),
    ("far finer than nano", "1e-2000", "1e-9", "1e-9"),
    (
        "below zero, away from it",
        "-1.0000000001",
        "-1000000001n",
        "-1000000001n",
    ),
    (
        "a binary cap",
        "8Ei",
        "9223372036854775807",
        "9223372036854775807",
    ),
    (
        "a binary cap below zero",
        "-9Ei",
        "-9223372036854775807",
        "-9223372036854775807",
    ),
    (
        "a cap for many digits",
        "99999999999999999999Ki",
        "9223372036854775807",
        "9223372036854775807",
    ),
    (
        "no cap without binary suffix",
        "9223372036854775808",
        "9223372036854775808",
        "9223372036854775808",
    ),
    ("a suffix that does not exist", "1000E", "1", "1"),
    (
        "twenty digits and an exponent",
        "12345678901234567890e10",
        "123456789012345678900e9",
        "123456789012345678900e9",
    ),
    (
        "a huge exponent",
        "1e2147483647",
        "10e2147483646",
        "10e2147483646",
    ),
];

#[test]
fn texts_are_printed_as_kubernetes_prints_them() {
    for (name, text, printed, canonical) in PRINTED {
        let parsed = quantity(text);
        assert_eq!(parsed.to_string(), *printed, "{name}");
        assert_eq!(parsed.canonical().to_string(), *canonical, "{name}");
    }
}

#[test]
fn texts_that_are_no_quantity_are_refused_with_the_place() {
    for (name, text, kind, position) in [
        ("nothing", "", Shape, 0),
        ("a blank before", " 1", Shape, 0),
        ("a blank behind", "1 ", Shape, 1),
        ("two dots", "1.2.3", Shape, 3),
        ("two signs", "+-5", Suffix, 1),
        ("a percentage", "10%", Shape, 2),
        ("letters of no suffix", "100MB", Shape, 4),
        ("an infix suffix", "1k5", Suffix, 1),
        ("a suffix in the wrong case", "1ki", Suffix, 1),
        ("an exponent without number", "1e", Suffix, 1),
        ("an exponent with sign only", "1e+", Suffix, 1),
        ("two exponents", "1Ee", Suffix, 1),
        ("an exponent with a dot", "1e1.5", Shape, 3),
        (
            "an exponent beyond 64 bits",
            "1e9223372036854775808",
            Suffix,
            1,
        ),
        ("an exponent for ever", "1.1e-2147483640", Suffix, 3),
        ("a large suffix alone", "Pi", Numeric, 0),
        ("a large suffix and a sign", "-Ei", Numeric, 1),
        ("a fine exponent alone", ".e-10", Numeric, 1),
        ("not ASCII", "1\u{b5}", Shape, 1),
    ] {
        let error = Quantity::parse(text).unwrap_err();
        assert_eq!((error.kind, error.position), (kind, position), "{name}");
    }
}

#[test]
fn values_round_away_from_zero_and_saturate() {
    const NANOS: i128 = 1_000_000_000;
    for (text, value, milli, nanos) in [
        ("0", 0, 0, 0),
        ("1n", 1, 1, 1),
        ("-1n", -1, -1, -1),
        ("1.001", 2, 1001, 1_001_000_000),
        ("-1.0001", -2, -1001, -1_000_100_000),
        ("9E", 9 * 10_i64.pow(18), i64::MAX, 9 * 10_i128.pow(27)),
        ("1e40", i64::MAX, i64::MAX, i128::MAX),
        ("-1e2147483647", i64::MIN, i64::MIN, i128::MIN),
        (
            "-9223372036854775808",
            i64::MIN,
            i64::MIN,
            i128::from(i64::MIN) * NANOS,
        ),
        (
            "12345678901.123456789123",
            12_345_678_902,
            12_345_678_901_124,
            12_345_678_901_123_456_790,
        ),
        (
            "200000000000000000000000000001",
            i64::MAX,
            i64::MAX,
            i128::MAX,
        ),
        (
            "12345678901234567890123456789",
            i64::MAX,
            i64::MAX,
            12_345_678_901_234_567_890_123_456_789 * NANOS,
        ),
        (
            "-123456789012345678.123456789",
            -123_456_789_012_345_679,
            i64::MIN,
            -123_456_789_012_345_678_123_456_789,
        ),
    ] {
        let parsed = quantity(text);
        assert_eq!(parsed.value(), value, "{text}");
        assert_eq!(parsed.milli_value(), milli, "{text}");
        assert_eq!(parsed.nanos(), nanos, "{text}");
        assert_eq!(
            parsed.signum(),
            i32::try_from(value.signum()).unwrap(),
            "{text}"
        );
    }
}

#[test]
fn formats_follow_the_suffix() {
    for (text, format) in [
        ("1", Format::DecimalSi),
        ("1m", Format::DecimalSi),
        ("1E", Format::DecimalSi),
        ("1E1", Format::DecimalExponent),
        ("1Ki", Format::BinarySi),
        ("0Ki", Format::BinarySi),
        ("0.0001Ki", Format::DecimalSi),
        ("0.00000000000000000000001Ki", Format::DecimalSi),
        ("0.0001953125000000000001Ki", Format::DecimalSi),
        ("0.001Ki", Format::BinarySi),
    ] {
        assert_eq!(quantity(text).format(), format, "{text}");
    }
}

#[test]
fn hostile_texts_cost_no_more_than_their_length() {
    let digits = "7".repeat(200_000);
    for text in [
        digits.clone(),
        format!("{digits}Ei"),
        format!("0.{digits}Ki"),
        format!("{digits}e2000000000"),
        format!("0.{}1", "0".repeat(200_000)),
        format!("1{}", "0".repeat(200_000)),
    ] {
        let parsed = quantity(&text);
        let tiny = quantity("1Ki");
        assert_eq!(parsed.cmp(&quantity("-1")), core::cmp::Ordering::Greater);
        let _ = (parsed.value(), parsed.nanos(), parsed.to_string());
        let _ = (&tiny + &parsed).to_string();
        let _ = (parsed - quantity("-1e2147483647")).to_string();
    }
}

#[test]
fn width_and_alignment_are_honoured() {
    assert_eq!(format!("{:>8}|", quantity("1.5Gi")), "  1536Mi|");
    assert_eq!(format!("{:<6}|", quantity("1Ki")), "1Ki   |");
    assert_eq!(format!("{:>5}|", quantity("5").canonical()), "    5|");
}

#[test]
fn a_quantity_takes_little_room() {
    assert!(size_of::<Option<Quantity>>() <= 40);
    for text in ["1.500", "1234567890.500", "12345678901.500"] {
        let quantity = Quantity::parse(text).unwrap();
        assert_eq!(alloc::format!("{quantity}"), text);
    }
}

/// A pod has dozens of them.
#[test]
fn a_text_is_kept_only_where_it_is_not_what_would_be_printed() {
    for text in [
        "100Mi", "1.5Gi", "-3k", "500m", "0", "0.1", "1e3", "7", "1024",
    ] {
        assert_eq!(quantity(text).text, None, "{text}");
    }
    for text in ["+5", "05", "5.", "1.500", "5e+3", "5E3", "5e03", "5e0"] {
        assert_eq!(quantity(text).text.as_deref(), Some(text));
    }
}
