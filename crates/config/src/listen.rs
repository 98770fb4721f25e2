//! `--metrics-listen`: where metrics are served.

use core::net::SocketAddr;

use crate::Warning;
use crate::book::Book;
use crate::values::Parsed;

const LISTEN: &str = "metrics-listen";

/// An address of this machine. Whoever can reach it reads which pods run here, so there is a
/// warning about one that other machines reach.
pub(crate) fn address(book: &mut Book<'_>) -> Parsed<Option<SocketAddr>> {
    let (text, origin) = book.text(LISTEN);
    book.note(LISTEN, &text, origin);
    if text.is_empty() {
        return Ok(None);
    }
    let Ok(address) = text.parse::<SocketAddr>() else {
        let message = format!("{text:?} is no address with a port");
        let hint = "as in 127.0.0.1:10255 or [::1]:10255";
        return Err(book.error(LISTEN, message, hint));
    };
    if !address.ip().to_canonical().is_loopback() {
        book.warnings.push(Warning(format!(
            "--{LISTEN}={address}: other machines can read there which pods run here; \
             127.0.0.1 or [::1] keep it to this machine"
        )));
    }
    Ok(Some(address))
}

#[cfg(test)]
mod tests {
    use crate::{Typed, resolve};

    /// The address, and how many warnings there are.
    fn listening(text: &str) -> Result<(String, usize), String> {
        let mut typed = Typed::default();
        assert!(typed.add("metrics-listen", text));
        let resolved = resolve(&typed).map_err(|error| error.to_string())?;
        let address = resolved
            .output
            .metrics_listen
            .map(|address| address.to_string());
        Ok((address.unwrap_or_default(), resolved.warnings.len()))
    }

    #[test]
    fn address_that_other_machines_reach_is_taken_with_a_warning() {
        assert_eq!(listening(""), Ok((String::new(), 0)));
        for own in [
            "127.0.0.1:10255",
            "127.8.9.1:1",
            "[::1]:9",
            "[::ffff:127.0.0.1]:9",
        ] {
            assert_eq!(listening(own), Ok((own.to_owned(), 0)));
        }
        for other in ["0.0.0.0:10255", "[::]:10255", "192.0.2.1:9"] {
            assert_eq!(listening(other), Ok((other.to_owned(), 1)));
        }
        for wrong in ["localhost:9", "127.0.0.1", ":9"] {
            let error = listening(wrong).unwrap_err();
            assert!(error.contains("no address with a port"), "{wrong}: {error}");
        }
    }
}
