//! Address of the live page: loopback unless another address is given. Its path begins with a
//! secret token.

use std::fmt::Write;
use std::fs;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::str::FromStr;

use anyhow::{Context, anyhow};

/// An address to listen on, as given on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    host: String,
    /// `None`: the default port, or the first free port after it.
    port: Option<u16>,
}

/// The default port.
const DEFAULT_PORT: u16 = 20480;

/// Number of further ports to try if the default is taken. Browsers block none of these ports.
const PORTS_TO_TRY: u16 = 16;

const LOOPBACK: &str = "127.0.0.1";

impl Default for Address {
    fn default() -> Address {
        Address { host: LOOPBACK.to_owned(), port: None }
    }
}

impl FromStr for Address {
    type Err = String;

    /// Parses `HOST`, `HOST:PORT` or `PORT`; IPv6 addresses are in brackets.
    fn from_str(text: &str) -> Result<Address, String> {
        let parse_error = || format!("{text:?} is not an address: expected HOST:PORT or a port");
        let parse_port = |port: &str| port.parse::<u16>().map_err(|_| parse_error());
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Address { host: LOOPBACK.to_owned(), port: Some(parse_port(text)?) });
        }
        if let Ok(ip) = text.parse::<IpAddr>() {
            return Ok(Address { host: ip.to_string(), port: None });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, Some(parse_port(port)?)),
            None => (text, None),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_name) {
            return Err(parse_error());
        }
        Ok(Address { host: host.to_owned(), port })
    }
}

/// A listening socket, and the rules for its requests.
#[derive(Debug)]
pub(super) struct ListeningSocket {
    pub(super) listener: TcpListener,
    pub(super) guard: RequestGuard,
}

/// What a request must contain: the token in its path and, on loopback, a name of this machine as
/// its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestGuard {
    /// The address that it listens on.
    pub address: SocketAddr,
    /// The first part of each path. Every user of a machine can connect to loopback, so loopback
    /// needs a token too.
    pub token: String,
}

impl RequestGuard {
    /// Returns the URL of the page.
    pub(crate) fn link(&self) -> String {
        let ip = self.address.ip();
        let host = if ip.is_unspecified() {
            machine_name().unwrap_or_else(|| ip.to_string())
        } else {
            format_host(ip)
        };
        format!("http://{host}:{}/{}/", self.address.port(), self.token)
    }
}

/// Formats an address as the host of a URL.
fn format_host(ip: IpAddr) -> String {
    if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() }
}

/// Returns the name of this machine, if the system has one.
fn machine_name() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    let name = name.trim();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    (!name.is_empty() && name.bytes().all(is_plain)).then(|| name.to_owned())
}

pub(super) fn listen(requested: &Address) -> anyhow::Result<ListeningSocket> {
    let (host, first_port) = (&*requested.host, requested.port.unwrap_or(DEFAULT_PORT));
    let listener = match requested.port {
        Some(_) => bind(host, first_port),
        None => (first_port..first_port + PORTS_TO_TRY)
            .find_map(|port| bind(host, port).ok())
            .map_or_else(|| bind(host, first_port), Ok),
    };
    let listener =
        listener.with_context(|| format!("cannot listen on {host}:{first_port} for the live page"))?;
    let address = listener.local_addr().context("cannot get the address of the live page")?;
    Ok(ListeningSocket { listener, guard: RequestGuard { address, token: new_token()? } })
}

fn bind(host: &str, port: u16) -> io::Result<TcpListener> {
    let mut last_error = io::Error::new(io::ErrorKind::NotFound, "no such address");
    // `localhost` has two addresses; the first one that is free is used.
    for address in (host, port).to_socket_addrs()? {
        match TcpListener::bind(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last_error = error,
        }
    }
    Err(last_error)
}

/// Returns 128 random bits of the operating system as hexadecimal digits.
fn new_token() -> anyhow::Result<String> {
    let mut bits = [0; 16];
    let source = fs::File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bits));
    source.map_err(|error| {
        anyhow!("no token for the live page: cannot read /dev/urandom, the system's random numbers: {error}")
    })?;
    let mut token = String::new();
    bits.iter().for_each(|byte| write!(token, "{byte:02x}").expect("writing to memory does not fail"));
    Ok(token)
}

/// Returns true if a `Host` header names this machine as seen from itself. If a page of another
/// origin points its name to this machine, the header contains that name. The port may be the port
/// of a tunnel.
pub(super) fn is_own_name(host: &str, address: SocketAddr) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() && (!name.contains(':') || name.ends_with(']')) => {
            name
        }
        _ => host,
    };
    let names = [
        format_host(address.ip()),
        format_host(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        "localhost".to_owned(),
        "[::1]".to_owned(),
    ];
    names.iter().any(|own_name| own_name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_hosts_and_ports() {
        #[track_caller]
        fn check(text: &str, host: &str, port: Option<u16>) {
            assert_eq!(text.parse(), Ok(Address { host: host.to_owned(), port }));
        }

        check("8000", "127.0.0.1", Some(8000));
        check("0.0.0.0", "0.0.0.0", None);
        check("0.0.0.0:8000", "0.0.0.0", Some(8000));
        check("localhost:0", "localhost", Some(0));
        check("node-7.cluster", "node-7.cluster", None);
        check("[::1]:80", "::1", Some(80));
        check("::1", "::1", None);
        for invalid in ["", ":80", "mine.toml:x", "host:65536", "65536", "a b", "results/mine", "http://x"] {
            assert!(invalid.parse::<Address>().is_err(), "{invalid}");
        }
    }

    #[test]
    fn a_name_that_points_here_is_not_our_own() {
        let address = "127.0.0.1:8000".parse().expect("an address");
        // A tunnel has another port at its other end.
        for own in
            ["127.0.0.1:8000", "localhost:8000", "LocalHost:9000", "[::1]:8000", "localhost", "127.0.0.1"]
        {
            assert!(is_own_name(own, address), "{own}");
        }
        for other in [
            "",
            ":8000",
            "evil.example:8000",
            "localhost.evil.example:8000",
            "::1:8000",
            "localhost:8000:8000",
            "localhost:x",
            "127.0.0.1:8000 ",
            "127.0.0.2:8000",
        ] {
            assert!(!is_own_name(other, address), "{other}");
        }
    }

    #[test]
    fn every_link_has_a_token_of_its_own() {
        let guard_for = |text: &str| listen(&text.parse().expect("an address")).expect("a place").guard;
        let guards = ["127.0.0.1:0", "127.0.0.1:0", "0.0.0.0:0", "localhost:0"].map(guard_for);
        for RequestGuard { address, token } in &guards {
            assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
            let link = RequestGuard { address: *address, token: token.clone() }.link();
            assert!(link.ends_with(&format!(":{}/{token}/", address.port())), "{link}");
            assert_eq!(guards.iter().filter(|other| other.token == *token).count(), 1, "{guards:?}");
        }
    }

    #[test]
    fn a_port_that_is_taken_is_told_and_the_usual_one_is_passed_over() {
        let first_socket = listen(&Address::default()).expect("a place");
        let second_socket = listen(&Address::default()).expect("another");
        assert_ne!(first_socket.guard.address, second_socket.guard.address);
        let taken_address = first_socket.guard.address.to_string().parse().expect("an address");
        let error = format!("{:#}", listen(&taken_address).expect_err("it is taken"));
        assert!(
            error
                .starts_with(&format!("cannot listen on {} for the live page: ", first_socket.guard.address)),
            "{error}"
        );
    }
}
