//! Which services keep their memory while the machine has too little.

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
