//! Any two texts, split at the first blank: parsing never panics, canonical text
//! keeps the value, and the order, sums and differences obey their laws.
#![no_main]
// parses: crates/quantity/src/quantity.rs

use core::cmp::Ordering;

use evictd_quantity::{Format, Quantity};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (left, right) = match data.iter().position(|byte| *byte == b' ') {
        Some(blank) => (&data[..blank], &data[blank + 1..]),
        None => (data, data),
    };
    let (left, right) = (parse(left), parse(right));
    if let Some(a) = &left {
        alone(a);
    }
    if let (Some(a), Some(b)) = (left, right) {
        together(&a, &b);
    }
});

fn parse(text: &[u8]) -> Option<Quantity> {
    match core::str::from_utf8(text).ok().map(Quantity::parse)? {
        Ok(quantity) => Some(quantity),
        Err(error) => {
            assert!(error.position <= text.len());
            assert!(!error.to_string().ends_with('.'));
            None
        }
    }
}

/// Whether the canonical text says the value. Kubernetes has no suffix beyond `E`
/// and prints none there, caps what it reads with a binary suffix, and lets the
/// exponent wrap near the ends of 32 bits.
fn is_printable(a: &Quantity) -> bool {
    is_within(
        a,
        match a.format() {
            Format::DecimalSi => "999E",
            Format::BinarySi => "9223372036854775807",
            Format::DecimalExponent => "1e2147480000",
        },
    )
}

fn is_within(a: &Quantity, bound: &str) -> bool {
    let bound = Quantity::parse(bound).unwrap();
    *a <= bound && *a >= -bound
}

fn alone(a: &Quantity) {
    assert_eq!(a.cmp(a), Ordering::Equal);
    assert_eq!(a.signum(), a.nanos().signum() as i32);
    assert_eq!(a.is_zero(), *a == Quantity::ZERO);
    assert!((a - a).is_zero());
    assert_eq!(a + &Quantity::ZERO, *a);
    let text = a.canonical();
    if is_printable(a) {
        let again = Quantity::parse(&text).unwrap();
        assert_eq!(again, *a, "{text}");
        // A binary number that no power of 1024 divides is printed without a suffix, which
        // is read as a decimal one.
        if again.format() == a.format() {
            assert_eq!(again.canonical(), text);
        }
    }
    rounded(a);
}

/// `value` and `milli_value` are the exact number rounded away from zero.
fn rounded(a: &Quantity) {
    for (rounded, unit) in [(a.value(), 1_000_000_000), (a.milli_value(), 1_000_000)] {
        let nanos = a.nanos();
        let up = nanos / unit + if nanos % unit == 0 { 0 } else { nanos.signum() };
        let end = if nanos < 0 { i64::MIN } else { i64::MAX };
        assert_eq!(rounded, i64::try_from(up).unwrap_or(end));
    }
}

fn together(a: &Quantity, b: &Quantity) {
    assert_eq!(a.cmp(b), b.cmp(a).reverse());
    assert_eq!(a == b, a.cmp(b) == Ordering::Equal);
    assert_eq!(a + b, b + a);
    let difference = a - b;
    assert_eq!(-&difference, b - a);
    if is_near(a) && is_near(b) {
        assert_eq!(&(a + b) - b, *a);
        assert_eq!(&difference + b, *a);
        assert_eq!(difference.signum(), a.cmp(b) as i32);
    }
    let _ = ((a + b).to_string(), difference.to_string());
}

/// Whether sums are exact: nothing lies too far below to count.
fn is_near(a: &Quantity) -> bool {
    is_within(a, "1e4000")
}
