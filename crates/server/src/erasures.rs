//! The list of erasures, `erasures.jsonl` in the data folder beside the key ring: one line for each child that was erased, with ids only.
//!
//! A database that is restored from an older copy has erased children again. At each start, those on the list are erased again.
//!
//! A line is written after the decision was committed, and before it is acknowledged. So each line is about an erasure that was granted. A
//! crash in between loses nothing: at each start, lines are added for all erasures that the database knows and the list does not.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use fieldhouse_commands::Acting;
use fieldhouse_commands::privacy_requests::EraseAgain;
use fieldhouse_domain::ids::{ChildId, OrganizationId, PrivacyRequestId};
use fieldhouse_store::privacy_requests::Erasure;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::app::App;

/// The list's file in the data folder.
pub const FILE: &str = "erasures.jsonl";

/// Why the list could not be kept or applied.
#[derive(Debug, thiserror::Error)]
pub enum ErasureError {
    /// The file cannot be read or written.
    #[error("the list of erasures {FILE} cannot be read or written: {0}")]
    File(#[from] io::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] fieldhouse_store::Error),
    /// A child could not be erased again.
    #[error("a child on the list of erasures could not be erased again: {0}")]
    Again(String),
}

/// The list of erasures. Nothing is listed until it has a folder.
#[derive(Debug, Default)]
pub struct Erasures(OnceLock<Mutex<List>>);

#[derive(Debug)]
struct List {
    file: File,
    listed: Vec<Erasure>,
    known: BTreeSet<PrivacyRequestId>,
    /// Whether the file ends within a line, because writing it failed.
    is_torn: bool,
}

#[derive(Serialize, Deserialize)]
struct Line {
    organization: OrganizationId,
    request: PrivacyRequestId,
    child: ChildId,
    erased_at: Timestamp,
}

impl Erasures {
    /// Keeps the list in a folder, and reads it if it exists.
    pub fn keep_in(&self, folder: &Path) -> io::Result<()> {
        let list = List::open(&folder.join(FILE))?;
        // A second call changes nothing.
        let _ = self.0.set(Mutex::new(list));
        Ok(())
    }

    /// The erasures on the list.
    pub fn listed(&self) -> Vec<Erasure> {
        self.list().map(|list| list.listed.clone()).unwrap_or_default()
    }

    fn list(&self) -> Option<MutexGuard<'_, List>> {
        self.0.get().map(|list| list.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl List {
    fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).append(true).read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let mut list = Self {
            file,
            listed: Vec::new(),
            known: BTreeSet::new(),
            is_torn: !text.is_empty() && !text.ends_with('\n'),
        };
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
            if let Ok(Line { organization, request, child, erased_at: at }) = serde_json::from_str(line) {
                list.remember(Erasure { organization, request, child, at });
            } else {
                // A crash while it was written. The database still has the decision, so that a whole line follows.
                tracing::warn!(number, file = FILE, "a line of the list of erasures is incomplete");
            }
        }
        Ok(list)
    }

    fn remember(&mut self, erasure: Erasure) {
        if self.known.insert(erasure.request) {
            self.listed.push(erasure);
        }
    }

    /// Adds the erasures that are not on the list, and returns after they would survive a crash.
    fn add(&mut self, erasures: &[Erasure]) -> io::Result<()> {
        let new: Vec<Erasure> =
            erasures.iter().filter(|it| !self.known.contains(&it.request)).copied().collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut text = if self.is_torn { "\n".to_owned() } else { String::new() };
        for Erasure { organization, request, child, at } in &new {
            let line = Line { organization: *organization, request: *request, child: *child, erased_at: *at };
            text.push_str(&serde_json::to_string(&line)?);
            text.push('\n');
        }
        self.is_torn = true;
        self.file.write_all(text.as_bytes())?;
        self.file.sync_all()?;
        self.is_torn = false;
        for erasure in new {
            self.remember(erasure);
        }
        Ok(())
    }
}

