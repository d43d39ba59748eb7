//! The connections of the page's readers. Each has a thread of its own, which waits most of the time, and limits: on the bytes that
//! it may say, on the time that it may take to say them and to take its answers, and on how many there are. So a reader that is slow,
//! dead or hostile costs a run nothing; and the threads of a run never wait for one.
//!
//! Written here and not taken from a library: what is understood is one method and two paths, and of the small servers that need no
//! asynchronous runtime none limits the time of a request or the number of its connections.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::address::{Address, Door, listen};
use super::document;
use super::hub::Hub;
use super::request::{self, Asked, MOST_BYTES, Refusal};
use crate::run::threads;

/// The most connections at one time. Those that come then are closed.
pub const MOST_CONNECTIONS: usize = 32;

/// Time in which a request must have been said.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Time in which a part of an answer must have been taken.
const WRITES: Duration = Duration::from_secs(5);

/// Where no picture comes, a sign of life is sent this often: only so it is seen that a reader is gone.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// A page that is served as long as the program lives.
#[derive(Debug)]
pub struct Server {
    hub: Arc<Hub>,
    link: String,
}

impl Server {
    /// Begins to listen.
    pub fn start(address: &Address) -> anyhow::Result<Server> {
        let place = listen(address)?;
        let (hub, link) = (Arc::new(Hub::default()), place.door.link());
        let (of_readers, door) = (Arc::clone(&hub), Arc::new(place.door));
        let open = Arc::new(AtomicUsize::new(0));
        threads::start_apart(move || {
            for stream in place.listener.incoming() {
                let Ok(stream) = stream else {
                    // Without files left, say. It may pass, and must not be asked for without end.
                    thread::sleep(Duration::from_millis(100));
                    continue;
                };
                let Some(counted) = Counted::one(&open) else { continue };
                let (hub, door) = (Arc::clone(&of_readers), Arc::clone(&door));
                // Where no thread can be started the connection is closed, and the reader comes again.
                let _ = threads::start_apart(move || {
                    let _counted = counted;
                    // That a reader is gone, or says nothing, is no failure.
                    let _ = serve(stream, &door, &hub);
                });
            }
        })?;
        Ok(Server { hub, link })
    }

    /// The picture that readers are sent.
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// The address to be typed into a browser.
    pub fn link(&self) -> &str {
        &self.link
    }
}

/// A connection among those that are open.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn one(open: &Arc<AtomicUsize>) -> Option<Counted> {
        let counted = Counted(Arc::clone(open));
        // If these are too many, `counted` goes out of scope and is taken off again.
        (open.fetch_add(1, Ordering::Relaxed) < MOST_CONNECTIONS).then_some(counted)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn serve(mut stream: TcpStream, door: &Door, hub: &Hub) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITES))?;
    let asked = match head(&mut stream)? {
        Ok(head) => request::read(&head, door),
        Err(refusal) => Err(refusal),
    };
    match asked {
        Ok(Asked::Page) => {
            let page = document::page();
            let head = answer("200 OK", "text/html; charset=utf-8", Some(page.len()));
            stream.write_all(format!("{head}{page}").as_bytes())?;
        }
        Ok(Asked::Events) => send_pictures(&mut stream, hub)?,
        Err((status, words)) => {
            let (status, text) = (format!("{status} Refused"), format!("{words}\n"));
            let head = answer(&status, "text/plain; charset=utf-8", Some(text.len()));
            stream.write_all(format!("{head}{text}").as_bytes())?;
        }
    }
    stream.shutdown(Shutdown::Write)
}

/// The head of a request, as soon as it is there.
fn head(stream: &mut TcpStream) -> io::Result<Result<Vec<u8>, Refusal>> {
    let begun = Instant::now();
    let mut head = Vec::new();
    let mut part = [0; 1024];
    loop {
        if let Some(end) = request::end_of_head(&head) {
            head.truncate(end);
            return Ok(Ok(head));
        }
        if head.len() >= MOST_BYTES {
            return Ok(Err((431, "this request is too long")));
        }
        let left = PATIENCE.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(Err((408, "this request came too slowly")));
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

/// The head of an answer. It may be read by this page alone, is kept nowhere, and where it was read from is told to no one.
fn answer(status: &str, kind: &str, length: Option<usize>) -> String {
    let length = length.map_or_else(String::new, |length| format!("Content-Length: {length}\r\n"));
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}Connection: close\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: {}\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n",
        document::policy()
    )
}

fn send_pictures(stream: &mut TcpStream, hub: &Hub) -> io::Result<()> {
    let _reader = hub.reader();
    let head = answer("200 OK", "text/event-stream", None);
    stream.write_all(format!("{head}retry: 1000\n\n").as_bytes())?;
    let mut number = 0;
    loop {
        let Some(now) = hub.after(number, SIGN_OF_LIFE) else {
            stream.write_all(b": still here\n\n")?;
            continue;
        };
        number = now.number;
        if !now.json.is_empty() {
            stream.write_all(format!("data: {}\n\n", now.json).as_bytes())?;
        }
        if now.is_last {
            if let Some(report) = &now.report {
                stream.write_all(format!("event: report\ndata: {report}\n\n").as_bytes())?;
            }
            return stream.write_all(b"event: end\ndata: {}\n\n");
        }
    }
}
