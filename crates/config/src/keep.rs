//! Who keeps memory while it is short: services that are named, and pods what they request.

use crate::ConfigError;
use crate::book::Book;
use crate::values::Parsed;

/// All that were given, each with a name that a service can have.
pub(crate) fn services(book: &mut Book<'_>) -> Parsed<Vec<String>> {
    const FLAG: &str = "keep-alive";
    let text = book.texts(FLAG).join(",");
    let names: Vec<String> = text
        .split(',')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"@._*?:-\\".contains(&byte);
    let mut odd = names.iter().filter(|name| !name.bytes().all(is_of_name));
    if let Some(odd) = odd.next() {
        let message = format!("{odd:?} is no name of a service");
        let hint = "write names of services, * for any part: sshd,getty,my-agent*";
        return Err(ConfigError::new(FLAG, (odd, 0), message, hint));
    }
    book.note(FLAG, &text, book.typed.origin(FLAG));
    Ok(names)
}

/// The kubelet's policies, and its words where there is no such one.
pub(crate) fn requests(book: &mut Book<'_>) -> Parsed<bool> {
    const FLAG: &str = "memory-reservation-policy";
    const FIELD: &str = "memoryReservationPolicy";
    let (text, origin) = book.text(FLAG);
    let is_tiered = match text {
        "None" => false,
        "TieredReservation" => true,
        _ => {
            let message = format!(
                "option {text:?} specified for {FIELD}. Valid options are \"None\" or \
                 \"TieredReservation\""
            );
            return Err(book.error(FLAG, message, "write one of the two"));
        }
    };
    book.note(FLAG, &text, origin);
    Ok(is_tiered)
}
