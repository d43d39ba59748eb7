//! The HTTP server of the live page. Each connection has a thread, which waits most of the time.
//! Limits apply to the bytes of a request, to the time for sending it and for reading answers, and
//! to the number of connections. So a slow, dead or hostile reader does not slow a run, and the
//! threads of a run never wait for a reader.
//!
//! The server is not a library because it needs one method and two paths only. Of the small servers
//! without an asynchronous runtime, none limits the time of a request or the number of connections.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gauntlet_run::threads;

use crate::address::{Address, RequestGuard, listen};
use crate::document;
use crate::hub::SnapshotHub;
use crate::request::{self, MAX_BYTES, Refusal, RequestedResource};

/// The most connections at a time. A further connection replaces another.
const MAX_CONNECTIONS: usize = 32;

/// The most threads. The thread of a replaced connection may take some seconds to end, because it
/// waits for a picture or a keep-alive. With this many threads, a new connection waits until one of
/// them has ended.
const MAX_THREADS: usize = 2 * MAX_CONNECTIONS;

/// A connection that has waited this long for a thread is closed.
const IDLE_TIMEOUT: Duration = KEEP_ALIVE_INTERVAL.saturating_mul(2);

/// Time limit for sending a request.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit for reading a part of an answer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval of keep-alive messages if there is no picture. Only a failed write reveals that a
/// reader is gone.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);

/// A server that runs until the program ends.
#[derive(Debug)]
pub(crate) struct Server {
    hub: Arc<SnapshotHub>,
    link: String,
}

impl Server {
    /// Starts to listen.
    pub(crate) fn start(address: &Address) -> anyhow::Result<Server> {
        let socket = listen(address)?;
        let (hub, link) = (Arc::new(SnapshotHub::default()), socket.guard.link());
        let (reader_hub, guard) = (Arc::clone(&hub), Arc::new(socket.guard));
        let connections = Arc::new(Connections::default());
        threads::start_detached(move || {
            for (number, stream) in (0..).zip(socket.listener.incoming()) {
                let Ok(stream) = stream else {
                    // For example, no free file descriptors. The error may pass, so it is retried,
                    // with a pause.
                    thread::sleep(Duration::from_millis(100));
                    continue;
                };
                let Ok(connection) = OpenConnection::new(&connections, number, &stream) else { continue };
                let (hub, guard) = (Arc::clone(&reader_hub), Arc::clone(&guard));
                // If no thread can be started, the connection is closed, and the reader reconnects.
                let _ = threads::start_detached(move || {
                    // A reader that is gone or sends nothing is not an error.
                    let _ = serve(stream, &connection, &guard, &hub);
                });
            }
        })?;
        Ok(Server { hub, link })
    }

    /// Returns the hub whose picture is sent to readers.
    pub(crate) fn hub(&self) -> &Arc<SnapshotHub> {
        &self.hub
    }

    /// Returns the URL of the page.
    pub(crate) fn link(&self) -> &str {
        &self.link
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.hub.end();
    }
}

/// The connections that have a thread.
#[derive(Debug, Default)]
struct Connections {
    /// In order of arrival.
    entries: Mutex<Vec<Connection>>,
    /// Signalled when a thread has ended.
    thread_ended: Condvar,
}

#[derive(Debug)]
struct Connection {
    number: u64,
    /// The stream, to close the connection; `None` once closed.
    stream: Option<TcpStream>,
    /// True if its request was received.
    has_request: bool,
}

/// Entry of a connection among those that have a thread.
struct OpenConnection {
    connections: Arc<Connections>,
    number: u64,
}

impl OpenConnection {
    /// Adds a connection. If there are too many, closes the oldest one that has sent no request, or
    /// else the oldest of all. A reader that is still there reconnects.
    fn new(connections: &Arc<Connections>, number: u64, stream: &TcpStream) -> io::Result<OpenConnection> {
        let is_full = |open: &mut Vec<Connection>| open.len() >= MAX_THREADS;
        let wait_result =
            connections.thread_ended.wait_timeout_while(lock(connections), IDLE_TIMEOUT, is_full);
        let (mut entries, wait_timeout) = wait_result.unwrap_or_else(PoisonError::into_inner);
        if wait_timeout.timed_out() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let mut open_connections: Vec<&mut Connection> =
            entries.iter_mut().filter(|connection| connection.stream.is_some()).collect();
        if open_connections.len() >= MAX_CONNECTIONS {
            let index = open_connections.iter().position(|connection| !connection.has_request).unwrap_or(0);
            if let Some(oldest) = open_connections[index].stream.take() {
                let _ = oldest.shutdown(Shutdown::Both);
            }
        }
        entries.push(Connection { number, stream: Some(stream.try_clone()?), has_request: false });
        Ok(OpenConnection { connections: Arc::clone(connections), number })
    }

