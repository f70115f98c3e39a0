//! Records that are stored as responses show them. Soon after a start, what another version of Fieldhouse has written is rendered again. If it is
//! read before, its JSON is empty, and it is rendered for the response.

use std::collections::BTreeSet;

use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::OrganizationId;
use uuid::Uuid;

use crate::children::shown::OutOfDate;
use crate::engine::{Reader, Store, Tx};
use crate::error::{Error, Result};
use crate::query::Query;
use crate::seasons;

/// How many records are rendered again in one transaction.
pub(crate) const BATCH: u32 = 100;

/// A record that another version of Fieldhouse has rendered.
pub(crate) trait Outdated: Sized + Send + 'static {
    /// The name of the transaction that renders such records.
    const TRANSACTION: &'static str;
    /// The number of the shape of this version.
    const SHAPE: char;
    /// The organizations that have any: a query of [`having!`](crate::visits::having) with the shape.
    const ORGANIZATIONS: &'static Query;

    /// The id.
    fn id(&self) -> Uuid;

    /// The first [`BATCH`] of an organization's, after an id.
    fn find(
        reader: &mut impl Reader,
        organization: OrganizationId,
        after: Uuid,
    ) -> impl Future<Output = Result<Vec<Self>>> + Send;

    /// Writes them as this version does.
    fn render(
        tx: &mut Tx<'_>,
        organization: OrganizationId,
        found: &[Self],
    ) -> impl Future<Output = Result<()>> + Send;
}

impl Store {
    /// The organizations with records that another version of Fieldhouse has rendered.
    pub async fn organizations_to_render(&self) -> Result<BTreeSet<OrganizationId>> {
        let mut found = BTreeSet::new();
        found.extend(self.organizations_with::<seasons::Listed>().await?);
        found.extend(self.organizations_with::<Game>().await?);
        found.extend(self.organizations_with::<OutOfDate>().await?);
        Ok(found)
    }

    async fn organizations_with<R: Outdated>(&self) -> Result<Vec<OrganizationId>> {
        self.organizations_having(R::ORGANIZATIONS, R::SHAPE.to_string()).await
    }

    /// Renders an organization's records again, and returns how many there were. What is shown does not change.
    pub(crate) async fn render_again<R: Outdated>(&self, organization: OrganizationId) -> Result<usize> {
        let (mut rendered, mut after) = (0, Some(Uuid::nil()));
        while let Some(last) = after {
            if R::find(&mut &*self, organization, last).await?.is_empty() {
                break;
            }
            let found = self.write(R::TRANSACTION, async move |tx| {
                let found = R::find(tx, organization, last).await?;
                R::render(tx, organization, &found).await?;
                Ok::<_, Error>(found)
            });
            let found = found.await?;
            rendered += found.len();
            after = found.last().map(R::id);
        }
        Ok(rendered)
    }
}
