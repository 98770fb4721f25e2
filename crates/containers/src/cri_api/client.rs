use alloc::vec::Vec;
use core::time::Duration;
use std::path::{Path, PathBuf};

use crate::cri_api::connection::{Connection, Deadline, Trouble};
use crate::cri_api::{Error, Failure};

/// How many calls [`Client::call_all`] makes side by side.
const MOST_CONNECTIONS: usize = 64;

/// Makes unary gRPC calls over a unix socket, one after the other, over one
/// connection that is kept.
///
/// A call that finds its connection closed is made once more over a new one: a
/// runtime that was started anew is not noticed. So calls must be such that making
/// them twice does no harm.
#[derive(Debug)]
pub struct Client {
    socket: PathBuf,
    connection: Option<Connection>,
}

impl Client {
    /// For that socket. Nothing is connected yet.
    #[must_use]
    pub fn new(socket: &Path) -> Self {
        Self {
            socket: socket.to_path_buf(),
            connection: None,
        }
    }

    /// Makes a call: `method` is its path (`/runtime.v1.RuntimeService/Version`),
    /// `request` the message. Answers with the message that came back.
    ///
    /// # Errors
    /// When there is no whole answer `within` this time, all told, or none that is
    /// gRPC. Then the connection is given up.
    pub fn call(
        &mut self,
        method: &'static str,
        request: &[u8],
        within: Duration,
    ) -> Result<Vec<u8>, Error> {
        let deadline = Deadline::after(within);
        let answer = self.exchange(method, request, deadline);
        answer.map_err(|failure| Error {
            call: method,
            failure,
        })
    }

    fn exchange(
        &mut self,
        method: &str,
        request: &[u8],
        deadline: Deadline,
    ) -> Result<Vec<u8>, Failure> {
        if let Some(connection) = self.connection.take() {
            match self.exchange_over(connection, method, request, deadline) {
                Err(Trouble::Closed(_)) => {}
                answer => return answer.map_err(Failure::from),
            }
        }
        let connection = Connection::open(&self.socket, deadline)?;
        let answer = self.exchange_over(connection, method, request, deadline);
        answer.map_err(Failure::from)
    }

    fn exchange_over(
        &mut self,
        mut connection: Connection,
        method: &str,
        request: &[u8],
        deadline: Deadline,
    ) -> Result<Vec<u8>, Trouble> {
        connection.send(method, request, deadline)?;
        let answer = connection.receive(deadline);
        // After a refusal the connection is as good as before.
        if matches!(answer, Ok(_) | Err(Trouble::Final(Failure::Refused { .. }))) {
            self.connection = Some(connection);
        }
        answer
    }

    /// Makes the same call with several requests at once, each over a connection
    /// of its own, and waits for all of them. The answers are in the requests'
    /// order. At most 64 run side by side; each such group has its own `within`.
    pub fn call_all(
        &self,
        method: &'static str,
        requests: &[Vec<u8>],
        within: Duration,
    ) -> Vec<Result<Vec<u8>, Error>> {
        let mut answers = Vec::new();
        for group in requests.chunks(MOST_CONNECTIONS) {
            let deadline = Deadline::after(within);
            let started: Vec<_> = group
                .iter()
                .map(|request| {
                    let mut connection = Connection::open(&self.socket, deadline)?;
                    connection.send(method, request, deadline)?;
                    Ok::<_, Failure>(connection)
                })
                .collect();
            answers.extend(started.into_iter().map(|connection| {
                let answer =
                    connection.and_then(|mut connection| Ok(connection.receive(deadline)?));
                answer.map_err(|failure| Error {
                    call: method,
                    failure,
                })
            }));
        }
        answers
    }
}
