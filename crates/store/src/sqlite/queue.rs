//! The writer's queue, and how many of its transactions are committed together.
//!
//! A flush of the log costs as much as several transactions, and clients whose results are returned together come back together. A batch that
//! closed as soon as the queue is empty would have one transaction, and the next one would have all others. So the queue counts how many
//! transactions are in progress at a time, and closes a batch when enough of them are in it: half of them if they take longer than a flush,
//! because the other half can run meanwhile, and otherwise all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use super::syncer::Syncer;
use super::writer::Writing;
use crate::error::{Error, Result};

/// How many transactions may wait before more are refused.
pub(super) const QUEUE: usize = 4096;
/// The maximum number of transactions that are committed together.
const BATCH: usize = 256;
/// How long transactions are added to a batch. A finished one waits for its commit at most this long, plus one more transaction.
const BATCH_TIME: Duration = Duration::from_millis(500);
/// How long a batch without a running flush waits for one more transaction, at most. It also waits no longer than half of a flush.
const PATIENCE: Duration = Duration::from_millis(1);

/// How many transactions of this process wait for a writer, run, or wait for their commit.
static IN_PROGRESS: AtomicUsize = AtomicUsize::new(0);

/// Whether a transaction of this process waits for SQLite's writer, runs, or waits for its commit.
pub fn is_writing() -> bool {
    IN_PROGRESS.load(Ordering::Relaxed) > 0
}

/// Counts a transaction while it is in progress: until this is dropped.
pub(super) struct InProgress(());

impl InProgress {
    pub(super) fn begin() -> Self {
        IN_PROGRESS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        IN_PROGRESS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether a commit is durable; if not, why.
pub(super) type Committed = std::result::Result<(), String>;

/// A transaction that waits or has run.
pub(super) trait Job: Send {
    /// Runs it, possibly again after it was rolled back. Returns whether it succeeded.
    fn run(&mut self, writing: Writing<'_>) -> bool;

    /// Replaces its result with an error: what it posted to the ledger could not be written.
    fn fail(&mut self, reason: String);

    /// The runtime in which its caller waits.
    fn runtime(&self) -> Option<&Handle> {
        None
    }

    /// Returns its result to the caller, after the commit.
    fn answer(self: Box<Self>, committed: Committed);
}

/// What the writer waits for.
enum Message {
    Job(Box<dyn Job>),
    /// A flush has ended.
    Flushed,
}

/// Where transactions are added.
pub(super) struct Entrance {
    messages: SyncSender<Message>,
    waiting: Arc<AtomicUsize>,
}

/// The queue, without its entrance. It ends when the entrance is dropped and nothing waits.
pub(super) struct Queue {
    messages: Receiver<Message>,
    waiting: Arc<AtomicUsize>,
    /// The highest number of transactions in progress during the last batch, and during this one.
    in_progress: (usize, usize),
    /// How long one transaction of the last batch took, with its part of the commit.
    running_time: Duration,
}

/// A batch that is open.
pub(super) struct Batch {
    begun: Instant,
    size: usize,
    /// How long it waited for transactions.
    waited: Duration,
}

/// Creates a queue.
pub(super) fn queue() -> (Arc<Entrance>, Queue) {
    let (entrance, messages) = sync_channel(QUEUE);
    let waiting = Arc::<AtomicUsize>::default();
    let queue =
        Queue { messages, waiting: waiting.clone(), in_progress: (0, 0), running_time: Duration::ZERO };
    (Arc::new(Entrance { messages: entrance, waiting }), queue)
}

impl Entrance {
    /// Adds a transaction.
    pub(super) fn add(&self, job: Box<dyn Job>) -> Result<()> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.messages.try_send(Message::Job(job)).map_err(|error| {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) => Error::Overloaded("too many transactions are waiting to be written"),
                TrySendError::Disconnected(_) => closed(),
            }
        })
    }

    /// Tells the writer that a flush has ended. If the queue is full, the writer has enough to do and asks by itself.
    pub(super) fn note_flushed(&self) {
        let _ = self.messages.try_send(Message::Flushed);
    }
}

/// The error after the end of the queue.
pub(super) fn closed() -> Error {
    Error::Unavailable("the store is closed".to_owned())
}

impl Queue {
    /// Waits for the first transaction of a batch. `None` if the queue has ended.
    pub(super) fn first(&mut self) -> Option<(Box<dyn Job>, Batch)> {
        loop {
            if let Message::Job(job) = self.messages.recv().ok()? {
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                self.in_progress = (self.in_progress.1, 0);
                return Some((job, Batch { begun: Instant::now(), size: 1, waited: Duration::ZERO }));
            }
        }
    }

    /// Waits for the next transaction of a batch. `None` if the batch must be committed now.
    pub(super) fn next(&mut self, batch: &mut Batch, syncer: &Syncer) -> Option<Box<dyn Job>> {
        let job = self.more(batch, syncer)?;
        batch.size += 1;
        Some(job)
    }

