//! Unary gRPC over a unix socket.

use core::time::Duration;
use std::io;
use std::path::{Path, PathBuf};

use super::answer::read_answer;
use super::events::Events;
use super::http2::Call;
use super::reader::Reader;
use super::writer::Writer;
use crate::socket::{Deadline, Socket};
use crate::{Error, Failure};

/// How many calls are made side by side.
const MOST_CONNECTIONS: usize = 64;

/// gRPC: not to be done as things are.
const FAILED_PRECONDITION: u32 = 9;

/// Makes CRI's calls, each over a connection of its own: a runtime that was started anew
/// is not noticed.
#[derive(Debug)]
pub struct Client {
    pub(super) endpoint: String,
    socket: PathBuf,
    /// For each call, and for all calls that one list leads to.
    pub(super) within: Duration,
}

impl Client {
    /// For a runtime's socket. Nothing is connected yet. Each call may take `within`;
    /// one that removes, four times that; one that waits for a container, so much more
    /// than it may wait.
    #[must_use]
    pub fn new(socket: &Path, within: Duration) -> Self {
        Self {
            endpoint: format!("unix://{}", socket.display()),
            socket: socket.to_path_buf(),
            within,
        }
    }

    /// Makes a call: `method` is its path (`/runtime.v1.RuntimeService/Version`). `read`
    /// reads the message that comes back.
    ///
    /// # Errors
    /// When there is no whole answer in time, or none that is gRPC.
    pub fn call<T>(
        &self,
        method: &str,
        request: Writer,
        read: impl FnOnce(&mut Reader<'_>) -> io::Result<T>,
    ) -> Result<T, Error> {
        self.call_within(method, request, self.within, read)
    }

    pub(super) fn call_within<T>(
        &self,
        method: &str,
        request: Writer,
        within: Duration,
        read: impl FnOnce(&mut Reader<'_>) -> io::Result<T>,
    ) -> Result<T, Error> {
        let begun = self.begin(method, request, Deadline::after(within));
        let answer = begun.and_then(|call| read_answer(call, read));
        answer.map_err(|failure| self.error(method, failure))
    }

    /// Begins to follow what happens to containers. A runtime that does not serve that says
    /// so when it is waited for.
    pub(super) fn events(&self) -> Result<Events<Socket>, Error> {
        // More than a day: what is said to take long ends by itself.
        const LONG: Duration = Duration::from_secs(100_000);
        let method = "/runtime.v1.RuntimeService/GetContainerEvents";
        let socket =
            Socket::open(&self.socket, Deadline::after(self.within)).map(Socket::without_bound);
        let call = socket.and_then(|socket| Call::send(socket, method, &[], LONG));
        call.map(Events::new)
            .map_err(|failure| self.error(method, failure))
    }

    fn begin(
        &self,
        method: &str,
        request: Writer,
        deadline: Deadline,
    ) -> Result<Call<Socket>, Failure> {
        let socket = Socket::open(&self.socket, deadline)?.without_bound();
        Call::send(socket, method, &request.into_bytes(), deadline.within)
    }

    /// Makes the same call with several requests at once, each over a connection of its
    /// own, and waits for all of them; what comes back is not read. Returns in the
    /// requests' order. At most 64 run side by side; each such group has its own `within`.
    pub(super) fn call_all(
        &self,
        method: &str,
        requests: &[Writer],
        within: Duration,
    ) -> Vec<Result<(), Error>> {
        let mut answers = Vec::new();
        for group in requests.chunks(MOST_CONNECTIONS) {
            let deadline = Deadline::after(within);
            let begin = |request: &Writer| self.begin(method, request.clone(), deadline);
            let begun: Vec<_> = group.iter().map(begin).collect();
            let finished = begun.into_iter().map(|begun| read_answer(begun?, ignore));
            answers.extend(finished.map(|it| it.map_err(|failure| self.error(method, failure))));
        }
        answers
    }

    pub(super) fn error(&self, method: &str, failure: Failure) -> Error {
        Error::new(&self.endpoint, method, failure)
    }

    /// A refusal of ours, in the words of the API.
    pub(super) fn refusal(&self, call: &str, message: &str) -> Error {
        let (code, message) = (FAILED_PRECONDITION, message.into());
        self.error(call, Failure::Refused { code, message })
    }
}

/// What comes back is not read.
#[expect(
    clippy::unnecessary_wraps,
    reason = "a reader of answers like the others"
)]
pub(super) const fn ignore(_: &mut Reader<'_>) -> io::Result<()> {
    Ok(())
}
