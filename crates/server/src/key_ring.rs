//! The key ring: the server's secrets, each with an id and a purpose.
//!
//! The newest secret of a purpose signs; all of them verify, so that secrets can be rotated with an overlap. The ring is a file of mode
//! 0600 in the data folder, or is passed in the environment if several nodes share it. Without it, all API keys, sessions and cursors are
//! lost, and children's data cannot be opened; so a store remembers its ring: see `key_ring/fingerprints.rs`.

mod fingerprints;

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use fieldhouse_store::Sealer;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::clock::Clock;
use crate::private_file;

/// What a secret is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// HMAC of API keys.
    ApiKeyPepper,
    /// HMAC of cursors.
    Cursor,
    /// HMAC of refresh tokens and guests' tokens.
    Token,
    /// Ed25519 seeds that sign access tokens.
    AccessToken,
    /// HMAC of operators' tokens.
    Operator,
    /// AES-256 keys that wrap the keys of children's data.
    ChildKey,
}

impl Purpose {
    /// Its name in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ApiKeyPepper => "api_key_pepper",
            Self::Cursor => "cursor",
            Self::Token => "token",
            Self::AccessToken => "access_token",
            Self::Operator => "operator",
            Self::ChildKey => "child_key",
        }
    }
}

const PURPOSES: [Purpose; 6] = [
    Purpose::ApiKeyPepper,
    Purpose::Cursor,
    Purpose::Token,
    Purpose::AccessToken,
    Purpose::Operator,
    Purpose::ChildKey,
];

/// An error of a key ring.
#[derive(Debug, thiserror::Error)]
pub enum KeyRingError {
    /// The file cannot be read or written.
    #[error("the key ring {path} cannot be read or written")]
    File {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The content is not a valid key ring.
    #[error("the key ring is invalid: {0}")]
    Unreadable(String),
    /// Other users can read the file.
    #[error("other users can read the key ring {0}: run chmod 600 on it")]
    OpenToOthers(PathBuf),
    /// The store was used with a key ring, and the data folder has none.
    #[error("the key ring {0} is missing, and this database was created with one")]
    Missing(PathBuf),
    /// The store was used with other secrets for this purpose.
    #[error(
        "this key ring is not the one that the database was created with: its secrets for {} are different",
        .0.name()
    )]
    Other(Purpose),
    /// The store was also used with secrets that this ring lacks.
    #[error("this key ring lacks {missing} of the {stored} secrets for {} that the database was used with", .purpose.name())]
    Incomplete {
        /// The purpose.
        purpose: Purpose,
        /// How many secrets it lacks.
        missing: usize,
        /// How many the database was used with.
        stored: usize,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] fieldhouse_store::Error),
}

/// The server's secrets.
pub struct KeyRing {
    secrets: Vec<Secret>,
}

struct Secret {
    id: String,
    purpose: Purpose,
    bytes: Zeroizing<[u8; 32]>,
    /// HMAC-SHA-256 that has read the secret already, which is half of the work.
    hmac: Hmac<Sha256>,
}

impl Secret {
    fn new(id: String, purpose: Purpose, bytes: [u8; 32]) -> Self {
        // HMAC fills a short key with zeros.
        let mut block = Zeroizing::new([0; 64]);
        block[..32].copy_from_slice(&bytes);
        Self { id, purpose, bytes: Zeroizing::new(bytes), hmac: Hmac::new((&*block).into()) }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    secrets: Vec<WrittenSecret>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSecret {
    id: String,
    purpose: Purpose,
    secret: String,
}

impl Drop for WrittenSecret {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.secret);
    }
}

impl KeyRing {
    /// The file's name in a data folder.
    pub const FILE: &str = "key-ring.json";

    /// Opens the key ring of a data folder. Creates it or adds missing secrets if necessary.
    pub fn open(folder: &Path, clock: &Clock) -> Result<Self, KeyRingError> {
        let path = folder.join(Self::FILE);
        let mut ring = Self::read(&path)?.unwrap_or(Self { secrets: Vec::new() });
        if ring.complete(clock) {
            ring.write_file(&path)?;
        }
        Ok(ring)
    }

    /// Reads the key ring of a data folder that a server uses.
    pub fn existing(folder: &Path) -> Result<Self, KeyRingError> {
        Self::existing_file(&folder.join(Self::FILE))
    }

    fn existing_file(path: &Path) -> Result<Self, KeyRingError> {
        Self::read(path)?.ok_or_else(|| KeyRingError::Missing(path.to_owned()))
    }

