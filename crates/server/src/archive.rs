//! The archive of an organization, written from streamed records.

use bytes::Bytes;
use fieldhouse_domain::text::{Email, Name};
use fieldhouse_imports::archive::{Entry, Heading, Person, Writer};
use fieldhouse_store::exports::{Exported, Exporting, everything};
use fieldhouse_store::members::Listed;
use fieldhouse_store::{Rows, Store};
use futures_util::{Stream, stream};
use jiff::Timestamp;

/// The size from which a chunk is sent.
const CHUNK: usize = 64 << 10;

/// Why an archive could not be written to its end.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] fieldhouse_store::Error),
    /// The records could not be packed.
    #[error(transparent)]
    Packing(#[from] std::io::Error),
    /// A stored record is invalid, or the organization no longer exists.
    #[error("the organization cannot be exported: {0}")]
    Records(String),
}

/// The chunks of an organization's archive. Few records are in memory at a time.
pub fn chunks(
    store: &Store,
    of: Exporting,
    exported_at: Timestamp,
) -> Result<impl Stream<Item = Result<Bytes, WriteError>> + Send + use<>, WriteError> {
    let writing = Writing { rows: everything(store, of)?, writer: None, exported_at };
    Ok(stream::try_unfold(Some(writing), next_chunk))
}

struct Writing {
    rows: Rows<Exported>,
    /// `None` before the organization was read, which comes first.
    writer: Option<Writer>,
    exported_at: Timestamp,
}

async fn next_chunk(writing: Option<Writing>) -> Result<Option<(Bytes, Option<Writing>)>, WriteError> {
    let Some(mut writing) = writing else { return Ok(None) };
    while let Some(found) = writing.rows.next().await? {
        let writer = writing.add(found)?;
        if writer.ready() >= CHUNK {
            let chunk = writer.take().into();
            return Ok(Some((chunk, Some(writing))));
        }
    }
    let writer = writing.writer.ok_or_else(|| WriteError::Records("it does not exist".to_owned()))?;
    Ok(Some((writer.finish()?.into(), None)))
}

impl Writing {
    fn add(&mut self, found: Exported) -> Result<&mut Writer, WriteError> {
        let entry = match found {
            Exported::Organization(organization) => {
                let heading = Heading::of(&organization, self.exported_at);
                return Ok(self.writer.insert(Writer::new(&heading)?));
            }
            Exported::Member(listed) => member(listed)?,
            Exported::Season(season) => Entry::Season(season),
            Exported::Division(division) => Entry::Division(division),
            Exported::Team(team) => Entry::Team(team),
            Exported::Venue(venue) => Entry::Venue(venue),
            Exported::Game(game) => Entry::Game(*game),
            Exported::Staff(staff) => Entry::Staff(staff),
        };
        let writer =
            self.writer.as_mut().ok_or_else(|| WriteError::Records("it does not exist".to_owned()))?;
        writer.add(&entry)?;
        Ok(writer)
    }
}

fn member(Listed { member, name, email, .. }: Listed) -> Result<Entry, WriteError> {
    let invalid = |wrong: fieldhouse_domain::text::InvalidValue| WriteError::Records(wrong.message);
    let email = Email::parse(&email).map_err(invalid)?;
    let name = Name::parse(&name).map_err(invalid)?;
    let person = Person { id: member.user_id, email, name };
    Ok(Entry::Member(member, person))
}
