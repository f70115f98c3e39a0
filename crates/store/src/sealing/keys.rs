//! The wrapped keys of children in the database, and the keys that a transaction has opened.

use std::collections::HashMap;
use std::sync::Arc;

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{ChildId, OrganizationId};
use fieldhouse_domain::record::Bytes;

use super::{ChildKey, Of};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::{id, values};

queries! {
    READ "child_keys.read" "SELECT wrapped FROM child_keys WHERE org_id = $1 AND child_id = $2";
    INSERT "child_keys.insert" "INSERT INTO child_keys (org_id, child_id, wrapped) VALUES ($1, $2, $3)";
    DELETE "child_keys.delete" "DELETE FROM child_keys WHERE org_id = $1 AND child_id = $2";
}

/// The keys that a transaction has looked for. `None` for a child that has none.
pub(crate) type Held = HashMap<Of, Option<Arc<ChildKey>>>;

/// A child's key. `None` if it does not exist or was destroyed.
pub(crate) async fn read(reader: &mut impl Reader, of: Of) -> Result<Option<ChildKey>> {
    let wrapped = first(reader, READ, values![id(of.0), id(of.1)], |row| row.next::<Bytes>()).await?;
    Ok(wrapped.map(|wrapped| reader.sealer().open(of, &wrapped.0)).transpose()?)
}

impl Tx<'_> {
    /// A child's key, which is read once. `None` if it does not exist or was destroyed.
    pub(crate) async fn child_key(&mut self, of: Of) -> Result<Option<Arc<ChildKey>>> {
        if let Some(held) = self.child_keys.get(&of) {
            return Ok(held.clone());
        }
        let key = read(self, of).await?.map(Arc::new);
        self.child_keys.insert(of, key.clone());
        Ok(key)
    }

    /// Creates the key of a new child before its first record is written, and destroys that of a deleted one.
    pub(crate) async fn follow_child(&mut self, organization: OrganizationId, effect: &Effect) -> Result<()> {
        match (&effect.before, &effect.after) {
            (None, Some(AnyRecord::Child(child))) => self.create_key((organization, child.id)).await,
            (Some(AnyRecord::Child(child)), None) => self.destroy_key(organization, child.id).await,
            _ => Ok(()),
        }
    }

    async fn create_key(&mut self, of: Of) -> Result<()> {
        let (key, wrapped) = self.sealer().create(of)?;
        self.run(INSERT, values![id(of.0), id(of.1), &wrapped[..]]).await?;
        self.child_keys.insert(of, Some(Arc::new(key)));
        Ok(())
    }

    /// Destroys a child's key, which erases what it sealed. The ledger stores neither images nor reasons about the child from then on.
    pub(crate) async fn destroy_key(&mut self, organization: OrganizationId, child: ChildId) -> Result<()> {
        self.run(DELETE, values![id(organization), id(child)]).await?;
        self.child_keys.insert((organization, child), None);
        Ok(())
    }
}