    /// Reads a key ring, if there is one.
    fn read(path: &Path) -> Result<Option<Self>, KeyRingError> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let text = Zeroizing::new(text);
                refuse_open_file(path)?;
                Self::parse(&text).map(Some)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(KeyRingError::File { path: path.to_owned(), source }),
        }
    }

    fn write_file(&self, path: &Path) -> Result<(), KeyRingError> {
        private_file::write(path, self.write()?.as_bytes())
            .map_err(|source| KeyRingError::File { path: path.to_owned(), source })
    }

    /// Parses a key ring from the environment or a mounted file. It must contain a secret for each purpose.
    pub fn from_text(text: &str) -> Result<Self, KeyRingError> {
        let ring = Self::parse(text)?;
        match PURPOSES.iter().find(|purpose| ring.all(**purpose).next().is_none()) {
            Some(purpose) => {
                Err(KeyRingError::Unreadable(format!("it contains no secret for {}", purpose.name())))
            }
            None => Ok(ring),
        }
    }

    /// Adds a new secret for a purpose. It signs from now on; the earlier ones still verify.
    pub fn rotate(&mut self, purpose: Purpose, clock: &Clock) {
        let id: String = clock.random::<8>().iter().fold(String::new(), |id, byte| format!("{id}{byte:02x}"));
        self.secrets.insert(0, Secret::new(id, purpose, clock.random()));
    }

    /// Rotates a secret in the file of a key ring. Does not create a key ring.
    pub fn rotate_file(path: &Path, purpose: Purpose, clock: &Clock) -> Result<(), KeyRingError> {
        let mut ring = Self::existing_file(path)?;
        ring.rotate(purpose, clock);
        ring.write_file(path)
    }

    fn complete(&mut self, clock: &Clock) -> bool {
        let missing: Vec<_> =
            PURPOSES.into_iter().filter(|purpose| self.all(*purpose).next().is_none()).collect();
        for purpose in &missing {
            self.rotate(*purpose, clock);
        }
        !missing.is_empty()
    }

    fn parse(text: &str) -> Result<Self, KeyRingError> {
        let unreadable = |reason: String| KeyRingError::Unreadable(reason);
        // A message of serde might quote a secret.
        let written: Written = serde_json::from_str(text).map_err(|error| {
            unreadable(format!("line {}, column {} is invalid", error.line(), error.column()))
        })?;
        let secrets = written.secrets.iter().map(|secret| {
            let bytes = Zeroizing::new(STANDARD_NO_PAD.decode(secret.secret.as_bytes()).unwrap_or_default());
            let bytes = <[u8; 32]>::try_from(bytes.as_slice())
                .map_err(|_| unreadable(format!("the secret {} is not 32 bytes of base64", secret.id)))?;
            Ok(Secret::new(secret.id.clone(), secret.purpose, bytes))
        });
        Ok(Self { secrets: secrets.collect::<Result<_, KeyRingError>>()? })
    }

    fn write(&self) -> Result<Zeroizing<String>, KeyRingError> {
        let secrets = self.secrets.iter().map(|secret| WrittenSecret {
            id: secret.id.clone(),
            purpose: secret.purpose,
            secret: STANDARD_NO_PAD.encode(secret.bytes.as_slice()),
        });
        let written = Written { secrets: secrets.collect() };
        let text = serde_json::to_string_pretty(&written);
        text.map(Zeroizing::new).map_err(|error| KeyRingError::Unreadable(error.to_string()))
    }

    /// All secrets of a purpose with their ids, the newest first.
    pub fn all(&self, purpose: Purpose) -> impl Iterator<Item = (&str, &[u8; 32])> {
        self.of(purpose).map(|secret| (secret.id.as_str(), &*secret.bytes))
    }

    fn of(&self, purpose: Purpose) -> impl Iterator<Item = &Secret> {
        self.secrets.iter().filter(move |secret| secret.purpose == purpose)
    }

    /// What seals and opens children's data in a store.
    pub fn sealer(&self) -> Sealer {
        Sealer::new(self.all(Purpose::ChildKey).map(|(_, secret)| secret))
    }

    /// HMAC-SHA-256 under each secret of a purpose with its id, the newest first.
    pub fn macs(&self, purpose: Purpose, message: &[u8]) -> impl Iterator<Item = (&str, [u8; 32])> {
        self.of(purpose).map(move |secret| {
            let mac = secret.hmac.clone().chain_update(message);
            (secret.id.as_str(), mac.finalize().into_bytes().into())
        })
    }

    /// HMAC-SHA-256 under the newest secret of a purpose.
    pub fn mac(&self, purpose: Purpose, message: &[u8]) -> [u8; 32] {
        // Opening a ring completes it, so that there is always a secret.
        self.macs(purpose, message).next().map_or([0; 32], |(_, mac)| mac)
    }
}

#[cfg(unix)]
fn refuse_open_file(path: &Path) -> Result<(), KeyRingError> {
    use std::os::unix::fs::PermissionsExt;
    let file_error = |source| KeyRingError::File { path: path.to_owned(), source };
    let mode = std::fs::metadata(path).map_err(file_error)?.permissions().mode();
    if mode.trailing_zeros() >= 6 { Ok(()) } else { Err(KeyRingError::OpenToOthers(path.to_owned())) }
}

#[cfg(not(unix))]
fn refuse_open_file(_: &Path) -> Result<(), KeyRingError> {
    Ok(())
}
