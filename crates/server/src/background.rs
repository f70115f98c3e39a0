//! Work that needs a processor for long, such as hashing a password or reading a file that was sent: on threads of its own, which the
//! system runs after those that serve requests.

use std::io;
use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;

/// How nice the threads are. One of the server's other threads gets nine times as much of a processor that both want.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Only its threads for blocking work are used, which start when they are needed and end when they are not.
static THREADS: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_current_thread().thread_name("background").on_thread_start(give_way).build()
});

/// Lowers the priority of the current thread. Only Linux has priorities of threads.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::warn!(%error, "a background thread has the priority of the others");
    }
}

/// Runs work, and returns what it returns.
pub(crate) async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let threads = THREADS.as_ref().map_err(|error| Failure::internal(error.to_string()))?;
    threads.spawn_blocking(work).await.map_err(|error| Failure::internal(error.to_string()))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_threads_of_the_background_give_way() {
        let niceness = || rustix::process::nice(0).expect("a priority");
        let usual = niceness();
        assert_eq!(run(niceness).await.expect("a thread"), (usual + NICENESS).min(19));
        assert_eq!(niceness(), usual);
    }
}
