//! Former members, whose saved programs are stored for a while: unreadable, because they cannot sign in to the organization, and there again
//! if they return.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{OrganizationId, UserId};
use jiff::Timestamp;

use crate::engine::{Reader as _, Store, Tx};
use crate::error::Result;
use crate::query::queries;
use crate::value::{id, values};

queries! {
    REMOVED "departures.removed" "INSERT INTO departures (org_id, user_id, removed_at) VALUES ($1, $2, $3)
        ON CONFLICT (org_id, user_id) DO UPDATE SET removed_at = excluded.removed_at";
    RETURNED "departures.returned" "DELETE FROM departures WHERE org_id = $1 AND user_id = $2";
    DUE "departures.due" "SELECT org_id, user_id FROM departures WHERE removed_at <= $1 ORDER BY removed_at LIMIT 100";
    PURGE "departures.purge_favorites" "DELETE FROM favorites WHERE org_id = $1 AND owner_id = $2";
}

impl Tx<'_> {
    /// Notes that a member was removed or has returned.
    pub(crate) async fn note_departure(
        &mut self,
        organization: OrganizationId,
        effect: &Effect,
        now: Timestamp,
    ) -> Result<()> {
        match (&effect.before, &effect.after) {
            (Some(AnyRecord::Member(member)), None) => {
                self.run(REMOVED, values![id(organization), id(member.user_id), now]).await.map(drop)
            }
            (None, Some(AnyRecord::Member(member))) => {
                self.run(RETURNED, values![id(organization), id(member.user_id)]).await.map(drop)
            }
            _ => Ok(()),
        }
    }
}

impl Store {
    /// Deletes the saved programs of people who were removed at this time or earlier, and returns their number.
    pub async fn purge_departures(&self, until: Timestamp) -> Result<u64> {
        let mut purged = 0;
        loop {
            let (departed, deleted) = self.purge_some_departures(until).await?;
            purged += deleted;
            if departed == 0 {
                return Ok(purged);
            }
        }
    }

    async fn purge_some_departures(&self, until: Timestamp) -> Result<(usize, u64)> {
        self.write("departures.purge", async move |tx| {
            let pair = |row: &mut crate::row::Row<'_>| Ok((row.next()?, row.next()?));
            let due: Vec<(OrganizationId, UserId)> = tx.rows(DUE, values![until], pair).await?;
            let mut deleted = 0;
            for (organization, user) in &due {
                deleted += tx.run(PURGE, values![id(*organization), id(*user)]).await?;
                tx.run(RETURNED, values![id(*organization), id(*user)]).await?;
            }
            Ok((due.len(), deleted))
        })
        .await
    }
}
