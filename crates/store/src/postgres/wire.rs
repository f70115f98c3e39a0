//! The two ends of a connection's socket: pieces are sent behind each other, and each response is given to the one who waits for it.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::task::AtomicWaker;
use postgres_protocol::message::backend::{ERROR_RESPONSE_TAG, READY_FOR_QUERY_TAG};
use tokio::io::{AsyncReadExt as _, AsyncWrite as _};
use tokio::sync::oneshot;

use super::dialing::Socket;
use super::failure::{Failure, Sent};
use super::messages::{self, Piece, Response};
use crate::query::Running;

/// How much is received at once.
const CHUNK: usize = 65_536;
/// A chunk that has less space left is followed by a new one.
const LEAST_SPACE: usize = 8_192;
/// A buffer that held more is not kept for what follows.
const LARGE: usize = 4 * CHUNK;
/// The status of a session without a transaction, at the end of a response.
const IDLE: u8 = b'I';

type Waiter = oneshot::Sender<Sent<Bytes>>;

/// Where pieces are put for the task that sends them.
#[derive(Debug)]
pub(super) struct Outbox {
    unsent: Mutex<Unsent>,
    sender: AtomicWaker,
    opened: Instant,
    /// How many pieces have no response yet.
    unanswered: AtomicUsize,
    /// When the last response came, or a piece was put here while no other one waited, in milliseconds after it was opened.
    moved: AtomicU64,
    /// Whether a transaction was open after the last response.
    in_transaction: AtomicBool,
}

#[derive(Debug, Default)]
struct Unsent {
    bytes: BytesMut,
    waiters: Vec<Waiter>,
    is_closed: bool,
}

impl Outbox {
    pub(super) fn new() -> Self {
        Self {
            unsent: Mutex::default(),
            sender: AtomicWaker::new(),
            opened: Instant::now(),
            unanswered: AtomicUsize::new(0),
            moved: AtomicU64::new(0),
            in_transaction: AtomicBool::new(false),
        }
    }

    fn unsent(&self) -> MutexGuard<'_, Unsent> {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a piece. It is sent even if the response is not awaited.
    pub(super) fn send(&self, piece: Piece) -> Receipt {
        let (bytes, running) = piece.finish();
        let (waiter, response) = oneshot::channel();
        let mut unsent = self.unsent();
        if !unsent.is_closed {
            if self.unanswered.fetch_add(1, Ordering::Relaxed) == 0 {
                self.note_moved();
            }
            unsent.bytes.extend_from_slice(&bytes);
            unsent.waiters.push(waiter);
            let is_first = unsent.waiters.len() == 1;
            drop(unsent);
            if is_first {
                self.sender.wake();
            }
        }
        Receipt { response, running }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.unsent().is_closed
    }

    /// Whether a transaction is open, and nothing that could end it waits for a response.
    pub(super) fn is_left_open(&self) -> bool {
        self.unanswered() == 0 && self.in_transaction.load(Ordering::Relaxed)
    }

    pub(super) fn unanswered(&self) -> usize {
        self.unanswered.load(Ordering::Relaxed)
    }

    /// Whether pieces have waited for a time, and no response came meanwhile.
    pub(super) fn is_held_up(&self, limit: Duration) -> bool {
        let waited = self.age().saturating_sub(self.moved.load(Ordering::Relaxed));
        self.unanswered() > 0 && u128::from(waited) >= limit.as_millis()
    }

