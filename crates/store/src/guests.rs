//! Guests in the store: visitors without a credential, their lists of saved programs, and the end of both after 30 days.

use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::{Effect, Record};
use fieldhouse_domain::favorites::{Favorite, ListOwner};
use fieldhouse_domain::ids::{GuestId, Id};
use jiff::{SignedDuration, Timestamp};

use crate::access::GuestWrite;
use crate::apply::moved;
use crate::colleges;
use crate::engine::{Reader, Store, Tx, first};
use crate::error::{Error, Result};
use crate::favorites::{self, Columns, Listed};
use crate::query::queries;
use crate::row;
use crate::value::{id, values};

queries! {
    FIND "guests.find" "SELECT id FROM guests WHERE token_digest = $1 AND expires_at > $2";
    INSERT_GUEST "guests.insert" "INSERT INTO guests (id, token_digest, created_at, expires_at) VALUES ($1, $2, $3, $4)";
    DELETE_GUEST "guests.delete" "DELETE FROM guests WHERE id = $1";
    EXPIRED_LISTS "guests.delete_expired_favorites" "DELETE FROM guest_favorites WHERE guest_id IN
        (SELECT id FROM guests WHERE expires_at <= $1)";
    EXPIRED "guests.delete_expired" "DELETE FROM guests WHERE expires_at <= $1";
    LIST "guests.favorites" favorites::saved!("guest_favorites", "", "f.guest_id = $1");
    INSERT "guests.insert_favorite" "INSERT INTO guest_favorites (guest_id, id, program_id, custom_folded, custom_college_name,
            custom_state, custom_sport, custom_gender, stage, fit, interest, rank, tags, created_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    UPDATE "guests.update_favorite" "UPDATE guest_favorites SET stage = $3, fit = $4, interest = $5, rank = $6, tags = $7,
            updated_at = $8, version = $9
        WHERE guest_id = $1 AND id = $2 AND version = $9 - 1";
    DELETE "guests.delete_favorite" "DELETE FROM guest_favorites WHERE guest_id = $1 AND id = $2 AND version = $3";
}

/// How long a guest's list is kept.
pub const GUEST_LIFE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The guest of a token, while his list is kept.
pub async fn find(
    reader: &mut impl Reader,
    token_digest: &[u8; 32],
    now: Timestamp,
) -> Result<Option<GuestId>> {
    first(reader, FIND, values![token_digest, now], |row| row.id()).await
}

/// A guest's whole list, in his order.
pub async fn list(reader: &mut impl Reader, guest: GuestId) -> Result<Vec<Listed>> {
    reader
        .rows(LIST, values![id(guest)], |row| {
            let favorite = favorites::favorite(row, ListOwner::Guest(guest))?;
            Ok(Listed { favorite, program: colleges::optional_program(row)? })
        })
        .await
}

impl<'tx> Tx<'tx> {
    /// Leave to write to the list of the guest of a token; none where there is no such guest now.
    pub async fn permit_guest(
        &mut self,
        token_digest: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<GuestWrite<'tx>>> {
        let guest = find(self, token_digest, now).await?;
        Ok(guest.map(|guest| GuestWrite::new(self, guest)))
    }

    /// Makes a guest, with leave to write to his list.
    pub async fn welcome_guest(
        &mut self,
        moment: &Moment,
        token_digest: &[u8; 32],
    ) -> Result<GuestWrite<'tx>> {
        let guest: GuestId = moment.id();
        let ends = moment.now().saturating_add(GUEST_LIFE).unwrap_or(Timestamp::MAX);
        self.run(INSERT_GUEST, values![id(guest), token_digest, moment.now(), ends]).await?;
        Ok(GuestWrite::new(self, guest))
    }

    /// Ends a guest whose list is empty: his token is good for nothing more.
    pub async fn end_guest(&mut self, proof: GuestWrite<'tx>) -> Result<()> {
        self.run(DELETE_GUEST, values![id(proof.guest())]).await.map(drop)
    }
}

impl Store {
    /// Forgets guests whose time is over, with their lists: how many.
    pub async fn purge_guests(&self, now: Timestamp) -> Result<u64> {
        self.write("guests.purge", async move |tx| {
            tx.run(EXPIRED_LISTS, values![now]).await?;
            tx.run(EXPIRED, values![now]).await
        })
        .await
    }
}

pub(crate) async fn write(tx: &mut Tx<'_>, effect: &Effect) -> Result<()> {
    let changed = match (&effect.before, &effect.after) {
        (None, Some(Record::Favorite(after))) => insert(tx, after).await?,
        (Some(_), Some(Record::Favorite(after))) => update(tx, after).await?,
        (Some(Record::Favorite(before)), None) => {
            tx.run(DELETE, values![id(guest_of(before)?), id(before.id), before.version]).await?
        }
        _ => return Err(Error::Internal("a guest has nothing but a list".to_owned())),
    };
    if changed == 1 { Ok(()) } else { Err(moved(effect)) }
}

fn guest_of(favorite: &Favorite) -> Result<GuestId> {
    match favorite.owner {
        ListOwner::Guest(guest) => Ok(guest),
        ListOwner::User(_) => Err(Error::Internal("a user's list is not a guest's".to_owned())),
    }
}

async fn insert(tx: &mut Tx<'_>, favorite: &Favorite) -> Result<u64> {
    let saved = Columns::of(&favorite.program);
    let values = values![
        guest_of(favorite)?.uuid(),
        favorite.id.uuid(),
        saved.program,
        saved.folded,
        saved.college_name,
        saved.state,
        saved.sport,
        saved.gender,
        favorite.stage.name(),
        favorite.fit.name(),
        favorite.interest,
        favorite.rank,
        row::list(&favorite.tags),
        favorite.created_at,
        favorite.updated_at,
        favorite.version,
    ];
    tx.run(INSERT, values).await
}

async fn update(tx: &mut Tx<'_>, favorite: &Favorite) -> Result<u64> {
    let values = values![
        guest_of(favorite)?.uuid(),
        favorite.id.uuid(),
        favorite.stage.name(),
        favorite.fit.name(),
        favorite.interest,
        favorite.rank,
        row::list(&favorite.tags),
        favorite.updated_at,
        favorite.version,
    ];
    tx.run(UPDATE, values).await
}
