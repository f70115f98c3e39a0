//! The threads that run requests and commands.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::{Builder, Runtime};

/// Whether a thread without work lets others run before it sleeps.
static YIELD: AtomicBool = AtomicBool::new(false);

/// Starts them.
pub(crate) fn start() -> io::Result<Runtime> {
    Builder::new_multi_thread().enable_all().on_thread_park(before_sleep).build()
}

/// From now on, a thread without work lets others run before it sleeps. If what they do is work for it, it finds that without being woken up.
/// PostgreSQL's processes are no such others: beside them, Linux lets the thread wait for tens of milliseconds.
pub(crate) fn yield_before_sleep() {
    YIELD.store(true, Ordering::Relaxed);
}

fn before_sleep() {
    // While SQLite's writer works, the thread may have to wait for that one's processor, and results would wait for it.
    if YIELD.load(Ordering::Relaxed) && !fieldhouse_store::is_writing() {
        std::thread::yield_now();
    }
}
