//! A stub server that responds as a test says and records its requests. It accepts one request for each connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method and path: `GET /api/v1/seasons`.
    pub(crate) call: String,
    /// The query.
    pub(crate) query: String,
    /// The number of earlier requests with the same method and path.
    pub(crate) nth: usize,
    /// The body.
    pub(crate) body: String,
    headers: Vec<(String, String)>,
}

impl Seen {
    /// A header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

/// A response of the stub.
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Reply {
    /// A JSON response.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, &body.to_string())
    }

    /// A response with this body.
    pub(crate) fn text(status: u16, body: &str) -> Self {
        Self { status, headers: Vec::new(), body: body.to_owned() }
    }

    /// No response: the connection is closed.
    pub(crate) fn none() -> Self {
        Self::json(0, &Value::Null)
    }

    /// A problem.
    pub(crate) fn problem(status: u16, code: &str) -> Self {
        let retryable = status == 429 || status == 503;
        let (title, detail) = ("A problem", "The stub says no.");
        Self::json(
            status,
            &serde_json::json!({
                "type": "about:blank", "title": title, "status": status, "detail": detail, "code": code,
                "instance": "urn:request:req-1", "request_id": "req-1", "retryable": retryable,
            }),
        )
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// A running stub; its threads end with the test's process.
pub(crate) struct Stub {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Stub {
    /// Starts a stub that responds with this function.
    pub(crate) fn new(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let stub = Self { address: listener.local_addr().expect("an address"), seen: Arc::default() };
        let (seen, answer) = (Arc::clone(&stub.seen), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                thread::spawn(move || serve(&stream.expect("a connection"), &seen, &*answer));
            }
        });
        stub
    }

    /// Its URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("a lock").clone()
    }
}

fn serve(stream: &TcpStream, seen: &Mutex<Vec<Seen>>, answer: &dyn Fn(&Seen) -> Reply) {
    let Some(mut request) = read(&mut BufReader::new(stream)) else { return };
    {
        let mut seen = seen.lock().expect("a lock");
        request.nth = seen.iter().filter(|before| before.call == request.call).count();
        seen.push(request.clone());
    }
    let reply = answer(&request);
    if reply.status != 0 {
        write(stream, &reply).expect("an answer");
    }
}

fn read(from: &mut impl BufRead) -> Option<Seen> {
    let mut line = String::new();
    from.read_line(&mut line).ok()?;
    let (method, rest) = line.split_once(' ')?;
    let target = rest.split(' ').next()?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers: Vec<_> = from.lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let headers: Vec<_> = headers
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut seen = Seen {
        call: format!("{method} {path}"),
        query: query.to_owned(),
        nth: 0,
        body: String::new(),
        headers,
    };
    let length = seen.header("content-length").map_or(0, |length| length.parse().expect("a length"));
    from.take(length).read_to_string(&mut seen.body).ok()?;
    Some(seen)
}

fn write(mut to: &TcpStream, reply: &Reply) -> std::io::Result<()> {
    let (status, length) = (reply.status, reply.body.len());
    write!(to, "HTTP/1.1 {status} Stub\r\nconnection: close\r\ncontent-length: {length}\r\n")?;
    for (name, value) in &reply.headers {
        write!(to, "{name}: {value}\r\n")?;
    }
    write!(to, "content-type: application/json\r\n\r\n{}", reply.body)
}
