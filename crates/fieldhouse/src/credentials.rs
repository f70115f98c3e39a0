//! Where the command-line tool stores its contexts and credentials between runs.
//!
//! One JSON file in the user's configuration folder, readable only by the user and always replaced as a whole. A process that changes it
//! holds a lock file; a process that renews a session holds it until the new tokens are stored, so that no refresh token is used twice.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use fieldhouse_client::{SessionLock, SessionStore, SessionTokens};
use fieldhouse_server::private_file;
use secrecy::ExposeSecret;

use crate::contexts::{Contexts, Credential};
use crate::terminal::variable;

/// The environment variable with an API key, which takes precedence over the stored credential.
pub(crate) const API_KEY_VARIABLE: &str = "FIELDHOUSE_API_KEY";

/// The API key of the environment.
pub(crate) fn key_of_environment() -> Option<String> {
    variable(API_KEY_VARIABLE)
}

/// Where the file is.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// The file in the user's configuration folder.
    pub(crate) fn of_user() -> anyhow::Result<Self> {
        folder(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
            .map(|folder| Self { folder })
            .context("no folder for credentials: set HOME or XDG_CONFIG_HOME")
    }

    /// The stored data.
    pub(crate) fn read(&self) -> io::Result<Contexts> {
        let text = match fs::read_to_string(self.file()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Contexts::default()),
            text => text.map_err(|error| self.explain(&error))?,
        };
        serde_json::from_str(&text).map_err(|error| {
            let damaged = format!("{} is damaged on line {}", self.file().display(), error.line());
            io::Error::new(io::ErrorKind::InvalidData, damaged)
        })
    }

    /// Removes the file if it is damaged, and returns what was wrong.
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

    /// Changes the stored data under the lock.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Contexts)) -> io::Result<()> {
        let lock = self.lock()?;
        let mut stored = self.read()?;
        change(&mut stored);
        self.write(&stored)?;
        drop(lock);
        Ok(())
    }

    fn file(&self) -> PathBuf {
        self.folder.join("credentials.json")
    }

    fn explain(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.file().display()))
    }

    /// Waits for the lock; dropping the file releases it.
    fn lock(&self) -> io::Result<File> {
        make_private_folder(&self.folder).map_err(|error| self.explain(&error))?;
        let lock = File::options().create(true).append(true).open(self.folder.join("credentials.lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    fn write(&self, stored: &Contexts) -> io::Result<()> {
        private_file::write(&self.file(), &serde_json::to_vec_pretty(stored)?)
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

/// A stored session, which the client renews.
pub(crate) struct StoredSession {
    /// The file.
    pub(crate) store: Store,
    /// The name of the context.
    pub(crate) context: String,
    /// The session.
    pub(crate) session_id: String,
}

impl SessionStore for StoredSession {
    fn lock(&self) -> io::Result<Box<dyn SessionLock>> {
        let lock = self.store.lock()?;
        let stored = self.store.read()?;
        let session = Self {
            store: self.store.clone(),
            context: self.context.clone(),
            session_id: self.session_id.clone(),
        };
        Ok(Box::new(LockedSession { session, stored, _lock: lock }))
    }
}

struct LockedSession {
    session: StoredSession,
    stored: Contexts,
    _lock: File,
}

impl LockedSession {
    /// The place of the tokens, if this session is still the stored one: the user may have signed in again, or signed out.
    fn place(&mut self) -> Option<&mut Credential> {
        let credential = self.stored.named.get_mut(&self.session.context)?.credential.as_mut()?;
        let Credential::Session { session_id, .. } = credential else { return None };
        (*session_id == self.session.session_id).then_some(credential)
    }
}

impl SessionLock for LockedSession {
    fn tokens(&mut self) -> Option<SessionTokens> {
        match self.place()? {
            Credential::Session { access_token, refresh_token, .. } => {
                Some(SessionTokens::new(access_token.clone(), refresh_token.clone()))
            }
            Credential::ApiKey { .. } => None,
        }
    }

    fn store(&mut self, tokens: &SessionTokens) -> io::Result<()> {
        if let Some(Credential::Session { access_token, refresh_token, .. }) = self.place() {
            tokens.access_token().expose_secret().clone_into(access_token);
            tokens.refresh_token().expose_secret().clone_into(refresh_token);
            self.session.store.write(&self.stored)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contexts::Named;

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
        let base_url = "http://a.test".to_owned();
        let named = Named { base_url, organization: None, credential: Some(credential) };
        let insert = |stored: &mut Contexts| drop(stored.named.insert("club".to_owned(), named));
        store.update(insert).expect("an update");
    }

    fn lock(store: &Store, session: &str) -> Box<dyn SessionLock> {
        let (store, context) = (store.clone(), "club".to_owned());
        StoredSession { store, context, session_id: session.to_owned() }.lock().expect("a lock")
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_file() {
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
        lock(&store, "one").store(&SessionTokens::new("access-2", "refresh-2")).expect("stored");
        let tokens = lock(&store, "one").tokens().expect("tokens");
        assert_eq!(tokens.refresh_token().expose_secret(), "refresh-2");

        sign_in(&store, "two");
        assert!(lock(&store, "one").tokens().is_none());
        lock(&store, "one").store(&SessionTokens::new("access-3", "refresh-3")).expect("left alone");
        assert_eq!(lock(&store, "two").tokens().expect("tokens").access_token().expose_secret(), "access-1");
    }

    #[test]
    fn one_process_at_a_time_holds_the_lock() {
        let (_home, store) = store();
        sign_in(&store, "one");
        let lock = lock(&store, "one");
        let other =
            File::options().append(true).open(store.folder.join("credentials.lock")).expect("the lock");
        assert!(other.try_lock().is_err());
        drop(lock);
        assert!(other.try_lock().is_ok());
    }

    #[test]
    fn the_folder_follows_the_conventions_of_the_system() {
        let set =
            |name: &'static str, value: &'static str| move |it: &str| (it == name).then(|| value.into());
        assert_eq!(folder(set("XDG_CONFIG_HOME", "/x")), Some("/x/fieldhouse".into()));
        assert_eq!(folder(set("XDG_CONFIG_HOME", "relative")), None);
        #[cfg(target_os = "linux")]
        assert_eq!(folder(set("HOME", "/h")), Some("/h/.config/fieldhouse".into()));
    }
}
