use alloc::format;
use alloc::string::{String, ToString};

use super::parse;

/// Both the same number, or both none; every NaN is one.
fn agrees(text: &str) {
    let (ours, theirs) = (parse(text), text.parse::<f32>().ok());
    let bits = |number: Option<f32>| number.map(|n| if n.is_nan() { 1 } else { n.to_bits() });
    assert_eq!(bits(ours), bits(theirs), "{text}: {ours:?}, not {theirs:?}");
}

#[test]
fn decimals_are_those_of_the_standard_library() {
    for text in [
        "",
        "+",
        "-",
        ".",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "1e5e5",
        "1.2.3",
        "1 ",
        "--1",
        "1e1.5",
        "+-1",
        "0",
        "-0",
        "0e9",
        "00.00",
        "5.",
        ".5",
        "+5",
        "inf",
        "-Infinity",
        "infinit",
        "NaN",
        "nano",
        "1e39",
        "1e-46",
        "7.0064923216240853e-46",
        "7.0064923216240854e-46",
        "7.0064923216240862e-46",
        "1e-45",
        "1.1754943e-38",
        "1.17549429e-38",
        "3.4028235e38",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "340282356779733661637539395458142568447",
        "340282356779733661637539395458142568448",
        "340282366920938463463374607431768211456",
        "16777217",
        "16777217.0000000000000000000000000001",
        "16777219",
        "1e2147483647",
        "1e-2147483648",
        "1e99999999999999999999",
        "0e99999999999999999999",
    ] {
        agrees(text);
    }
}

#[test]
fn long_texts_agree_with_the_standard_library() {
    let zeros = "0".repeat(1000);
    for text in [
        format!("0.{zeros}1e1001"),
        format!("1{zeros}e-1000"),
        format!("1{zeros}e-1046"),
        format!("16777217.{zeros}1"),
        format!("16777217.{zeros}"),
        "9".repeat(1000),
    ] {
        agrees(&text);
    }
}

/// A number of the row that its seed starts (splitmix64).
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn random_texts_agree_with_the_standard_library() {
    let mut seed = 1;
    for _ in 0..60_000 {
        let exponent = i64::try_from(next(&mut seed) % 110).unwrap() - 60;
        agrees(&format!(
            "{}e{exponent}",
            next(&mut seed) >> (next(&mut seed) % 64)
        ));
        let length = next(&mut seed) % 12;
        let text: String = (0..length)
            .map(|_| {
                char::from(b"0123456789.e-+00599"[usize::try_from(next(&mut seed) % 19).unwrap()])
            })
            .collect();
        agrees(&text);
    }
}

/// The numbers that are hardest to round: halfway between two, and a little off.
#[test]
fn halfway_texts_agree_with_the_standard_library() {
    let mut seed = 2;
    for _ in 0..2_000 {
        let below = f32::from_bits(u32::try_from(next(&mut seed) % 0x7f7f_ffff).unwrap());
        let above = f32::from_bits(below.to_bits() + 1);
        let half = f64::midpoint(f64::from(below), f64::from(above));
        agrees(&half.to_string());
        agrees(&format!("{half:e}"));
        agrees(&format!("{half:.170}"));
        agrees(&format!("{half:.170}1"));
        agrees(&f64::from_bits(half.to_bits() - 1).to_string());
    }
}
