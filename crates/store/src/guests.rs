//! Guests in the store: visitors without a credential and their lists of saved programs. Both expire after 30 days.

use fieldhouse_domain::Moment;
use fieldhouse_domain::ids::GuestId;
use fieldhouse_domain::retention::Retained;
use jiff::Timestamp;

use crate::access::GuestWrite;
use crate::engine::{Reader, Store, Tx, first};
use crate::error::Result;
use crate::favorites::{self, Listed};
use crate::query::queries;
use crate::value::{id, values};

queries! {
    FIND "guests.find" "SELECT id FROM guests WHERE token_digest = $1 AND expires_at > $2";
    INSERT_GUEST "guests.insert" "INSERT INTO guests (id, token_digest, created_at, expires_at) VALUES ($1, $2, $3, $4)";
    DELETE_GUEST "guests.delete" "DELETE FROM guests WHERE id = $1";
    EXPIRED_LISTS "guests.delete_expired_favorites" "DELETE FROM guest_favorites WHERE owner_id IN
        (SELECT id FROM guests WHERE expires_at <= $1)";
    EXPIRED "guests.delete_expired" "DELETE FROM guests WHERE expires_at <= $1";
    LIST "guests.favorites" favorites::saved!("guest_favorites", "f.owner_id = $1");
}

/// The guest with a token, if it has not expired.
pub async fn find(
    reader: &mut impl Reader,
    token_digest: &[u8; 32],
    now: Timestamp,
) -> Result<Option<GuestId>> {
    first(reader, FIND, values![token_digest, now], |row| row.next()).await
}

/// A guest's whole list, in order.
pub async fn list(reader: &mut impl Reader, guest: GuestId) -> Result<Vec<Listed>> {
    reader.rows(LIST, values![id(guest)], favorites::listed).await
}

impl<'tx> Tx<'tx> {
    /// The permission to write the list of the guest with a token. `None` if there is no such guest.
    pub async fn permit_guest(
        &mut self,
        token_digest: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<GuestWrite<'tx>>> {
        let guest = find(self, token_digest, now).await?;
        Ok(guest.map(|guest| GuestWrite::new(self, guest)))
    }

    /// Creates a guest, and returns the permission to write the list.
    pub async fn create_guest(
        &mut self,
        moment: &Moment,
        token_digest: &[u8; 32],
    ) -> Result<GuestWrite<'tx>> {
        let guest: GuestId = moment.id();
        let ends = moment.now().saturating_add(Retained::GuestsPrograms.life()).unwrap_or(Timestamp::MAX);
        self.run(INSERT_GUEST, values![id(guest), token_digest, moment.now(), ends]).await?;
        Ok(GuestWrite::new(self, guest))
    }

    /// Deletes a guest with an empty list, whose token becomes invalid.
    pub async fn end_guest(&mut self, proof: GuestWrite<'tx>) -> Result<()> {
        self.run(DELETE_GUEST, values![id(proof.guest())]).await.map(drop)
    }
}

impl Store {
    /// Deletes expired guests with their lists, and returns their number.
    pub async fn purge_guests(&self, now: Timestamp) -> Result<u64> {
        self.write("guests.purge", async move |tx| {
            tx.run(EXPIRED_LISTS, values![now]).await?;
            tx.run(EXPIRED, values![now]).await
        })
        .await
    }
}
