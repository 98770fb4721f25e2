use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;
use std::path::{Path, PathBuf};

use crate::docker_api::connection::{Connection, Deadline, Received};
use crate::docker_api::request::{Method, Request};
use crate::docker_api::{Error, Failure, Response, Result, clean, json};

/// A client of one engine. Every call blocks, at most for its time limit.
///
/// One connection is kept open between calls and opened anew when the engine
/// was started anew meanwhile.
#[derive(Debug)]
pub struct Client {
    socket: PathBuf,
    limit: Duration,
    idle: Option<Connection>,
}

impl Client {
    /// A client of the engine behind `socket`; nothing is opened yet. Each call
    /// as a whole, from connecting to the last byte of the answer, takes at
    /// most `limit`.
    #[must_use]
    pub const fn new(socket: PathBuf, limit: Duration) -> Self {
        Self {
            socket,
            limit,
            idle: None,
        }
    }

    /// The socket.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn call(&mut self, request: &Request) -> Result<Response> {
        let deadline = Deadline::after(self.limit);
        self.exchange(request, deadline)
            .and_then(accept)
            .map_err(|failure| error(request, failure))
    }

    /// The body of the answer to a GET, read by `read`.
    pub(crate) fn read<T>(
        &mut self,
        request: &Request,
        read: impl FnOnce(&[u8]) -> Result<T, json::Fault>,
    ) -> Result<T> {
        let response = self.call(request)?;
        read(&response.body)
            .map_err(|fault| error(request, Failure::Malformed(format!("{fault}").into())))
    }

    /// Sends all requests at once, each on a connection of its own, and waits
    /// for all answers, `extra` longer than for others.
    pub(crate) fn call_all(&self, requests: &[Request], extra: Duration) -> Vec<Result<Response>> {
        let deadline = Deadline::after(self.limit.saturating_add(extra));
        let begin = |request: &Request| -> Result<Connection, Failure> {
            let connection = Connection::open(&self.socket, deadline)?;
            connection.send(request.text().as_bytes(), deadline)?;
            Ok(connection)
        };
        let begun: Vec<_> = requests.iter().map(begin).collect();
        // The engine works on all of them while the first is waited for.
        let finish = |(request, begun): (&Request, Result<Connection, Failure>)| {
            begun
                .and_then(|connection| Ok(connection.receive(deadline)?))
                .and_then(accept)
                .map_err(|failure| error(request, failure))
        };
        requests.iter().zip(begun).map(finish).collect()
    }

    fn exchange(&mut self, request: &Request, deadline: Deadline) -> Result<Response, Failure> {
        // An engine that was started anew has closed this one.
        if let Some(connection) = self.idle.take().filter(Connection::is_idle) {
            match self.exchange_on(connection, request, deadline) {
                // Closed in the moment between.
                Err(Received::Unread) => {}
                // A GET does no harm twice; of all else nobody knows whether it
                // was done.
                Err(Received::Nothing) if request.method == Method::Get => {}
                answered => return Ok(answered?),
            }
        }
        let connection = Connection::open(&self.socket, deadline)?;
        Ok(self.exchange_on(connection, request, deadline)?)
    }

    fn exchange_on(
        &mut self,
        connection: Connection,
        request: &Request,
        deadline: Deadline,
    ) -> Result<Response, Received> {
        connection.send(request.text().as_bytes(), deadline)?;
        let response = connection.receive(deadline)?;
        if response.keeps_open {
            self.idle = Some(connection);
        }
        Ok(response)
    }
}

fn error(request: &Request, failure: Failure) -> Box<Error> {
    Box::new(Error {
        call: request.call().into(),
        failure,
    })
}

/// 304 says that there was nothing to do.
fn accept(response: Response) -> Result<Response, Failure> {
    match response.status {
        200..300 | 304 => Ok(response),
        status => Err(Failure::Refused {
            status,
            message: words(&response.body).into(),
        }),
    }
}

/// What the engine says about an error: its `message`, else its `cause`, else
/// the whole text.
fn words(body: &[u8]) -> String {
    json::parse_message(body).map_or_else(
        || clean(&String::from_utf8_lossy(body)),
        |message| clean(&message),
    )
}
