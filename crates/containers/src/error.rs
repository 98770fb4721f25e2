//! The one error of this crate.

use core::error;
use core::fmt;
use core::time::Duration;
use std::io;

use rustix::io::Errno;

/// A call to a container runtime failed: which call, at which endpoint, and how.
///
/// ```
/// use core::time::Duration;
/// use evictd_containers::{Error, Failure};
///
/// let failure = Failure::TimedOut(Duration::from_millis(200));
/// let error = Error::new("unix:///run/docker.sock", "GET /version", failure);
/// let text = "unix:///run/docker.sock: GET /version: no answer within 200 ms";
/// assert_eq!(error.to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The socket: `unix:///run/containerd/containerd.sock`.
    pub endpoint: Box<str>,
    /// The call: `GET /containers/json`, `/runtime.v1.RuntimeService/ListContainers`.
    pub call: Box<str>,
    /// What went wrong.
    pub failure: Failure,
}

/// What went wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// There is no connection, or it broke.
    NotReachable(Errno),
    /// The runtime closed the connection before it sent an answer.
    Closed,
    /// No whole answer within this time.
    TimedOut(Duration),
    /// The runtime refused.
    Refused {
        /// The HTTP status or the gRPC code.
        code: u32,
        /// The runtime's own words, on one line and cut; empty where it said nothing.
        message: Box<str>,
    },
    /// The answer is not one of this API: what is odd, and where.
    Malformed(Box<str>),
    /// This [`ContainerRuntime`](crate::ContainerRuntime) has no such call.
    NotOffered,
}

impl Error {
    /// The error of a call at an endpoint.
    #[must_use]
    pub fn new(endpoint: &str, call: &str, failure: Failure) -> Self {
        Self {
            endpoint: endpoint.into(),
            call: call.into(),
            failure,
        }
    }

    /// The HTTP status or the gRPC code, where the runtime refused.
    #[must_use]
    pub const fn code(&self) -> Option<u32> {
        if let Failure::Refused { code, .. } = self.failure {
            return Some(code);
        }
        None
    }

    /// Whether the runtime answered, with a refusal or with what makes no sense: that is
    /// about what it was asked for, and says nothing of other calls.
    #[cfg(any(feature = "cri", feature = "docker"))]
    pub(crate) const fn is_answer(&self) -> bool {
        matches!(
            self.failure,
            Failure::Refused { .. } | Failure::Malformed(_) | Failure::NotOffered
        )
    }

    /// Whether nobody listens, so that no other question would be answered either. A
    /// connection that breaks, and an answer that does not come, say so of the one question
    /// alone.
    #[cfg(any(feature = "cri", feature = "docker"))]
    pub(crate) const fn has_nobody(&self) -> bool {
        matches!(
            self.failure,
            Failure::NotReachable(Errno::CONNREFUSED | Errno::NOENT | Errno::ACCESS | Errno::PERM)
        )
    }

    /// Whether there is no runtime to talk to: another call would fail as well.
    #[must_use]
    pub const fn is_lost(&self) -> bool {
        matches!(
            self.failure,
            Failure::NotReachable(_) | Failure::Closed | Failure::TimedOut(_)
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.endpoint, self.call, self.failure)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReachable(errno) => errno.fmt(f),
            Self::Closed => f.write_str("the runtime closed the connection"),
            Self::TimedOut(after) => write!(f, "no answer within {} ms", after.as_millis()),
            Self::Refused { code, message } => write!(f, "refused with {code}: {message}"),
            Self::Malformed(what) => write!(f, "not an answer of this API: {what}"),
            Self::NotOffered => f.write_str("it offers no such call"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.failure)
    }
}

impl error::Error for Failure {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        if let Self::NotReachable(errno) = self {
            return Some(errno);
        }
        None
    }
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self::NotReachable(errno)
    }
}

/// The transport hands its failures through `std::io` and gets them back here.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(failure) => failure,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Self::Closed,
            Err(error) => Self::NotReachable(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        }
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        Self::other(failure)
    }
}