/// Prepares an organization for an erasure: the list can be written, and no entry waits to be posted.
pub(crate) async fn prepare(app: &App, organization: OrganizationId) -> Result<(), ErasureError> {
    if let Some(list) = app.erasures.list() {
        list.file.sync_all()?;
    }
    app.store.post(organization).await?;
    Ok(())
}

/// Writes the erasures of an organization to the list, and removes what they deleted from the log of the database and from the journal.
pub(crate) async fn settle(app: &App, organization: OrganizationId) -> Result<(), ErasureError> {
    let erasures = app.store.erasures_of(organization).await?;
    add(app, erasures).await?;
    forget(app).await;
    // The entry clears the images when it is posted.
    app.store.post(organization).await?;
    Ok(())
}

/// Writes the erasures of all organizations to the list, such as those that another server decided.
pub async fn settle_all(app: &App) -> Result<(), ErasureError> {
    let erasures = app.store.erasures().await?;
    add(app, erasures).await
}

async fn add(app: &App, erasures: Vec<Erasure>) -> Result<(), ErasureError> {
    let app = app.clone();
    let added = tokio::task::spawn_blocking(move || match app.erasures.list() {
        Some(mut list) => list.add(&erasures),
        None => Ok(()),
    });
    Ok(added.await.map_err(io::Error::other)??)
}

/// A log that a long read keeps is emptied by a later write.
async fn forget(app: &App) {
    match app.store.forget_deleted().await {
        Ok(true) => {}
        Ok(false) => tracing::warn!("someone reads the database: erased data leaves its log a little later"),
        Err(error) => tracing::warn!(%error, "erased data leaves the database's log later"),
    }
}

/// Erases the children on the list again that the database still has, and then adds to the list what it lacks. Returns the number of
/// children that were erased. Runs before anyone is served.
pub async fn apply(app: &App) -> Result<usize, ErasureError> {
    let mut again = 0;
    for erasure in app.erasures.listed() {
        let Erasure { organization, child, .. } = erasure;
        if !app.store.has_child(organization, child).await? {
            continue;
        }
        app.store.post(organization).await?;
        let (acting, moment) = (Acting::Job(organization), app.clock.moment());
        let erased = fieldhouse_commands::run(&app.store, acting, moment, EraseAgain(erasure)).await;
        erased.map_err(|error| ErasureError::Again(error.to_string()))?;
        app.store.post(organization).await?;
        tracing::warn!(%organization, %child, "a child that was erased before is erased again");
        again += 1;
    }
    if again > 0 {
        forget(app).await;
    }
    settle_all(app).await?;
    Ok(again)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use fieldhouse_domain::ids::Id as _;
    use uuid::Uuid;

    use super::*;

    fn erasure(number: u128) -> Erasure {
        let uuid = Uuid::from_u128(number);
        Erasure {
            organization: OrganizationId::from_uuid(uuid),
            request: PrivacyRequestId::from_uuid(uuid),
            child: ChildId::from_uuid(uuid),
            at: Timestamp::from_second(1_772_366_400).expect("a time"),
        }
    }

    #[test]
    fn each_erasure_is_listed_once_and_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FILE);
        let mut list = List::open(&file).expect("a new list");
        list.add(&[erasure(1)]).expect("written");
        list.add(&[erasure(1), erasure(2)]).expect("written");
        assert_eq!(fs::read_to_string(&file).expect("a file").lines().count(), 2);
        assert_eq!(List::open(&file).expect("a list").listed, [erasure(1), erasure(2)]);
    }

    #[test]
    fn a_line_that_a_crash_cut_is_left_out_and_written_again_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FILE);
        List::open(&file).expect("a new list").add(&[erasure(1), erasure(2)]).expect("written");
        let whole = fs::read_to_string(&file).expect("a file");
        fs::write(&file, &whole[..whole.len() - 9]).expect("cut");
        let mut list = List::open(&file).expect("a list");
        assert_eq!(list.listed, [erasure(1)]);
        // The database knows both.
        list.add(&[erasure(1), erasure(2)]).expect("written");
        assert_eq!(List::open(&file).expect("a list").listed, [erasure(1), erasure(2)]);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_list() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FILE);
        List::open(&file).expect("a new list");
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    }
}
