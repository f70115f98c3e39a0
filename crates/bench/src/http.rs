//! A small HTTP client, for the requests whose responses are checked. Each uses a connection of its own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::requests::Request;

/// How long a response may take.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    /// The status.
    pub(crate) status: u16,
    /// The lines of the head after the first, in lower case up to the colon.
    headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// A header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Result<Value> {
        let shown = || String::from_utf8_lossy(&self.body).chars().take(300).collect::<String>();
        serde_json::from_slice(&self.body).with_context(|| format!("the body is not JSON: {}", shown()))
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let end =
            bytes.windows(4).position(|window| window == b"\r\n\r\n").context("the response has no end")?;
        let (head, body) = (std::str::from_utf8(&bytes[..end])?, &bytes[end + 4..]);
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).context("no status")?.parse()?;
        let header = |line: &str| {
            line.split_once(':').map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let mut response = Self { status, headers: lines.filter_map(header).collect(), body: body.to_vec() };
        if response.header("transfer-encoding").is_some_and(|encoding| encoding.contains("chunked")) {
            response.body = unchunked(body)?;
        }
        if let Some(length) = response.header("content-length").filter(|_| status != 304) {
            ensure!(length.parse::<usize>()? == response.body.len(), "the body is cut off");
        }
        Ok(response)
    }
}

/// The content of a chunked body (RFC 9112, section 7.1).
fn unchunked(mut rest: &[u8]) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n").context("a chunk without a size")?;
        let size = std::str::from_utf8(&rest[..end])?.split(';').next().unwrap_or_default();
        let size = usize::from_str_radix(size, 16)?;
        if size == 0 {
            return Ok(body);
        }
        body.extend(rest.get(end + 2..end + 2 + size).context("a chunk is cut off")?);
        rest = rest.get(end + 4 + size..).context("a chunk is cut off")?;
    }
}

/// The host and port of a URL.
pub(crate) fn authority(url: &str) -> Result<&str> {
    let rest = url.strip_prefix("http://").with_context(|| format!("{url} does not start with http://"))?;
    Ok(rest.split('/').next().unwrap_or(rest))
}

/// Sends a request and returns the response.
pub(crate) fn send(url: &str, request: &Request) -> Result<Response> {
    let authority = authority(url)?;
    let mut stream = TcpStream::connect(authority).with_context(|| format!("cannot connect to {url}"))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(head(authority, request, "close").as_bytes())?;
    stream.write_all(request.body.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    Response::parse(&bytes).with_context(|| format!("{} {}", request.method, request.path))
}

/// The head of a request.
pub(crate) fn head(authority: &str, request: &Request, connection: &str) -> String {
    let Request { method, path, body, headers, .. } = request;
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: {connection}\r\n");
    if !body.is_empty() {
        let length = format!("Content-Length: {}\r\n", body.len());
        head.push_str(&length);
    }
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    head + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_read_with_a_length_and_in_chunks() {
        let plain = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: \"1\"\r\n\r\nhi";
        let plain = Response::parse(plain).expect("a response");
        assert_eq!(
            (plain.status, plain.header("etag"), plain.body.as_slice()),
            (200, Some("\"1\""), &b"hi"[..])
        );
        let chunked =
            b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n";
        assert_eq!(Response::parse(chunked).expect("a response").body, b"abcd");
    }

    #[test]
    fn a_body_that_is_cut_off_is_an_error() {
        assert!(Response::parse(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi").is_err());
        assert!(Response::parse(b"HTTP/1.1 200 OK").is_err());
    }
}