    fn age(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn note_moved(&self) {
        self.moved.store(self.age(), Ordering::Relaxed);
    }
}

/// The response to a piece that was sent.
pub(super) struct Receipt {
    response: oneshot::Receiver<Sent<Bytes>>,
    running: Vec<Running>,
}

impl Receipt {
    pub(super) async fn response(self) -> Sent<Response> {
        let lost = |_| Failure::Lost("the connection to the database is closed".to_owned());
        let bytes = self.response.await.map_err(lost)??;
        drop(self.running);
        Response::of(bytes)
    }
}

/// What sends and receives.
struct Carrier {
    socket: Socket,
    outbox: Arc<Outbox>,
    sending: BytesMut,
    waiters: VecDeque<Waiter>,
    received: BytesMut,
    /// How many received bytes are complete messages.
    scanned: usize,
    /// Why nothing more can be sent.
    broken: Option<io::Error>,
}

/// Sends and receives until the connection ends. Returns why it ended.
pub(super) async fn carry(socket: Socket, outbox: Arc<Outbox>) -> Failure {
    let mut carrier = Carrier {
        socket,
        outbox,
        sending: BytesMut::new(),
        waiters: VecDeque::new(),
        received: BytesMut::new(),
        scanned: 0,
        broken: None,
    };
    let ended = poll_fn(|context| carrier.poll(context)).await;
    carrier.end(ended)
}

impl Carrier {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Failure> {
        self.outbox.sender.register(context.waker());
        // First, so that what the server has sent before is not taken for a response to what is sent now.
        if let Poll::Ready(Err(failure)) = self.poll_receive(context) {
            return Poll::Ready(failure);
        }
        if self.broken.is_some() {
            return Poll::Pending;
        }
        self.take_unsent();
        let Poll::Ready(Err(error)) = self.poll_send(context) else { return Poll::Pending };
        // What has arrived is still given to those who wait for it.
        self.broken = Some(error);
        self.outbox.unsent().is_closed = true;
        let Err(failure) = ready!(self.poll_receive(context));
        Poll::Ready(failure)
    }

    fn take_unsent(&mut self) {
        let mut unsent = self.outbox.unsent();
        self.sending.unsplit(unsent.bytes.split());
        if self.sending.len() > LARGE {
            unsent.bytes = BytesMut::new();
        }
        self.waiters.extend(unsent.waiters.drain(..));
    }

    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.sending.is_empty() {
            let sent = ready!(Pin::new(&mut self.socket).poll_write(context, &self.sending))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.sending.advance(sent);
        }
        self.sending = BytesMut::new();
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Sent<std::convert::Infallible>> {
        loop {
            if self.received.capacity() - self.received.len() < LEAST_SPACE {
                self.received.reserve(CHUNK);
            }
            let read = ready!(pin!(self.socket.read_buf(&mut self.received)).poll(context));
            if read.map_err(Failure::lost)? == 0 {
                let broken = self.broken.take().map(Failure::lost);
                let closed = || Failure::Lost("the server closed the connection".to_owned());
                return Poll::Ready(Err(broken.unwrap_or_else(closed)));
            }
            self.give()?;
        }
    }

    /// Gives each complete response to its waiter.
    fn give(&mut self) -> Sent<()> {
        while let Some((tag, length)) = messages::first(&self.received[self.scanned..])? {
            let message = &self.received[self.scanned..self.scanned + length];
            if tag == ERROR_RESPONSE_TAG && self.waiters.is_empty() {
                // It is the reason why the server ends the session.
                return Err(messages::refused(message)?);
            }
            self.scanned += length;
            if tag == READY_FOR_QUERY_TAG {
                let response = self.received.split_to(std::mem::take(&mut self.scanned)).freeze();
                if response.len() > LARGE && self.received.is_empty() {
                    self.received = BytesMut::new();
                }
                let waiter = self.waiters.pop_front();
                let waiter = waiter.ok_or_else(|| Failure::misunderstood("a response to nothing"))?;
                self.outbox.note_moved();
                // The status is the last byte of a response.
                self.outbox.in_transaction.store(response.last() != Some(&IDLE), Ordering::Relaxed);
                self.outbox.unanswered.fetch_sub(1, Ordering::Relaxed);
                // Who waited may have given up.
                let _ = waiter.send(Ok(response));
            }
        }
        Ok(())
    }

    /// Closes it. The server's last error is that of the piece whose response was next. The others are lost.
    fn end(mut self, ended: Failure) -> Failure {
        let last = messages::error_in(&self.received).unwrap_or(ended);
        if let Some(waiter) = self.waiters.pop_front() {
            let _ = waiter.send(Err(last.clone()));
        }
        last
    }
}

/// No one waits for a connection that nothing carries, for whatever reason.
impl Drop for Carrier {
    fn drop(&mut self) {
        *self.outbox.unsent() = Unsent { is_closed: true, ..Unsent::default() };
    }
}
