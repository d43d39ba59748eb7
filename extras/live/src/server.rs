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
use crate::request::{self, MOST_BYTES, Refusal, RequestedResource};

/// The most connections at a time. A further connection replaces another.
const MOST_CONNECTIONS: usize = 32;

/// The most threads. The thread of a replaced connection may take some seconds to end, because it
/// waits for a picture or a keep-alive. With this many threads, a new connection waits until one of
/// them has ended.
const MOST_THREADS: usize = 2 * MOST_CONNECTIONS;

/// A connection that has waited this long for a thread is closed.
const IDLE_TIMEOUT: Duration = SIGN_OF_LIFE.saturating_mul(2);

/// Time limit for sending a request.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Time limit for reading a part of an answer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval of keep-alive messages if there is no picture. Only a failed write reveals that a
/// reader is gone.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// A server that runs until the program ends.
#[derive(Debug)]
pub(crate) struct Server {
    hub: Arc<SnapshotHub>,
    link: String,
}

impl Server {
    /// Starts to listen.
    pub(crate) fn start(address: &Address) -> anyhow::Result<Server> {
        let place = listen(address)?;
        let (hub, link) = (Arc::new(SnapshotHub::default()), place.door.link());
        let (of_readers, door) = (Arc::clone(&hub), Arc::new(place.door));
        let open = Arc::new(Connections::default());
        threads::start_detached(move || {
            for (number, stream) in (0..).zip(place.listener.incoming()) {
                let Ok(stream) = stream else {
                    // For example, no free file descriptors. The error may pass, so it is retried,
                    // with a pause.
                    thread::sleep(Duration::from_millis(100));
                    continue;
                };
                let Ok(own) = OpenConnection::new(&open, number, &stream) else { continue };
                let (hub, door) = (Arc::clone(&of_readers), Arc::clone(&door));
                // If no thread can be started, the connection is closed, and the reader reconnects.
                let _ = threads::start_detached(move || {
                    // A reader that is gone or sends nothing is not an error.
                    let _ = serve(stream, &own, &door, &hub);
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
    all: Mutex<Vec<Connection>>,
    /// Signalled when a thread has ended.
    ended: Condvar,
}

#[derive(Debug)]
struct Connection {
    number: u64,
    /// The stream, to close the connection; `None` once closed.
    stream: Option<TcpStream>,
    /// True if its request was received.
    has_asked: bool,
}

/// Entry of a connection among those that have a thread.
struct OpenConnection {
    all: Arc<Connections>,
    number: u64,
}

impl OpenConnection {
    /// Adds a connection. If there are too many, closes the oldest one that has sent no request, or
    /// else the oldest of all. A reader that is still there reconnects.
    fn new(all: &Arc<Connections>, number: u64, stream: &TcpStream) -> io::Result<OpenConnection> {
        let is_full = |open: &mut Vec<Connection>| open.len() >= MOST_THREADS;
        let waited = all.ended.wait_timeout_while(lock(all), IDLE_TIMEOUT, is_full);
        let (mut all_of_them, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let mut open: Vec<&mut Connection> =
            all_of_them.iter_mut().filter(|it| it.stream.is_some()).collect();
        if open.len() >= MOST_CONNECTIONS {
            let place = open.iter().position(|it| !it.has_asked).unwrap_or(0);
            if let Some(oldest) = open[place].stream.take() {
                let _ = oldest.shutdown(Shutdown::Both);
            }
        }
        all_of_them.push(Connection { number, stream: Some(stream.try_clone()?), has_asked: false });
        Ok(OpenConnection { all: Arc::clone(all), number })
    }

    /// Records that its request was received.
    fn mark_request_received(&self) {
        lock(&self.all).iter_mut().filter(|it| it.number == self.number).for_each(|it| it.has_asked = true);
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        lock(&self.all).retain(|it| it.number != self.number);
        self.all.ended.notify_one();
    }
}

fn lock(all: &Connections) -> MutexGuard<'_, Vec<Connection>> {
    all.all.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    mut stream: TcpStream,
    own: &OpenConnection,
    door: &RequestGuard,
    hub: &SnapshotHub,
) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    let asked = match read_head(&mut stream)? {
        Ok(head) => request::read(&head, door),
        Err(refusal) => Err(refusal),
    };
    own.mark_request_received();
    match asked {
        Ok(RequestedResource::Page) => {
            let page = document::page();
            let head = format_head("200 OK", "text/html; charset=utf-8", Some(page.len()));
            stream.write_all(format!("{head}{page}").as_bytes())?;
        }
        Ok(RequestedResource::Events) => send_pictures(&mut stream, hub)?,
        Err((status, words)) => {
            let (status, text) = (format!("{status} Refused"), format!("{words}\n"));
            let head = format_head(&status, "text/plain; charset=utf-8", Some(text.len()));
            stream.write_all(format!("{head}{text}").as_bytes())?;
        }
    }
    stream.shutdown(Shutdown::Write)
}

/// Reads the head of a request.
fn read_head(stream: &mut TcpStream) -> io::Result<Result<Vec<u8>, Refusal>> {
    let begun = Instant::now();
    let mut head = Vec::new();
    let mut part = [0; 1024];
    loop {
        if let Some(end) = request::end_of_head(&head) {
            head.truncate(end);
            return Ok(Ok(head));
        }
        if head.len() >= MOST_BYTES {
            return Ok(Err((431, "request too long")));
        }
        let left = PATIENCE.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(Err((408, "request too slow")));
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => head.extend_from_slice(&part[..bytes]),
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
        let Some(now) = hub.wait_for_newer(number, SIGN_OF_LIFE) else {
            stream.write_all(b": still here\n\n")?;
            continue;
        };
        number = now.number;
        if drawings.as_ref() != Some(&now.drawings) {
            stream.write_all(format!("event: drawings\ndata: {}\n\n", now.drawings).as_bytes())?;
            drawings = Some(now.drawings);
        }
        // The time comes first, so that a picture is never drawn with an older one.
        if let Some(as_of) = now.as_of {
            let [seconds, age] = as_of.seconds_and_age();
            stream.write_all(format!("event: as-of\ndata: [{seconds:.3},{age:.3}]\n\n").as_bytes())?;
        }
        if !now.json.is_empty() && !Arc::ptr_eq(&json, &now.json) {
            stream.write_all(format!("data: {}\n\n", now.json).as_bytes())?;
            json = now.json;
        }
        if now.is_last {
            if let Some(report) = &now.report {
                stream.write_all(format!("event: report\ndata: {report}\n\n").as_bytes())?;
            }
            return stream.write_all(b"event: end\ndata: {}\n\n");
        }
    }
}
