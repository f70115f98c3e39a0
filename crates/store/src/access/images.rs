//! The proof for what the ledger says about children: images of their records, and reasons.

use std::collections::{BTreeMap, BTreeSet};

use fieldhouse_domain::children::classes::{self, Capacity, DataClass};
use fieldhouse_domain::ids::{ChildId, OrganizationId};
use fieldhouse_domain::policy::ChildTouch;
use fieldhouse_domain::scopes::Verb;
use jiff::Timestamp;

use super::children::{ChildScope, Records, Standing, open_children};
use super::{OrgScope, OrgWrite};
use crate::engine::{ReadTx, Reader, Tx};
use crate::error::{Error, Result};

/// The permission to open images of children's records in one request: each that a relation of the caller opens now.
#[derive(Debug)]
pub struct ImageScope {
    organization: OrganizationId,
    /// `None` if the caller's key may not read children's data.
    standing: Option<Standing>,
}

impl OrgScope {
    /// The permission to open images at a time. The operation must declare that it shows them.
    pub fn images(&self, now: Timestamp) -> Result<ImageScope> {
        if self.child != ChildTouch::Images {
            return Err(Error::Internal("the operation does not declare that it shows images".to_owned()));
        }
        let standing = self.reads_children().then(|| self.standing(now));
        Ok(ImageScope { organization: self.caller.facts.organization, standing })
    }
}

impl OrgWrite<'_> {
    /// The permission to open images in this transaction. The operation must declare that it shows them. Nothing is open to the operator and
    /// to jobs, nor to a key that may not read children's data.
    pub(crate) fn images(&self) -> Result<ImageScope> {
        let (touch, standing) = self.standing();
        if touch != ChildTouch::Images {
            return Err(Error::Internal("the operation does not declare that it shows images".to_owned()));
        }
        let standing = standing.copied().filter(|_| self.on_children().is_some());
        Ok(ImageScope { organization: self.organization(), standing })
    }
}

impl ChildScope<Records> {
    /// The permission to open images, for a child's history.
    pub fn images(&self) -> ImageScope {
        ImageScope { organization: self.organization, standing: Some(self.standing) }
    }

    /// Whether the records of a child are open to the caller now.
    pub(crate) async fn opens(&self, tx: &ReadTx<'_>, child: ChildId) -> Result<bool> {
        let (mut reader, of) = (tx, (self.organization, &self.standing));
        let wanted = (DataClass::Records, Verb::Read);
        Ok(!open_children(&mut reader, of, wanted, Capacity::ALL, Some(child)).await?.is_empty())
    }
}

impl Tx<'_> {
    /// Whether all of some images are open to the user of a proof now. The operation must declare that it shows them.
    pub async fn sees_images(
        &mut self,
        proof: &OrgWrite<'_>,
        wanted: &BTreeSet<(DataClass, ChildId)>,
    ) -> Result<bool> {
        Ok(proof.images()?.open(self, wanted).await?.len() == wanted.len())
    }
}

impl ImageScope {
    /// The organization.
    pub(crate) fn organization(&self) -> OrganizationId {
        self.organization
    }

    /// Those of some images that are open to the caller, by class and child, each with the capacity that opens it.
    pub(crate) async fn open(
        &self,
        reader: &mut impl Reader,
        wanted: &BTreeSet<(DataClass, ChildId)>,
    ) -> Result<BTreeMap<(DataClass, ChildId), Capacity>> {
        let Some(standing) = &self.standing else { return Ok(BTreeMap::new()) };
        let mut open = BTreeMap::new();
        let classes: BTreeSet<DataClass> = wanted.iter().map(|(class, _)| *class).collect();
        for class in classes {
            let mut children = wanted.iter().filter(|(of, _)| *of == class).map(|(_, child)| *child);
            // One statement for each class: for its only child, or for all children who are open to the caller.
            let only = children.next().filter(|_| children.next().is_none());
            let (of, among) = ((self.organization, standing), classes::see_images(class));
            let found = open_children(reader, of, (class, Verb::Read), &among, only).await?;
            open.extend(found.into_iter().map(|(child, capacity)| ((class, child), capacity)));
        }
        open.retain(|of, _| wanted.contains(of));
        Ok(open)
    }
}
