//! What the command line keeps between runs: for each server the credential, and a guest's token.
//!
//! One JSON file in the user's configuration folder, which only they can read, always replaced as a whole. A process that changes it holds
//! the lock file beside it; one that renews a session holds it until the new tokens are written, so that no refresh token is used twice.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use fieldhouse_client::{SessionStore, SessionTokens, Turn};
use fieldhouse_server::private_file;
use jiff::Timestamp;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};

/// The environment variable with an API key, which wins over what is kept.
pub(crate) const API_KEY_VARIABLE: &str = "FIELDHOUSE_API_KEY";

/// The API key of the environment.
pub(crate) fn key_of_environment() -> Option<String> {
    std::env::var(API_KEY_VARIABLE).ok().filter(|key| !key.is_empty())
}

/// Everything that is kept. It holds secrets, so it is not `Debug`.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The server that was last signed in to.
    pub(crate) current: Option<String>,
    /// By base URL.
    #[serde(default)]
    pub(crate) servers: BTreeMap<String, Server>,
}

/// What is kept for one server.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Server {
    /// How the user is signed in.
    pub(crate) credential: Option<Credential>,
    /// The token under which they save programs without signing in.
    pub(crate) guest_token: Option<String>,
}

/// How the user is signed in.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Credential {
    /// With e-mail and password.
    Session {
        /// The session, by which a newer sign-in is told apart.
        session_id: String,
        /// Good for some minutes.
        access_token: String,
        /// Good once.
        refresh_token: String,
        /// When the session ends; unknown where an older program signed in.
        #[serde(default)]
        session_expires_at: Option<Timestamp>,
    },
    /// With a key.
    ApiKey {
        /// The key.
        key: String,
    },
}

/// Where it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store in the user's configuration folder.
    pub(crate) fn of_user() -> anyhow::Result<Self> {
        folder(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
            .map(|folder| Self { folder })
            .context("no folder for credentials: set HOME or XDG_CONFIG_HOME")
    }

    /// What is kept now.
    pub(crate) fn read(&self) -> io::Result<Kept> {
        let text = match fs::read_to_string(self.file()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::default()),
            text => text.map_err(|error| self.explain(&error))?,
        };
        serde_json::from_str(&text).map_err(|error| {
            let damaged = format!("{} is damaged on line {}", self.file().display(), error.line());
            io::Error::new(io::ErrorKind::InvalidData, damaged)
        })
    }

    /// Removes the file if it is damaged, and says what was wrong with it.
    pub(crate) fn remove_if_damaged(&self) -> io::Result<Option<String>> {
        let _lock = self.lock()?;
        match self.read() {
            Err(damage) if damage.kind() == io::ErrorKind::InvalidData => {
                fs::remove_file(self.file())?;
                Ok(Some(damage.to_string()))
            }
            _ => Ok(None),
        }
    }

    /// Changes what is kept, while no other process does.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Kept)) -> io::Result<()> {
        let lock = self.lock()?;
        let mut kept = self.read()?;
        change(&mut kept);
        self.write(&kept)?;
        drop(lock);
        Ok(())
    }

    fn file(&self) -> PathBuf {
        self.folder.join("credentials.json")
    }

    fn explain(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.file().display()))
    }

    /// Waits until no other process holds the lock; dropping the file lets it go.
    fn lock(&self) -> io::Result<File> {
        make_private_folder(&self.folder).map_err(|error| self.explain(&error))?;
        let lock = File::options().create(true).append(true).open(self.folder.join("credentials.lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    fn write(&self, kept: &Kept) -> io::Result<()> {
        private_file::write(&self.file(), &serde_json::to_vec_pretty(kept)?)
    }
}

#[cfg(unix)]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// The configuration folder (XDG Base Directory Specification, or the system's own convention).
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let parent = absolute("XDG_CONFIG_HOME").or_else(|| {
        if cfg!(windows) {
            absolute("APPDATA")
        } else {
            let below = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
            absolute("HOME").map(|home| home.join(below))
        }
    })?;
    Some(parent.join("fieldhouse"))
}

/// A session that is kept, for the client to renew.
pub(crate) struct KeptSession {
    /// Where.
    pub(crate) store: Store,
    /// For which server.
    pub(crate) base_url: String,
    /// Which session.
    pub(crate) session_id: String,
}

