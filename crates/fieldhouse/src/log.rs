//! The log's way out: lines gather in memory and leave in batches, for a request must wait neither for a disk nor for another thread
//! to wake up.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// How long a line waits at most.
const PAUSE: Duration = Duration::from_millis(50);
/// How many bytes may wait. Where standard error takes no more, lines are dropped and counted rather than memory being filled.
const MOST: usize = 8 << 20;

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

/// Takes lines. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Batches(Arc<Shared>);

/// Writes what waits, and the rest when it is dropped.
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
}

impl Write for Batches {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.waiting();
        if waiting.bytes.len() + line.len() > MOST {
            waiting.dropped += 1;
        } else {
            waiting.bytes.extend_from_slice(line);
        }
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
    loop {
        let waiting = shared.waiting();
        let (mut waiting, _) = shared
            .end
            .wait_timeout_while(waiting, PAUSE, |waiting| !waiting.over)
            .unwrap_or_else(PoisonError::into_inner);
        let over = waiting.over;
        let Waiting { bytes, dropped, .. } = std::mem::take(&mut *waiting);
        drop(waiting);
        let mut stderr = io::stderr().lock();
        // If standard error is closed, there is no reader.
        let _ = stderr.write_all(&bytes);
        if dropped > 0 {
            let _ = writeln!(stderr, "{dropped} log lines were dropped: standard error is too slow");
        }
        if over {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_dropped_and_counted() {
        let mut batches = Batches::default();
        let line = vec![b'x'; MOST / 2];
        for _ in 0..3 {
            assert_eq!(batches.write(&line).expect("taken"), line.len());
        }
        let waiting = batches.0.waiting();
        assert_eq!((waiting.bytes.len(), waiting.dropped), (MOST, 1));
    }
}
