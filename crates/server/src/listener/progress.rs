//! Write progress: a client that stops reading loses its connection, and with it what is buffered for it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

/// How many bytes the system holds that are not sent yet. Above this it takes no more; far less than its usual buffers, so that a slow
/// reader is seen to make progress.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 64 * 1024;

/// A stream that is reset when writes make no progress for too long.
pub(super) struct Progressing {
    stream: TcpStream,
    stall_time: Duration,
    /// Whether the last write had to wait.
    waiting: bool,
    /// Ends the wait. Made at the first one: most connections never have to wait.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Progressing {
    pub(super) fn new(stream: TcpStream, stall_time: Duration) -> Self {
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(&stream).set_tcp_notsent_lowat(UNSENT);
        Self { stream, stall_time, waiting: false, deadline: None }
    }

    /// Passes on what came of a write, or an error where writes have waited too long.
    fn watch(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.waiting = false;
            return written;
        }
        let end = Instant::now() + self.stall_time;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
        if !self.waiting {
            self.waiting = true;
            deadline.as_mut().reset(end);
        }
        ready!(deadline.as_mut().poll(cx));
        // Resets the connection when it is closed; otherwise the system goes on offering what is buffered.
        let _ = self.stream.set_zero_linger();
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client stopped reading")))
    }
}

impl AsyncRead for Progressing {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Progressing {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, buf);
        this.watch(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, bufs);
        this.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
