//! Writes the log: lines are collected in memory and written in batches, because a request must not wait for a disk or another thread.

mod json;

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

pub(crate) use json::JsonLines;

/// The maximum time that a line waits.
const PAUSE: Duration = Duration::from_millis(50);
/// The maximum number of waiting bytes. If standard error is too slow, lines are dropped and counted, so that memory does not fill up.
const MAX_BYTES: usize = 8 << 20;
/// The bytes of a buffer that stay allocated.
const BUFFER: usize = 1 << 20;

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    dropped: u64,
    over: bool,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    end: Condvar,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives lines. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Batches(Arc<Shared>);

/// Writes the waiting lines, and the rest when it is dropped.
pub(crate) struct Writer {
    batches: Batches,
    thread: Option<JoinHandle<()>>,
}

impl Batches {
    /// Starts to write to standard error.
    pub(crate) fn start() -> io::Result<(Self, Writer)> {
        let batches = Self::default();
        let shared = batches.0.clone();
        let thread = std::thread::Builder::new().name("log".to_owned()).spawn(move || write_all(&shared))?;
        Ok((batches.clone(), Writer { batches, thread: Some(thread) }))
    }

    /// Adds a line.
    fn add(&self, line: &[u8]) {
        let mut waiting = self.0.waiting();
        if waiting.bytes.len() + line.len() > MAX_BYTES {
            waiting.dropped += 1;
        } else {
            waiting.bytes.extend_from_slice(line);
        }
    }
}

impl Write for Batches {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.add(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Batches {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.batches.0.waiting().over = true;
        self.batches.0.end.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write_all(shared: &Shared) {
    // Two buffers take turns, because a new one would have to grow again.
    let mut bytes = Vec::new();
    loop {
        let waiting = shared.waiting();
        let (mut waiting, _) = shared
            .end
            .wait_timeout_while(waiting, PAUSE, |waiting| !waiting.over)
            .unwrap_or_else(PoisonError::into_inner);
        let over = waiting.over;
        std::mem::swap(&mut waiting.bytes, &mut bytes);
        let dropped = std::mem::take(&mut waiting.dropped);
        drop(waiting);
        let mut stderr = io::stderr().lock();
        // If standard error is closed, there is no reader.
        let _ = stderr.write_all(&bytes);
        if dropped > 0 {
            let _ = writeln!(stderr, "{dropped} log lines were dropped: standard error is too slow");
        }
        bytes.clear();
        bytes.shrink_to(BUFFER);
        if over {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_above_the_limit_are_dropped_and_counted() {
        let mut batches = Batches::default();
        let line = vec![b'x'; MAX_BYTES / 2];
        for _ in 0..3 {
            assert_eq!(batches.write(&line).expect("taken"), line.len());
        }
        let waiting = batches.0.waiting();
        assert_eq!((waiting.bytes.len(), waiting.dropped), (MAX_BYTES, 1));
    }
}
