use alloc::string::ToString;

use super::*;

fn quantity(text: &str) -> Quantity {
    text.parse().unwrap()
}

#[test]
fn smoke() {
    for (text, printed) in [("1.5Gi", "1536Mi"), ("0.1Ki", "102400m"), ("1e30", "1e30")] {
        assert_eq!(quantity(text).to_string(), printed);
    }
}
