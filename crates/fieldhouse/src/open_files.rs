//! The limit of open files: every connection takes one, and a shell's usual limit is 1,024.

/// How many files are left to the rest of the server: databases, logs, pipes.
const OTHERS: u32 = 256;

/// Raises this process's limit as far as the system allows, and returns for how many of the wanted connections that is enough. A server
/// that runs out of files can open no database either.
pub(crate) fn room_for(connections: u32) -> u32 {
    let files = raise(u64::from(connections) + u64::from(OTHERS));
    let room = within(connections, files);
    if room < connections {
        tracing::info!(
            connections = room,
            "fewer connections are served than --connections allows: raise the limit of open files (ulimit -n)"
        );
    }
    room
}

/// How many connections fit a limit of open files; none for no limit.
fn within(connections: u32, files: Option<u64>) -> u32 {
    let Some(files) = files else { return connections };
    let room = u32::try_from(files).unwrap_or(u32::MAX).saturating_sub(OTHERS);
    connections.min(room.max(1))
}

/// Raises the limit to so many files, where it is lower and the system allows it, and returns what it is then.
#[cfg(unix)]
fn raise(files: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < files) {
        let current = maximum.map_or(files, |maximum| maximum.min(files));
        // Refused, it stays as it is, which is read below.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(current), maximum });
    }
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn raise(_: u64) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_to_the_rest() {
        assert_eq!(within(20_000, None), 20_000);
        assert_eq!(within(20_000, Some(1_048_576)), 20_000);
        assert_eq!(within(20_000, Some(20_000)), 19_744);
        assert_eq!(within(20_000, Some(1_024)), 768);
        assert_eq!(within(20_000, Some(100)), 1, "a server that can serve no one is of no use");
        assert_eq!(within(100, Some(1_024)), 100);
    }

    #[cfg(unix)]
    #[test]
    fn the_limit_is_raised_and_never_lowered() {
        let before = raise(0);
        assert!(before.is_none_or(|before| before > 0));
        assert_eq!(raise(1), before, "a limit that is enough stays");
    }
}
