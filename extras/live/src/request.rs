//! The subset of HTTP that the server accepts: GET of two paths behind the token.

use crate::address::{RequestGuard, is_own_name};

/// The most bytes of a request, including all headers.
pub(crate) const MAX_BYTES: usize = 8 << 10;

/// The requested resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestedResource {
    /// The page.
    Page,
    /// The stream of pictures.
    Events,
}

/// Reason for refusing a request: HTTP status and message.
pub(crate) type Refusal = (u16, &'static str);

/// Returns the length of a request's head, if it is complete.
pub(super) fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|index| index + 4)
}

/// Parses the head of a request, up to the empty line at its end. Anything unknown is refused.
pub(crate) fn read(head: &[u8], guard: &RequestGuard) -> Result<RequestedResource, Refusal> {
    const NO_REQUEST: Refusal = (400, "invalid request");
    let text = str::from_utf8(head).map_err(|_| NO_REQUEST)?;
    let mut lines = text.strip_suffix("\r\n\r\n").ok_or(NO_REQUEST)?.split("\r\n");
    let mut words = lines.next().ok_or(NO_REQUEST)?.split(' ');
    let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(NO_REQUEST);
    };
    let mut hosts = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(NO_REQUEST)?;
        if name.is_empty() || name.contains([' ', '\t']) {
            return Err(NO_REQUEST);
        }
        if name.eq_ignore_ascii_case("host") {
            hosts.push(value.trim_matches([' ', '\t']));
        }
    }
    let [host] = hosts[..] else { return Err((400, "a request must have exactly one Host header")) };
    // Another origin can point its name to loopback (DNS rebinding). For other addresses many names
    // may be right, and a page of another origin does not know the token.
    if guard.address.ip().is_loopback() && !is_own_name(host, guard.address) {
        return Err((421, "this page is only available under names of this machine"));
    }
    let path = target.split('?').next().unwrap_or_default();
    let resource = match path.rsplit_once('/') {
        Some((parent, name)) if is_page_path(parent, guard) => match name {
            "" => RequestedResource::Page,
            "events" => RequestedResource::Events,
            _ => return Err((404, "not found")),
        },
        _ => {
            return Err((403, "missing or wrong token: open the full link that gauntlet printed"));
        }
    };
    if method == "GET" { Ok(resource) } else { Err((405, "read-only")) }
}

/// Returns true if this part of a path, before its last slash, is the path of the page.
fn is_page_path(parent: &str, guard: &RequestGuard) -> bool {
    // The comparison of digests takes a time that does not depend on the token.
    blake3::hash(parent.as_bytes()) == blake3::hash(format!("/{}", guard.token).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(address: &str) -> RequestGuard {
        RequestGuard { address: address.parse().expect("an address"), token: "0123456789abcdef".to_owned() }
    }

    fn read_request(request: &str) -> Result<RequestedResource, u16> {
        read(request.as_bytes(), &guard("127.0.0.1:8000")).map_err(|(status, _)| status)
    }

    #[test]
    fn two_things_can_be_read_and_nothing_else_can_be_done() {
        let respond = |line: &str| read_request(&format!("{line}\r\nHost: localhost:8000\r\n\r\n"));
        let page_path = "/0123456789abcdef";
        assert_eq!(respond(&format!("GET {page_path}/ HTTP/1.1")), Ok(RequestedResource::Page));
        assert_eq!(respond(&format!("GET {page_path}/?x=1 HTTP/1.0")), Ok(RequestedResource::Page));
        assert_eq!(respond(&format!("GET {page_path}/events HTTP/1.1")), Ok(RequestedResource::Events));
        for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "get"] {
            assert_eq!(respond(&format!("{method} {page_path}/events HTTP/1.1")), Err(405), "{method}");
            assert_eq!(respond(&format!("{method} /events HTTP/1.1")), Err(403), "{method}");
        }
        for path in ["/x", "/.", "/%2e", "/events%20"] {
            assert_eq!(respond(&format!("GET {page_path}{path} HTTP/1.1")), Err(404), "{path}");
        }
        for path in ["/events/", "//", "/../etc/passwd"] {
            assert_eq!(respond(&format!("GET {page_path}{path} HTTP/1.1")), Err(403), "{path}");
        }
        for line in ["GET /", "GET / HTTP/2", "GET  / HTTP/1.1", "GET / HTTP/1.1 x", "", "GET /\tHTTP/1.1"] {
            assert_eq!(respond(line), Err(400), "{line}");
        }
    }

    #[test]
    fn a_page_of_another_origin_cannot_read_it() {
        let respond = |headers: &str| {
            read_request(&format!("GET /0123456789abcdef/events HTTP/1.1\r\n{headers}\r\n\r\n"))
        };
        assert_eq!(respond("Accept: *\r\nhOsT:\t127.0.0.1:8000 "), Ok(RequestedResource::Events));
        assert_eq!(respond("Host: evil.example:8000"), Err(421));
        assert_eq!(respond("Host: localhost:8000\r\nHost: evil.example:8000"), Err(400));
        assert_eq!(respond("Accept: *"), Err(400));
        assert_eq!(respond("Host : localhost:8000"), Err(400));
        assert_eq!(respond("Host"), Err(400));
    }

    #[test]
    fn only_who_knows_the_token_reads() {
        for (address, host) in [("127.0.0.1:8000", "localhost"), ("0.0.0.0:8000", "node7")] {
            let respond = |path: &str| {
                let request = format!("GET {path} HTTP/1.1\r\nHost: {host}:8000\r\n\r\n");
                read(request.as_bytes(), &guard(address)).map_err(|(status, _)| status)
            };
            assert_eq!(respond("/0123456789abcdef/"), Ok(RequestedResource::Page));
            assert_eq!(respond("/0123456789abcdef/events"), Ok(RequestedResource::Events));
            for path in [
                "/",
                "/events",
                "/0123456789abcdef",
                "/0123456789abcdee/",
                "/0123456789ABCDEF/",
                "/0123456789abcde/",
                "//0123456789abcdef/",
                "/?token=0123456789abcdef",
                "0123456789abcdef/",
                "*",
                "http://localhost:8000/",
            ] {
                assert_eq!(respond(path), Err(403), "{host} {path}");
            }
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for bytes in
            [&b""[..], b"\r\n\r\n", b"\x16\x03\x01\x02\r\n\r\n", b"\xff\xfe\r\n\r\n", b"GET / HTTP/1.1\r\n"]
        {
            let result = read(bytes, &guard("127.0.0.1:8000"));
            assert_eq!(result.map_err(|(status, _)| status), Err(400));
        }
        assert_eq!(end_of_head(b"GET / HTTP/1.1\r\n\r\nbody"), Some(18));
        assert_eq!(end_of_head(b"GET / HTTP/1.1\r\n\r"), None);
    }
}