    fn more(&mut self, batch: &mut Batch, syncer: &Syncer) -> Option<Box<dyn Job>> {
        if batch.size >= BATCH || batch.begun.elapsed() >= BATCH_TIME {
            return None;
        }
        let now = batch.size + syncer.flushing() + self.waiting.load(Ordering::Relaxed);
        self.in_progress.1 = self.in_progress.1.max(now);
        loop {
            let is_flushing = syncer.flushing() > 0;
            if !is_flushing && batch.size >= self.enough(syncer.flush_time()) {
                return None;
            }
            let message = match self.messages.try_recv() {
                Ok(message) => message,
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => self.wait(batch, syncer, is_flushing)?,
            };
            if let Message::Job(job) = message {
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                return Some(job);
            }
        }
    }

    /// Waits while the queue is empty. During a flush that may take long: the batch's own flush could not begin sooner.
    fn wait(&mut self, batch: &mut Batch, syncer: &Syncer, is_flushing: bool) -> Option<Message> {
        let begun = Instant::now();
        let message = if is_flushing {
            self.messages.recv().ok()
        } else {
            let patience = PATIENCE.min(syncer.flush_time() / 2);
            let message = self.messages.recv_timeout(patience);
            if let Err(RecvTimeoutError::Timeout) = message {
                // There were more before than there are now.
                self.in_progress.0 = 0;
            }
            message.ok()
        };
        batch.waited += begun.elapsed();
        message
    }

    /// How many transactions are enough to close a batch.
    fn enough(&self, flush_time: Duration) -> usize {
        let all = self.in_progress.0.max(self.in_progress.1);
        let half = all.div_ceil(2);
        let run_longer = self.running_time * u32::try_from(half).unwrap_or(u32::MAX) >= flush_time;
        if run_longer { half } else { all }
    }

    /// Notes that a batch was committed.
    pub(super) fn note_commit(&mut self, batch: &Batch) {
        let ran = batch.begun.elapsed().saturating_sub(batch.waited);
        self.running_time = ran / u32::try_from(batch.size).unwrap_or(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc;

    use super::super::syncer::Log;
    use super::*;

    /// A log whose flushes end when the test says so.
    struct Controlled(Receiver<()>);

    impl Log for Controlled {
        fn flush(&mut self) -> io::Result<()> {
            self.0.recv().map_err(io::Error::other)
        }
    }

    struct Nothing;

    impl Job for Nothing {
        fn run(&mut self, _: Writing<'_>) -> bool {
            true
        }

        fn fail(&mut self, _: String) {}

        fn answer(self: Box<Self>, _: Committed) {}
    }

    fn job() -> Box<dyn Job> {
        Box::new(Nothing)
    }

    /// A queue with transactions, and a syncer whose last flush took at least two milliseconds.
    fn with_jobs(count: usize) -> (Arc<Entrance>, Queue, Syncer, mpsc::Sender<()>) {
        let (entrance, queue) = queue();
        let (end, ends) = mpsc::channel();
        let syncer = Syncer::start(Controlled(ends), Arc::downgrade(&entrance)).expect("a thread");
        syncer.acknowledge(vec![job()]);
        std::thread::sleep(Duration::from_millis(2));
        end.send(()).expect("it waits");
        while syncer.flushing() > 0 {
            std::thread::yield_now();
        }
        add(&entrance, count);
        (entrance, queue, syncer, end)
    }

    fn add(entrance: &Entrance, count: usize) {
        (0..count).for_each(|_| entrance.add(job()).expect("room"));
    }

    /// The size of the next batch.
    fn batch(queue: &mut Queue, syncer: &Syncer) -> usize {
        let (_, mut batch) = queue.first().expect("a transaction");
        while queue.next(&mut batch, syncer).is_some() {}
        queue.note_commit(&batch);
        batch.size
    }

    #[test]
    fn what_waits_is_committed_together_if_a_flush_takes_longer() {
        let (entrance, mut queue, syncer, _end) = with_jobs(5);
        assert_eq!(batch(&mut queue, &syncer), 5);
        add(&entrance, 1);
        assert_eq!(batch(&mut queue, &syncer), 1, "it waits a moment for the four others");
        assert_eq!(queue.enough(syncer.flush_time()), 1, "and no longer expects them");
    }

    #[test]
    fn half_is_committed_while_the_other_half_runs_longer_than_a_flush() {
        let (entrance, mut queue, syncer, end) = with_jobs(6);
        queue.running_time = Duration::from_secs(1);
        assert_eq!(batch(&mut queue, &syncer), 3);
        // The results of the first three have not been returned, so the others wait for the flush, and with them who comes meanwhile.
        syncer.acknowledge(vec![job()]);
        queue.running_time = Duration::from_secs(1);
        let later = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            add(&entrance, 1);
            while entrance.waiting.load(Ordering::Relaxed) > 0 {
                std::thread::yield_now();
            }
            end.send(()).expect("it waits");
        });
        assert_eq!(batch(&mut queue, &syncer), 4);
        later.join().expect("no panic");
    }

    #[test]
    fn a_queue_without_entrance_ends_when_nothing_waits() {
        let (entrance, mut queue, syncer, _end) = with_jobs(2);
        drop(entrance);
        assert_eq!(batch(&mut queue, &syncer), 2);
        assert!(queue.first().is_none());
        drop(syncer);
    }

    #[test]
    fn a_full_queue_refuses_more() {
        let (entrance, queue) = queue();
        add(&entrance, QUEUE);
        assert!(matches!(entrance.add(job()), Err(Error::Overloaded(_))));
        drop(queue);
        assert!(matches!(entrance.add(job()), Err(Error::Unavailable(_))));
    }
}