impl SessionStore for KeptSession {
    fn turn(&self) -> io::Result<Box<dyn Turn>> {
        let lock = self.store.lock()?;
        let kept = self.store.read()?;
        let session = Self {
            store: self.store.clone(),
            base_url: self.base_url.clone(),
            session_id: self.session_id.clone(),
        };
        Ok(Box::new(KeptTurn { session, kept, _lock: lock }))
    }
}

struct KeptTurn {
    session: KeptSession,
    kept: Kept,
    _lock: File,
}

impl KeptTurn {
    /// The tokens' place, if this session is still the stored one: the user may have signed in again, or signed out.
    fn place(&mut self) -> Option<&mut Credential> {
        let credential = self.kept.servers.get_mut(&self.session.base_url)?.credential.as_mut()?;
        let Credential::Session { session_id, .. } = credential else { return None };
        (*session_id == self.session.session_id).then_some(credential)
    }
}

impl Turn for KeptTurn {
    fn tokens(&mut self) -> Option<SessionTokens> {
        match self.place()? {
            Credential::Session { access_token, refresh_token, .. } => {
                Some(SessionTokens::new(access_token.clone(), refresh_token.clone()))
            }
            Credential::ApiKey { .. } => None,
        }
    }

    fn keep(&mut self, tokens: &SessionTokens) -> io::Result<()> {
        if let Some(Credential::Session { access_token, refresh_token, .. }) = self.place() {
            tokens.access_token().expose_secret().clone_into(access_token);
            tokens.refresh_token().expose_secret().clone_into(refresh_token);
            self.session.store.write(&self.kept)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let home = tempfile::tempdir().expect("a folder");
        let store = Store { folder: home.path().join("a/fieldhouse") };
        (home, store)
    }

    fn sign_in(store: &Store, session: &str) {
        let credential = Credential::Session {
            session_id: session.to_owned(),
            access_token: "access-1".to_owned(),
            refresh_token: "refresh-1".to_owned(),
            session_expires_at: None,
        };
        let server = Server { credential: Some(credential), guest_token: None };
        let insert = |kept: &mut Kept| drop(kept.servers.insert("http://a.test".to_owned(), server));
        store.update(insert).expect("an update");
    }

    fn turn(store: &Store, session: &str) -> Box<dyn Turn> {
        let (store, base_url) = (store.clone(), "http://a.test".to_owned());
        KeptSession { store, base_url, session_id: session.to_owned() }.turn().expect("a turn")
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_may_look() {
        use std::os::unix::fs::PermissionsExt;
        let (_home, store) = store();
        sign_in(&store, "one");
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        assert_eq!((mode(&store.file()), mode(&store.folder)), (0o600, 0o700));
    }

    #[test]
    fn renewed_tokens_are_stored_unless_the_user_signed_in_again() {
        let (_home, store) = store();
        sign_in(&store, "one");
        turn(&store, "one").keep(&SessionTokens::new("access-2", "refresh-2")).expect("kept");
        let tokens = turn(&store, "one").tokens().expect("tokens");
        assert_eq!(tokens.refresh_token().expose_secret(), "refresh-2");

        sign_in(&store, "two");
        assert!(turn(&store, "one").tokens().is_none());
        turn(&store, "one").keep(&SessionTokens::new("access-3", "refresh-3")).expect("left alone");
        assert_eq!(turn(&store, "two").tokens().expect("tokens").access_token().expose_secret(), "access-1");
    }

    #[test]
    fn a_turn_is_one_processs_at_a_time() {
        let (_home, store) = store();
        sign_in(&store, "one");
        let turn = turn(&store, "one");
        let other =
            File::options().append(true).open(store.folder.join("credentials.lock")).expect("the lock");
        assert!(other.try_lock().is_err());
        drop(turn);
        assert!(other.try_lock().is_ok());
    }

    #[test]
    fn the_folder_is_where_the_system_keeps_such_things() {
        let set =
            |name: &'static str, value: &'static str| move |it: &str| (it == name).then(|| value.into());
        assert_eq!(folder(set("XDG_CONFIG_HOME", "/x")), Some("/x/fieldhouse".into()));
        assert_eq!(folder(set("XDG_CONFIG_HOME", "relative")), None);
        #[cfg(target_os = "linux")]
        assert_eq!(folder(set("HOME", "/h")), Some("/h/.config/fieldhouse".into()));
    }
}
