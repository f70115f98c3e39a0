//! Work that needs a processor for long, such as hashing a password or reading a file that was sent. It runs on threads of its own, which get
//! what requests leave of the processors. If that is too little, the work is done again with a part of a processor that it is sure of.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinError, JoinHandle};

use crate::failure::Failure;

/// How long work may take before it is done again: much longer than a hash takes on an idle processor.
const PATIENCE: Duration = Duration::from_secs(1);
/// How nice the threads with a sure part are. Another thread of the server gets nine times as much of a processor that both want.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Hashes of passwords.
pub(crate) static HASHES: Background = Background::new();
/// Files that were sent.
pub(crate) static FILES: Background = Background::new();

/// The threads for one kind of work.
pub(crate) struct Background {
    /// They run while a processor has nothing else to do. A thread of a request takes the processor from them at once, and not after the few
    /// milliseconds that Linux lets other threads finish, however nice they are.
    idle: Threads,
    /// They always get a part of a processor.
    sure: Threads,
}

/// Only the threads for blocking work are used, which start when they are needed and end when they are not.
type Threads = LazyLock<io::Result<Runtime>>;

/// Work on a thread, or before it. It does not begin any more once this is dropped.
struct Begun<T>(JoinHandle<T>);

impl Background {
    const fn new() -> Self {
        Self { idle: LazyLock::new(|| threads(run_when_idle)), sure: LazyLock::new(|| threads(give_way)) }
    }

    /// How many pieces of work run at once on each of the two kinds of threads: on half of the processors, so that others are left to requests.
    pub(crate) fn at_once() -> usize {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get).div_ceil(2)
    }

    /// Does work, perhaps twice, and returns the result that is there first.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl Fn() -> T + Send + Sync + 'static,
    ) -> Result<T, Failure> {
        let work = Arc::new(work);
        let mut first = begin(&self.idle, &work)?;
        if let Ok(done) = tokio::time::timeout(PATIENCE, &mut first).await {
            return done.map_err(failed);
        }
        first.0.abort();
        match select(first, begin(&self.sure, &work)?).await {
            Either::Left((Ok(done), _)) => Ok(done),
            Either::Left((Err(_), second)) => second.await.map_err(failed),
            Either::Right((done, _)) => done.map_err(failed),
        }
    }
}

fn begin<T: Send + 'static>(
    threads: &Threads,
    work: &Arc<impl Fn() -> T + Send + Sync + 'static>,
) -> Result<Begun<T>, Failure> {
    let threads = threads.as_ref().map_err(|error| Failure::internal(error.to_string()))?;
    let work = work.clone();
    Ok(Begun(threads.spawn_blocking(move || work())))
}

fn failed(error: JoinError) -> Failure {
    Failure::internal(error.to_string())
}

impl<T> Future for Begun<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for Begun<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn threads(begin: fn()) -> io::Result<Runtime> {
    let mut threads = Builder::new_current_thread();
    threads.thread_name("background").on_thread_start(begin).max_blocking_threads(Background::at_once()).build()
}

/// Lets the current thread run while a processor has nothing else to do. Only Linux has such threads.
fn run_when_idle() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{
            NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
            thread_native_id, thread_schedule_policy,
        };
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        // It sets the niceness too, which fails in a process that was started with another one, and which makes no difference to such threads.
        let set = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle);
        if thread_schedule_policy() != Ok(idle) {
            tracing::warn!(?set, "a background thread has the priority of the others");
        }
    }
}

/// Lowers the priority of the current thread. Only Linux has priorities of threads.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::warn!(%error, "a background thread has the priority of the others");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::sync::{Mutex, PoisonError};

    use super::*;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn threads_give_way_as_they_should() {
        use thread_priority::{NormalThreadSchedulePolicy, ThreadSchedulePolicy, thread_schedule_policy};

        static BACKGROUND: Background = Background::new();
        let of = async |threads: &Threads| {
            let work = || (thread_schedule_policy().expect("a policy"), rustix::process::nice(0).expect("a priority"));
            begin(threads, &Arc::new(work)).expect("threads").await.expect("it runs")
        };
        let (idle, usual) = (
            ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle),
            rustix::process::nice(0).expect("a priority"),
        );
        assert_eq!(of(&BACKGROUND.idle).await.0, idle);
        let (policy, niceness) = of(&BACKGROUND.sure).await;
        assert_ne!(policy, idle);
        assert_eq!(niceness, (usual + NICENESS).min(19));
        assert_eq!(rustix::process::nice(0).expect("a priority"), usual);
    }

    /// Work whose first `slow` runs end only when the test says so. It returns the number of its run.
    fn work(slow: usize) -> (impl Fn() -> usize + Send + Sync + 'static, mpsc::Sender<()>, Arc<AtomicUsize>) {
        let ((end, ends), runs) = (mpsc::channel::<()>(), Arc::<AtomicUsize>::default());
        let (ends, counted) = (Mutex::new(ends), runs.clone());
        let work = move || {
            let run = counted.fetch_add(1, Ordering::SeqCst) + 1;
            if run <= slow {
                let _ = ends.lock().unwrap_or_else(PoisonError::into_inner).recv();
            }
            run
        };
        (work, end, runs)
    }

    #[tokio::test]
    async fn work_that_takes_long_is_done_again() {
        static BACKGROUND: Background = Background::new();
        let (slow, end, runs) = work(1);
        assert_eq!(BACKGROUND.run(slow).await.expect("it is done"), 2);
        assert_eq!(runs.load(Ordering::SeqCst), 2);
        drop(end);
    }

    #[tokio::test]
    async fn work_that_waits_for_long_is_done_on_the_other_threads_only() {
        static BACKGROUND: Background = Background::new();
        let (end, running) = busy(&BACKGROUND);
        let (quick, _, runs) = work(0);
        assert_eq!(BACKGROUND.run(quick).await.expect("it is done"), 1);
        drop(end);
        for run in running {
            run.await.expect("it ends");
        }
        let (next, ..) = work(0);
        assert_eq!(BACKGROUND.run(next).await.expect("it is done"), 1);
        assert_eq!(runs.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_does_not_begin() {
        static BACKGROUND: Background = Background::new();
        let (end, running) = busy(&BACKGROUND);
        let (quick, _, runs) = work(0);
        let waiting = tokio::time::timeout(Duration::from_millis(50), BACKGROUND.run(quick)).await;
        assert!(waiting.is_err(), "the threads are busy");
        drop(end);
        for run in running {
            run.await.expect("it ends");
        }
        let (next, ..) = work(0);
        assert_eq!(BACKGROUND.run(next).await.expect("it is done"), 1);
        assert_eq!(runs.load(Ordering::SeqCst), 0);
    }

    /// Lets all idle threads work until the first result is dropped.
    fn busy(background: &Background) -> (mpsc::Sender<()>, Vec<Begun<usize>>) {
        let (slow, end, _) = work(usize::MAX);
        let slow = Arc::new(slow);
        let begin = |_| begin(&background.idle, &slow).expect("threads");
        (end, (0..Background::at_once()).map(begin).collect())
    }
}
