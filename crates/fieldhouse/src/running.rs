//! Where the server that holds a data folder can be reached from this machine: a file in the folder, while the server runs. After a crash
//! the file stays, but the folder's lock does not, so that the lock alone says whether a server runs.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use fieldhouse_server::private_file;
use serde::{Deserialize, Serialize};

/// The name of the file.
const FILE: &str = "server.json";

/// A running server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Running {
    /// Its address on this machine.
    pub(crate) address: SocketAddr,
    /// The id of its process, for which operators' tokens are signed.
    pub(crate) process: String,
    /// Its process id in the operating system.
    pub(crate) pid: u32,
}

impl Running {
    /// The server that is or was running, if there is a readable file.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(folder.join(FILE)).ok()?).ok()
    }

    /// Writes the file. It is removed when the result is dropped.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<Written> {
        let path = folder.join(FILE);
        private_file::write(&path, &serde_json::to_vec(self)?)?;
        Ok(Written(path))
    }
}

/// Removes the file of a server that was killed. The folder is locked by this process.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_file(folder.join(FILE)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The file of this process.
pub(crate) struct Written(PathBuf);

impl Drop for Written {
    fn drop(&mut self) {
        // A file that stays behind is harmless: the folder's lock is released with this process.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The address at which this machine reaches a listener. `None` if it cannot over the loopback interface.
pub(crate) fn local(listening: SocketAddr) -> Option<SocketAddr> {
    let ip = match listening.ip() {
        ip if ip.is_loopback() => ip,
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        _ => return None,
    };
    Some(SocketAddr::new(ip, listening.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_is_reached_over_the_loopback_interface() {
        let reached = |text: &str| local(text.parse().expect("an address")).map(|it| it.to_string());
        assert_eq!(reached("127.0.0.1:80").as_deref(), Some("127.0.0.1:80"));
        assert_eq!(reached("0.0.0.0:80").as_deref(), Some("127.0.0.1:80"));
        assert_eq!(reached("[::]:80").as_deref(), Some("[::1]:80"));
        assert_eq!(reached("192.0.2.1:80"), None);
    }

    #[test]
    fn the_file_exists_while_the_server_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let address = "127.0.0.1:8080".parse().expect("an address");
        let running = Running { address, process: "one".to_owned(), pid: 7 };
        assert_eq!(Running::read(folder.path()), None);
        let written = running.write(folder.path()).expect("a file");
        assert_eq!(Running::read(folder.path()), Some(running));
        drop(written);
        assert_eq!(Running::read(folder.path()), None);
        remove(folder.path()).expect("no file is no error");
    }
}
