use alloc::format;
use alloc::string::ToString;

use crate::*;

fn read(json: &str) -> Result<Quantity, serde_json::Error> {
    serde_json::from_str(json)
}

#[test]
fn a_quantity_is_a_text_or_a_number() {
    for (json, printed) in [
        (r#""100Mi""#, "100Mi"),
        (r#""0.5""#, "500m"),
        ("1024", "1024"),
        ("-3", "-3"),
        ("18446744073709551615", "18446744073709551615"),
        ("0.5", "500m"),
    ] {
        assert_eq!(read(json).unwrap().to_string(), printed);
    }
    let error = read(r#""100MB""#).unwrap_err().to_string();
    assert!(error.starts_with(r#""100MB" is no quantity: "#), "{error}");
    let error = read("true").unwrap_err().to_string();
    assert!(error.contains("expected a quantity"), "{error}");
}

/// Kubernetes prints `1000E` as `1`, which would be another number when it is read again.
#[test]
fn what_was_written_reads_back_as_the_same_number() {
    for text in [
        "1.5Gi",
        "1000E",
        "-1000E",
        "1e2147483647",
        "12345678901234567890.5",
    ] {
        let quantity = Quantity::parse(text).unwrap();
        let json = serde_json::to_string(&quantity).unwrap();
        assert_eq!(read(&json).unwrap(), quantity, "{json}");
    }
}

#[test]
fn a_duration_is_a_text() {
    let grace: GoDuration = serde_json::from_str(r#""90s""#).unwrap();
    assert_eq!(serde_json::to_string(&grace).unwrap(), r#""1m30s""#);
    let refused = |json: &str| format!("{}", serde_json::from_str::<GoDuration>(json).unwrap_err());
    assert!(refused(r#""5x""#).starts_with(r#""5x" is no duration: "#));
    assert!(refused("90").contains("expected a duration"));
}