    /// Records that its request was received.
    fn mark_request_received(&self) {
        lock(&self.connections)
            .iter_mut()
            .filter(|connection| connection.number == self.number)
            .for_each(|connection| connection.has_request = true);
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        lock(&self.connections).retain(|connection| connection.number != self.number);
        self.connections.thread_ended.notify_one();
    }
}

fn lock(connections: &Connections) -> MutexGuard<'_, Vec<Connection>> {
    connections.entries.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    mut stream: TcpStream,
    connection: &OpenConnection,
    guard: &RequestGuard,
    hub: &SnapshotHub,
) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    let resource = match read_head(&mut stream)? {
        Ok(head) => request::read(&head, guard),
        Err(refusal) => Err(refusal),
    };
    connection.mark_request_received();
    match resource {
        Ok(RequestedResource::Page) => {
            let page = document::page();
            let head = format_head("200 OK", "text/html; charset=utf-8", Some(page.len()));
            stream.write_all(format!("{head}{page}").as_bytes())?;
        }
        Ok(RequestedResource::Events) => send_pictures(&mut stream, hub)?,
        Err((status, message)) => {
            let (status, text) = (format!("{status} Refused"), format!("{message}\n"));
            let head = format_head(&status, "text/plain; charset=utf-8", Some(text.len()));
            stream.write_all(format!("{head}{text}").as_bytes())?;
        }
    }
    stream.shutdown(Shutdown::Write)
}

/// Reads the head of a request.
fn read_head(stream: &mut TcpStream) -> io::Result<Result<Vec<u8>, Refusal>> {
    let start = Instant::now();
    let mut head = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        if let Some(end) = request::end_of_head(&head) {
            head.truncate(end);
            return Ok(Ok(head));
        }
        if head.len() >= MAX_BYTES {
            return Ok(Err((431, "request too long")));
        }
        let time_left = REQUEST_TIMEOUT.saturating_sub(start.elapsed());
        if time_left.is_zero() {
            return Ok(Err((408, "request too slow")));
        }
        stream.set_read_timeout(Some(time_left))?;
        match stream.read(&mut buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => head.extend_from_slice(&buffer[..bytes]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the head of an answer. Only this page may read the answer, it is not cached, and no
/// referrer is sent.
fn format_head(status: &str, kind: &str, length: Option<usize>) -> String {
    let length = length.map_or_else(String::new, |length| format!("Content-Length: {length}\r\n"));
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}Connection: close\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: {}\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n",
        document::content_security_policy()
    )
}

fn send_pictures(stream: &mut TcpStream, hub: &SnapshotHub) -> io::Result<()> {
    let _reader = hub.add_reader();
    let head = format_head("200 OK", "text/event-stream", None);
    stream.write_all(format!("{head}retry: 1000\n\n").as_bytes())?;
    // A page that reconnects may still show the drawings of another run, so the first drawings are
    // sent even if there are none.
    let (mut number, mut drawings, mut json) = (0, None, Arc::default());
    loop {
        let Some(state) = hub.wait_for_newer(number, KEEP_ALIVE_INTERVAL) else {
            stream.write_all(b": still here\n\n")?;
            continue;
        };
        number = state.number;
        if drawings.as_ref() != Some(&state.drawings) {
            stream.write_all(format!("event: drawings\ndata: {}\n\n", state.drawings).as_bytes())?;
            drawings = Some(state.drawings);
        }
        // The time comes first, so that a picture is never drawn with an older one.
        if let Some(look_time) = state.look_time {
            let [seconds, age] = look_time.seconds_and_age();
            stream.write_all(format!("event: as-of\ndata: [{seconds:.3},{age:.3}]\n\n").as_bytes())?;
        }
        if !state.json.is_empty() && !Arc::ptr_eq(&json, &state.json) {
            stream.write_all(format!("data: {}\n\n", state.json).as_bytes())?;
            json = state.json;
        }
        if state.is_last {
            if let Some(report) = &state.report {
                stream.write_all(format!("event: report\ndata: {report}\n\n").as_bytes())?;
            }
            return stream.write_all(b"event: end\ndata: {}\n\n");
        }
    }
}
