//! `--metrics-listen` and `--metrics-socket-group`: who may read metrics.

use core::net::SocketAddr;

use crate::book::Book;
use crate::values::Parsed;

const LISTEN: &str = "metrics-listen";
const ANYWHERE: &str = "metrics-listen-anywhere";
const GROUP: &str = "metrics-socket-group";

/// An address of this machine alone, unless the operator says otherwise: whoever can reach it
/// reads which pods run here.
pub(crate) fn address(book: &mut Book<'_>) -> Parsed<Option<SocketAddr>> {
    let anywhere = book.boolean(ANYWHERE)?;
    let (text, origin) = book.text(LISTEN);
    book.note(LISTEN, &text, origin);
    if text.is_empty() {
        return Ok(None);
    }
    let fail = |message: String, hint: &str| Err(book.error(LISTEN, message, hint));
    let Ok(address) = text.parse::<SocketAddr>() else {
        let message = format!("{text:?} is no address with a port");
        return fail(message, "as in 127.0.0.1:10255 or [::1]:10255");
    };
    if !anywhere && !address.ip().to_canonical().is_loopback() {
        let message = format!("other machines may reach {text}");
        let hint = "listen at 127.0.0.1 or [::1], or add --metrics-listen-anywhere";
        return fail(message, hint);
    }
    Ok(Some(address))
}

pub(crate) fn group(book: &mut Book<'_>) -> Parsed<Option<String>> {
    let (text, origin) = book.text(GROUP);
    book.note(GROUP, &text, origin);
    if !text.is_empty() && book.text("state-dir").0.is_empty() {
        let message = "an empty --state-dir has no place for its socket".to_owned();
        return Err(book.error(GROUP, message, "name a --state-dir"));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use crate::{Typed, resolve};

    fn listening(given: &[(&str, &str)]) -> Result<String, String> {
        let mut typed = Typed::default();
        assert!(given.iter().all(|(name, text)| typed.add(name, *text)));
        let resolved = resolve(&typed).map_err(|error| error.to_string())?;
        let address = resolved.metrics_listen.map(|address| address.to_string());
        Ok(address
            .or(resolved.metrics_socket_group)
            .unwrap_or_default())
    }

    #[test]
    fn only_this_machine_reads_metrics_unless_told() {
        assert_eq!(listening(&[]), Ok(String::new()));
        for own in [
            "127.0.0.1:10255",
            "127.8.9.1:1",
            "[::1]:9",
            "[::ffff:127.0.0.1]:9",
        ] {
            assert_eq!(listening(&[("metrics-listen", own)]), Ok(own.to_owned()));
        }
        for (other, problem) in [
            ("0.0.0.0:10255", "other machines may reach 0.0.0.0"),
            ("[::]:10255", "other machines may reach [::]"),
            ("192.0.2.1:9", "other machines may reach 192.0.2.1"),
            ("localhost:9", "no address with a port"),
            ("127.0.0.1", "no address with a port"),
            (":9", "no address with a port"),
        ] {
            let error = listening(&[("metrics-listen", other)]).unwrap_err();
            assert!(error.contains(problem), "{other}: {error}");
        }
        let anywhere = ("metrics-listen-anywhere", "true");
        let address = ("metrics-listen", "0.0.0.0:9");
        assert_eq!(listening(&[address, anywhere]), Ok("0.0.0.0:9".to_owned()));
    }

    #[test]
    fn a_group_needs_a_place_for_its_socket() {
        let group = ("metrics-socket-group", "telegraf");
        assert_eq!(listening(&[group]), Ok("telegraf".to_owned()));
        let error = listening(&[group, ("state-dir", "")]).unwrap_err();
        assert!(error.contains("--metrics-socket-group"), "{error}");
    }
}
