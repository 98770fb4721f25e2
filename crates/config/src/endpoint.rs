//! The sockets of container runtimes.

use std::path::PathBuf;

use crate::book::Book;
use crate::error::one_line;
use crate::values::Parsed;
use crate::{ConfigError, Warning};

const FLAG: &str = "container-runtime-endpoint";
/// `sun_path` of the kernel holds 108 bytes, the last of them a NUL.
const LONGEST: usize = 107;
const HINT: &str = "the socket of a container runtime: unix:///run/containerd/containerd.sock; an \
                    empty text asks none";

/// The sockets that were named, `None` where evictd is to look for itself. An
/// empty text names none.
pub(crate) fn endpoints(book: &mut Book<'_>) -> Parsed<Option<Vec<PathBuf>>> {
    let texts = book.texts(FLAG);
    let list = texts.join(",");
    let mut sockets = Vec::new();
    let mut shown = Vec::new();
    let mut at: usize = 0;
    for text in list.split(',').filter(|_| !list.is_empty()) {
        if let Some((path, has_scheme)) = socket(text, at)? {
            let url = format!("unix://{path}");
            if !has_scheme {
                book.warnings.push(Warning(format!(
                    "using {text:?} as endpoint is deprecated, please consider using full url \
                     format: {}",
                    one_line(&url)
                )));
            }
            shown.push(url);
            sockets.push(PathBuf::from(path));
        }
        at = at.saturating_add(text.len()).saturating_add(1);
    }
    book.note(FLAG, &shown.join(","), book.typed.origin(FLAG));
    Ok((!texts.is_empty()).then_some(sockets))
}

/// The path of one socket, and whether the text said that it is one; `None` for
/// no text at all (K: `parseEndpoint` of `pkg/kubelet/util`).
fn socket(text: &str, at: usize) -> Parsed<Option<(&str, bool)>> {
    let trimmed = text.trim();
    let fail = |message: String| Err(ConfigError::new(FLAG, (text, at), message, HINT));
    let (path, has_scheme) = match trimmed.split_once(':') {
        _ if trimmed.is_empty() => return Ok(None),
        _ if trimmed.starts_with('/') => (trimmed, false),
        Some(("unix", rest)) => (rest.strip_prefix("//").unwrap_or(rest), true),
        Some((scheme, _)) => return fail(format!("protocol {scheme:?} not supported")),
        None => return fail("this is neither a URL nor an absolute path".to_owned()),
    };
    if !path.starts_with('/') {
        return fail("the path of the socket is not absolute".to_owned());
    }
    if path.len() > LONGEST {
        return fail(format!("the path of a socket has at most {LONGEST} bytes"));
    }
    if path.contains('\0') {
        return fail("a path cannot hold a NUL byte".to_owned());
    }
    Ok(Some((path, has_scheme)))
}
