//! One value out of a JSON object that may be large: containerd tells a container's
//! whole OCI specification beside its process id. Nothing is built of the rest.

/// The text of the value of a key of the outermost object: a number as it stands, a
/// string without its quotes. `None` where there is no such key, or its value is
/// something else, or a string with escapes.
///
/// The object is not checked: what is odd elsewhere in it does not matter.
pub(super) fn find_value<'a>(json: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = json.trim_start().strip_prefix('{')?;
    let mut depth = 0_u32;
    loop {
        let at = rest.find(['"', '{', '}', '[', ']'])?;
        let (_, found) = rest.split_at_checked(at)?;
        let mut letters = found.chars();
        let first = letters.next()?;
        rest = letters.as_str();
        match first {
            '{' | '[' => depth = depth.checked_add(1)?,
            '}' | ']' => depth = depth.checked_sub(1)?,
            _ => {
                let (text, after) = split_string(rest)?;
                rest = after;
                let value = after.trim_start().strip_prefix(':');
                if let (0, true, Some(value)) = (depth, text == key, value) {
                    return scalar(value.trim_start());
                }
            }
        }
    }
}

/// What stands before a string's closing quote, and after it.
fn split_string(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => {
                let (before, after) = text.split_at_checked(at)?;
                return Some((before, after.strip_prefix('"')?));
            }
            _ => {}
        }
    }
    None
}

fn scalar(text: &str) -> Option<&str> {
    if let Some(text) = text.strip_prefix('"') {
        let (text, _) = split_string(text)?;
        return (!text.contains('\\')).then_some(text);
    }
    let end = text.find([',', '}', ' ', '\n', '\r', '\t'])?;
    let (number, _) = text.split_at_checked(end)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !number.is_empty()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::find_value;

    #[test]
    fn values() {
        for (json, value) in [
            (r#"{"pid":7}"#, Some("7")),
            (r#" { "a" : 1, "pid" : 7 , "b": 2 }"#, Some("7")),
            (r#"{"pid":"x:1","b":2}"#, Some("x:1")),
            (r#"{"spec":{"pid":1,"n":[{"pid":2}]},"pid":3}"#, Some("3")),
            (r#"{"a":"\"pid\":1","b":"{[","c":"\\","pid":3}"#, Some("3")),
            (r#"{"a":"pid","b":1}"#, None),
            (r#"{"pid":{"x":1}}"#, None),
            (r#"{"pid":-1}"#, None),
            (r#"{"pid":"a\u0041"}"#, None),
            (r#"{"pid":7"#, None),
            (r#"{"pid":""#, None),
            (r#"{"pid"#, None),
            (r#"[{"pid":7}]"#, None),
            (r#"{"a":}]}]"pid":7}"#, None),
            ("not json", None),
            ("", None),
        ] {
            assert_eq!(find_value(json, "pid"), value, "{json}");
        }
    }
}
