//! The limit of open files: every connection takes one, and the usual limit of a shell is 1,024.

/// The number of files reserved for the rest of the server: databases, logs, pipes.
const OTHERS: u32 = 256;

/// Raises the limit of this process as far as the system allows, and returns how many connections it is enough for. A server without free
/// files cannot open its database either.
pub(crate) fn room_for(connections: u32) -> u32 {
    let files = raise(u64::from(connections) + u64::from(OTHERS));
    let room = within(connections, files);
    if room < connections {
        tracing::info!(
            connections = room,
            "fewer connections are possible than --connections allows: raise the limit of open files (ulimit -n)"
        );
    }
    room
}

/// The number of connections within a limit of open files; `None` for no limit.
fn within(connections: u32, files: Option<u64>) -> u32 {
    let Some(files) = files else { return connections };
    let room = u32::try_from(files).unwrap_or(u32::MAX).saturating_sub(OTHERS);
    connections.min(room.max(1))
}

/// Raises the limit if it is lower and the system allows it. Returns the new limit.
#[cfg(unix)]
fn raise(files: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some_and(|current| current < files) {
        let current = maximum.map_or(files, |maximum| maximum.min(files));
        // If this fails, the limit is unchanged; it is read below.
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
    fn files_are_reserved_for_the_rest() {
        assert_eq!(within(20_000, None), 20_000);
        assert_eq!(within(20_000, Some(1_048_576)), 20_000);
        assert_eq!(within(20_000, Some(20_000)), 19_744);
        assert_eq!(within(20_000, Some(1_024)), 768);
        assert_eq!(within(20_000, Some(100)), 1, "at least one connection");
        assert_eq!(within(100, Some(1_024)), 100);
    }

    #[cfg(unix)]
    #[test]
    fn the_limit_is_raised_and_never_lowered() {
        let before = raise(0);
        assert!(before.is_none_or(|before| before > 0));
        assert_eq!(raise(1), before, "a sufficient limit is not changed");
    }
}
