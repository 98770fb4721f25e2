use alloc::string::ToString;
use core::cmp::Ordering;

use crate::*;

fn quantity(text: &str) -> Quantity {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn comparison_is_exact() {
    use Ordering::{Equal, Greater, Less};
    for (a, b, order) in [
        ("1Ki", "1024", Equal),
        ("1Ki", "1k", Greater),
        ("1e3", "1k", Equal),
        ("0", "-0e2147483647", Equal),
        ("1n", "0", Greater),
        ("-1n", "0", Less),
        ("9007199254740993", "9007199254740992", Greater),
        ("1e2147483647", "9223372036854775807", Greater),
        ("-1e2147483647", "1n", Less),
        ("12345678901234567890.5", "12345678901234567890.4", Greater),
        ("-12345678901234567890.5", "-12345678901234567890.4", Less),
        ("100000000000000000000.000000001", "100E", Greater),
        ("9223372036854775808", "8Ei", Greater),
    ] {
        assert_eq!(quantity(a).cmp(&quantity(b)), order, "{a} {b}");
        assert_eq!(quantity(b).cmp(&quantity(a)), order.reverse(), "{b} {a}");
        assert_eq!(quantity(a) == quantity(b), order == Equal, "{a} {b}");
    }
}

/// Name, left, right, their sum, their difference.
const CALCULATED: &[(&str, &str, &str, &str, &str)] = &[
    (
        "carries",
        "99999999999999999999.5",
        "500m",
        "100E",
        "99999999999999999999",
    ),
    ("one format", "1Gi", "512Mi", "1536Mi", "512Mi"),
    ("the left format stays", "1Ki", "1k", "2024", "24"),
    ("zero takes the other's", "0", "2Ki", "2Ki", "-2Ki"),
    ("also when binary", "0Ki", "2k", "2k", "-2k"),
    ("a cached text is dropped", "+5", "0", "5", "5"),
    ("to zero", "5k", "5k", "10k", "0"),
    ("beyond 64 bits", "9E", "9E", "18E", "0"),
    (
        "far apart",
        "1e20",
        "1n",
        "100000000000000000000000000001e-9",
        "99999999999999999999999999999e-9",
    ),
    (
        "borrows",
        "1000000000000000000000",
        "1",
        "1000000000000000000001",
        "999999999999999999999",
    ),
    (
        "a change of sign",
        "1",
        "10000000000000000000.5",
        "10000000000000000001500m",
        "-9999999999999999999500m",
    ),
    (
        "long binary",
        "1Ki",
        "18446744073709551616",
        "18014398509481985Ki",
        "-18014398509481983Ki",
    ),
    (
        "binary with a fraction",
        "1Mi",
        "1m",
        "1048576001m",
        "1048575999m",
    ),
    (
        "back into 64 bits",
        "10000000000000000000.5",
        "-10000000000000000000",
        "500m",
        "20000000000000000000500m",
    ),
    (
        "too far apart to count",
        "1e2147483646",
        "-1n",
        "1e2147483646",
        "1e2147483646",
    ),
    (
        "and the other way round",
        "1Ki",
        "-1e2147483646",
        "-1e2147483646",
        "1e2147483646",
    ),
];

#[test]
fn sums_and_differences_are_exact() {
    for (name, a, b, sum, difference) in CALCULATED {
        let (a, b) = (quantity(a), quantity(b));
        assert_eq!((&a + &b).to_string(), *sum, "{name}");
        assert_eq!((&a - &b).to_string(), *difference, "{name}");
    }
}

#[test]
fn the_least_integer_is_as_good_as_any() {
    let least = Quantity::from_int(i64::MIN, Format::BinarySi);
    assert_eq!(least.to_string(), "-8Ei");
    assert_eq!(least.value(), i64::MIN);
    let negated = -&least;
    assert_eq!(negated.nanos(), -least.nanos());
    assert_eq!(negated.value(), i64::MAX);
    assert!((least + negated).is_zero());
}

#[test]
fn integers_are_printed_in_the_format_asked_for() {
    for (value, format, printed) in [
        (1_073_741_824, Format::BinarySi, "1Gi"),
        (1023, Format::BinarySi, "1023"),
        (-2048, Format::BinarySi, "-2Ki"),
        (1_500_000, Format::DecimalSi, "1500k"),
        (1_500_000, Format::DecimalExponent, "1500e3"),
    ] {
        assert_eq!(Quantity::from_int(value, format).to_string(), printed);
    }
    assert_eq!(Quantity::default(), Quantity::ZERO);
}

#[test]
fn a_negated_quantity_keeps_its_format() {
    assert_eq!((-quantity("1Ki")).to_string(), "-1Ki");
    assert_eq!((-quantity("-1e3")).to_string(), "1e3");
}

#[test]
fn a_sum_has_the_format_of_the_first_that_is_not_zero() {
    let all = [quantity("0"), quantity("1Ki"), quantity("1k")];
    assert_eq!(all.iter().sum::<Quantity>().to_string(), "2024");
    assert_eq!(all[..2].iter().sum::<Quantity>().to_string(), "1Ki");
    assert_eq!(all.into_iter().sum::<Quantity>().to_string(), "2024");
    let mut total = Quantity::from(1024);
    total += &quantity("1Ki");
    total -= &quantity("24");
    assert_eq!(total.to_string(), "2024");
}

#[test]
fn equal_quantities_hash_alike_and_others_do_not() {
    use core::hash::{BuildHasher, BuildHasherDefault};
    #[expect(deprecated, reason = "the one hasher of core")]
    let hasher = BuildHasherDefault::<core::hash::SipHasher>::default();
    let texts = [
        &["1Ki", "1024", "1.024k"][..],
        &["0", "-0e2147483647", "0Ki", "-0"],
        &["10", "1e1", "10.0"],
        &["-10", "-1e1"],
        // The first of these is kept digit by digit.
        &[
            "100000000000000000000000000000000000000000000000000",
            "1e50",
        ],
        &["100000000000000000000.5", "100000000000000000000500m"],
        &["100000000000000000000.50", "100000000000000000000500000u"],
    ];
    let mut hashes: alloc::vec::Vec<u64> = texts
        .iter()
        .map(|same| {
            let hash = hasher.hash_one(quantity(same[0]));
            for text in *same {
                assert_eq!(quantity(text), quantity(same[0]));
                assert_eq!(hasher.hash_one(quantity(text)), hash, "{text}");
            }
            hash
        })
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), texts.len() - 1, "the last two are one number");
}
