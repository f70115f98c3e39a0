//! Venues in the store.

use constcat::concat;
use fieldhouse_domain::ids::VenueId;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::venues::Venue;

use crate::access::{OrgWrite, Proof};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::ledger::Listing;
use crate::ledger::reading::{listing, positioned};
use crate::query::queries;
use crate::row::{Row, record};
use crate::search::{self, name_matches};
use crate::value::{Value, id, values};

queries! {
    LIST "venues.list" positioned!(Venue::COLUMNS, concat!("venues v WHERE org_id = $1 AND name_folded > $2",
        name_matches!("4" "5" "6" "7" "8" "9"), " ORDER BY name_folded LIMIT $3"));
    BY_NAME "venues.by_name" concat!("SELECT ", Venue::COLUMNS, " FROM venues v WHERE v.org_id = $1 AND v.name_folded = $2");
    NAMES "venues.names" "SELECT id, name FROM venues WHERE org_id = $1 ORDER BY name_folded LIMIT 2000";
    GAMES "venues.games" @read_once "SELECT COUNT(*) FROM games WHERE org_id = $1 AND venue_id = $2";
}

/// Venues whose folded name contains words that start with these, in the order of their folded names, after one of them.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    words: &[String],
    after: Option<&str>,
    limit: u32,
) -> Result<Listing<Venue>> {
    let mut values = values![id(proof.organization()), after.unwrap_or_default(), limit].to_vec();
    values.extend(search::patterns(words).map(Value::from));
    listing(reader, LIST, proof.organization(), &values).await
}

/// The venue with a folded name.
pub async fn by_name<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    folded: &str,
) -> Result<Option<Venue>> {
    first(reader, BY_NAME, values![id(proof.organization()), folded], record).await
}

/// The names of venues, at most 2,000.
pub async fn names<R: Reader>(reader: &mut R, proof: &impl Proof<R>) -> Result<Vec<(VenueId, Name)>> {
    let pair = |row: &mut Row<'_>| Ok((row.next()?, row.next()?));
    reader.rows(NAMES, values![id(proof.organization())], pair).await
}

/// How many games refer to a venue.
pub async fn games<R: Reader>(reader: &mut R, proof: &impl Proof<R>, venue: VenueId) -> Result<i64> {
    let count = first(reader, GAMES, values![id(proof.organization()), id(venue)], |row| row.next()).await?;
    Ok(count.unwrap_or_default())
}

/// Counts the games of venues before [`games`] asks for each of them.
pub async fn read_games_ahead<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    venues: impl Iterator<Item = VenueId>,
) -> Result<()> {
    let org = proof.organization();
    let all: Vec<_> = venues.map(|venue| values![id(org), id(venue)].to_vec()).collect();
    tx.read_ahead(GAMES, &all).await
}
