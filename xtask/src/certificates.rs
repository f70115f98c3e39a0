//! A certificate authority for one test run, and the server's certificate signed by it.
//!
//! The server's certificate is not self-signed, because rustls does not accept an authority's certificate as a server's. It reads names
//! from `subjectAltName` only.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};

use crate::account::Account;
use crate::process;

pub(crate) const AUTHORITY: &str = "ca.pem";
pub(crate) const SERVER: &str = "server.pem";
pub(crate) const SERVER_KEY: &str = "server.key";

const CONFIGURATION: &str = "\
[req]
prompt = no
distinguished_name = name
[name]
CN = localhost
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
";

/// The calls of `openssl`, compatible with OpenSSL 1.1, OpenSSL 3 and the one of macOS.
const CALLS: [&str; 3] = [
    "req -config openssl.cnf -new -sha256 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem \
     -x509 -extensions authority -subj /CN=fieldhouse-tests -days 30",
    "req -config openssl.cnf -new -sha256 -newkey rsa:2048 -nodes -keyout server.key -out server.csr",
    "x509 -req -in server.csr -sha256 -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem \
     -extfile openssl.cnf -extensions server -days 30",
];

/// Writes [`AUTHORITY`], [`SERVER`] and [`SERVER_KEY`] into `folder`.
pub(crate) fn write(account: &Account, folder: &Path) -> Result<()> {
    fs::write(folder.join("openssl.cnf"), CONFIGURATION)?;
    for call in CALLS {
        openssl(account, folder, call)?;
    }
    // PostgreSQL refuses a key that others can read.
    fs::set_permissions(folder.join(SERVER_KEY), Permissions::from_mode(0o600))?;
    Ok(())
}

/// A random password.
pub(crate) fn password(account: &Account, folder: &Path) -> Result<String> {
    openssl(account, folder, "rand -hex 16")
}

fn openssl(account: &Account, folder: &Path, call: &str) -> Result<String> {
    process::output(account.command("openssl", folder).args(call.split(' ')))
        .context("`openssl` is needed for the server's certificate: install the package openssl")
}
