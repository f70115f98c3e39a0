//! Write progress: a client that stops reading loses its connection, which frees the buffers. Also ends connections whose client is still
//! sending.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

/// The number of unsent bytes that the system buffers. It is far less than the usual buffers, so that a slow reader still shows progress.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 64 * 1024;

/// How long to read and discard what a client still sends before its connection is closed.
const LINGER_TIME: Duration = Duration::from_secs(5);

/// A stream that is reset if writes make no progress for too long.
pub(super) struct Progressing {
    stream: TcpStream,
    stall_time: Duration,
    /// Whether the last write had to wait.
    waiting: bool,
    /// The time limit of a wait. Created at the first wait, because most connections never wait.
    deadline: Option<Pin<Box<Sleep>>>,
    linger: Linger,
    linger_end: Option<Pin<Box<Sleep>>>,
}

/// Whether a client may still be sending when its connection ends. The system resets a connection that is closed with unread data, and the
/// client may lose the response; so that data is read first.
#[derive(Clone, Default)]
pub(super) struct Linger(Arc<AtomicBool>);

impl Linger {
    pub(super) fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Progressing {
    pub(super) fn new(stream: TcpStream, stall_time: Duration) -> Self {
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(&stream).set_tcp_notsent_lowat(UNSENT);
        Self {
            stream,
            stall_time,
            waiting: false,
            deadline: None,
            linger: Linger::default(),
            linger_end: None,
        }
    }

    /// A handle to report that the client may still be sending.
    pub(super) fn linger(&self) -> Linger {
        self.linger.clone()
    }

    /// Reads and discards what the client still sends, until it is done or the time is over.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let mut unused = [0; 4096];
            let mut unused = ReadBuf::new(&mut unused);
            match Pin::new(&mut self.stream).poll_read(cx, &mut unused) {
                Poll::Ready(Ok(())) if !unused.filled().is_empty() => {}
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => break,
            }
        }
        let end = self.linger_end.get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER_TIME)));
        end.as_mut().poll(cx)
    }

    /// Passes on the result of a write, or an error if writes have waited too long.
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
        // Resets the connection on close; otherwise the system would keep trying to send what is buffered.
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
        let this = self.get_mut();
        ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        if this.linger.0.load(Ordering::Relaxed) {
            ready!(this.poll_linger(cx));
        }
        Poll::Ready(Ok(()))
    }
}
