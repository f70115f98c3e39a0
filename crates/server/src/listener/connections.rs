//! Limits on open connections, in total and by address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::auth::limits::network;

/// How often refused connections are logged while connections are refused.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// The open connections.
pub(super) struct Connections {
    max: u32,
    /// 0 for no limit.
    max_per_address: u32,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    all: u32,
    by_address: HashMap<IpAddr, u32>,
}

/// Counts a connection as open until it is dropped.
pub(super) struct OpenConnection {
    connections: Arc<Connections>,
    address: IpAddr,
}

impl Connections {
    pub(super) fn new(max: u32, max_per_address: u32) -> Arc<Self> {
        Arc::new(Self { max, max_per_address, open: Mutex::default() })
    }

    /// Counts a new connection. The error is the option whose limit is reached.
    pub(super) fn open(self: &Arc<Self>, address: IpAddr) -> Result<OpenConnection, &'static str> {
        let address = network(address.to_canonical());
        let mut open = self.lock();
        if open.all >= self.max {
            return Err("--connections");
        }
        let of_address = open.by_address.entry(address).or_default();
        if self.max_per_address != 0 && *of_address >= self.max_per_address {
            return Err("--connections-per-address");
        }
        *of_address += 1;
        open.all += 1;
        Ok(OpenConnection { connections: self.clone(), address })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        open.all -= 1;
        if let Some(of_address) = open.by_address.get_mut(&self.address) {
            *of_address -= 1;
            if *of_address == 0 {
                open.by_address.remove(&self.address);
            }
        }
    }
}

/// Logs refused connections: the first one at once, then their number from time to time, so that a flood does not fill the log.
#[derive(Default)]
pub(super) struct RefusalLog {
    refused: u64,
    logged: Option<Instant>,
}

impl RefusalLog {
    pub(super) fn refused(&mut self, limit: &'static str) {
        self.refused += 1;
        if self.logged.is_none_or(|logged| logged.elapsed() >= LOG_EVERY) {
            tracing::warn!(
                limit,
                refused = self.refused,
                "connections were closed because a limit is reached"
            );
            *self = Self { refused: 0, logged: Some(Instant::now()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn one_address_cannot_use_all_connections() {
        let connections = Connections::new(4, 2);
        let first = connections.open(address("192.0.2.1")).expect("the first");
        let _second = connections.open(address("::ffff:192.0.2.1")).expect("the same address, mapped");
        assert_eq!(connections.open(address("192.0.2.1")).err(), Some("--connections-per-address"));
        let _others =
            ["192.0.2.2", "2001:db8::1"].map(|other| connections.open(address(other)).expect(other));
        assert_eq!(connections.open(address("192.0.2.3")).err(), Some("--connections"));
        drop(first);
        assert!(connections.open(address("192.0.2.1")).is_ok(), "a closed connection makes room");
    }

    #[test]
    fn an_ipv6_network_counts_as_one_address() {
        let connections = Connections::new(10, 1);
        let _open = connections.open(address("2001:db8:1:2::1")).expect("the first");
        assert!(connections.open(address("2001:db8:1:2:ffff::9")).is_err());
        assert!(connections.open(address("2001:db8:1:3::1")).is_ok());
    }

    #[test]
    fn closed_connections_are_no_longer_counted() {
        let connections = Connections::new(10, 0);
        let open: Vec<_> = (0..10).map(|_| connections.open(address("192.0.2.1")).ok()).collect();
        assert!(open.iter().all(Option::is_some), "0 is no limit for an address");
        assert!(connections.open(address("192.0.2.2")).is_err());
        drop(open);
        let open = connections.lock();
        assert_eq!((open.all, open.by_address.len()), (0, 0));
    }
}
