/// Longer names are no Kubernetes names.
const LONGEST: usize = 253;

/// The name of a directory with the logs of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodLogsName<'a> {
    /// The pod's namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its uid.
    pub uid: &'a str,
}

/// The name of a directory with the logs of a pod: `NAMESPACE_NAME_UID` (kubelet
/// v1.32: `BuildPodLogsDirectory`). `None` for all else.
///
/// ```
/// use evictd_gc::parse_pod_logs_name;
///
/// let name = parse_pod_logs_name(b"default_web-0_1b2c").unwrap();
/// assert_eq!((name.namespace, name.name, name.uid), ("default", "web-0", "1b2c"));
/// assert_eq!(parse_pod_logs_name(b"backup"), None);
/// ```
#[must_use]
pub fn parse_pod_logs_name(text: &[u8]) -> Option<PodLogsName<'_>> {
    let text = core::str::from_utf8(text).ok()?;
    let mut parts = text.split('_');
    let (namespace, name, uid) = (parts.next()?, parts.next()?, parts.next()?);
    let lower = |part: &str| is_name(part) && !part.bytes().any(|byte| byte.is_ascii_uppercase());
    let is_right = parts.next().is_none()
        && lower(namespace)
        && !namespace.contains('.')
        && lower(name)
        && is_name(uid);
    is_right.then_some(PodLogsName {
        namespace,
        name,
        uid,
    })
}

/// Whether a directory's name can be a pod's uid: letters, digits, `-` and `.`,
/// with a letter or digit at its front.
#[must_use]
pub fn is_uid(text: &[u8]) -> bool {
    core::str::from_utf8(text).is_ok_and(is_name)
}

fn is_name(part: &str) -> bool {
    let all = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    part.len() <= LONGEST
        && part.starts_with(|first: char| first.is_ascii_alphanumeric())
        && part.bytes().all(all)
}

/// Which start of its container wrote a log, counted from 0: `N.log`, or what
/// rotation made of it, `N.log.20260102-030405` and that with `.gz` or `.tmp`
/// (kubelet v1.32: `container_log_manager.go`). `None` for all else.
///
/// ```
/// use evictd_gc::parse_log_file;
///
/// assert_eq!(parse_log_file(b"3.log"), Some(3));
/// assert_eq!(parse_log_file(b"3.log.20260102-030405.gz"), Some(3));
/// assert_eq!(parse_log_file(b"03.log"), None);
/// ```
#[must_use]
pub fn parse_log_file(name: &[u8]) -> Option<u64> {
    let name = core::str::from_utf8(name).ok()?;
    let (number, rest) = name.split_once(".log")?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = digits(number) && (number == "0" || !number.starts_with('0'));
    if !is_number || !(rest.is_empty() || is_rotation(rest)) {
        return None;
    }
    number.parse().ok()
}

/// `.DAY-TIME`, and `.gz` or `.tmp` behind it.
fn is_rotation(rest: &str) -> bool {
    let stamp = rest.strip_prefix('.').unwrap_or_default();
    let stamp = stamp.strip_suffix(".tmp").unwrap_or(stamp);
    let stamp = stamp.strip_suffix(".gz").unwrap_or(stamp);
    let is_stamp = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    !stamp.is_empty() && stamp.bytes().all(is_stamp)
}
