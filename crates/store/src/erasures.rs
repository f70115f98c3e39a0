//! The erasure of a child: its key, its rows, and what the ledger says about it.
//!
//! All records about the child are deleted, also the child's own. What names the child only by its id stays: privacy requests, safeguarding
//! cases and the access log. A new kind of record about children gets a line in [`of_child!`]; a test fails without it.

use std::str::FromStr as _;

use constcat::concat;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::break_glass::BreakGlassGrant;
use fieldhouse_domain::children::consents::Consent;
use fieldhouse_domain::children::contacts::ChildContact;
use fieldhouse_domain::children::emergencies::ChildEmergency;
use fieldhouse_domain::children::guardian_invitations::GuardianInvitation;
use fieldhouse_domain::children::identities::ChildIdentity;
use fieldhouse_domain::children::medical::ChildMedical;
use fieldhouse_domain::children::performances::ChildPerformance;
use fieldhouse_domain::children::relations::Relation;
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::{Effect, Kind};
use fieldhouse_domain::favorites::ChildFavorite;
use fieldhouse_domain::ids::{ChildId, Id as _, OrganizationId};
use fieldhouse_domain::record::Record;
use fieldhouse_domain::registrations::Registration;
use fieldhouse_domain::rosters::RosterEntry;
use uuid::Uuid;

use crate::access::OrgWrite;
use crate::apply::{Change, Opened};
use crate::engine::{Reader, Store, Tx, first};
use crate::error::{Error, Result};
use crate::query::queries;
use crate::records::read_of;
use crate::row::{Row, record};
use crate::value::{id, values};

/// Reads all records about a child. A class has the UUID of the child; the others have a column for it, and some sealed fields.
macro_rules! of_child {
    (
        classes: $($sealed:ident),+;
        with_sealed_fields: $($partly_constant:ident $partly_name:literal $partly:ident),+;
        others: $($constant:ident $name:literal $record:ident;)+
    ) => {
        queries! {
            $($partly_constant $partly_name concat!("SELECT k.wrapped, ", $partly::COLUMNS, " FROM ", $partly::TABLE.name, " ",
                $partly::TABLE.alias, " JOIN child_keys k ON k.org_id = $1 AND k.child_id = ", $partly::TABLE.alias,
                ".child_id WHERE ", $partly::TABLE.alias, ".org_id = $1 AND ", $partly::TABLE.alias, ".child_id = $2");)+
            $($constant $name concat!("SELECT ", $record::COLUMNS, " FROM ", $record::TABLE.name, " ", $record::TABLE.alias,
                " WHERE ", $record::TABLE.alias, ".org_id = $1 AND ", $record::TABLE.alias, ".child_id = $2");)+
            /// The records about the child of which the ledger has images.
            IN_LEDGER "erasures.in_ledger" "SELECT DISTINCT kind, record_id FROM ledger_effects WHERE org_id = $1 AND child_id = $2
                AND (before IS NOT NULL OR after IS NOT NULL)";
            IS_LEFT "erasures.is_left" "SELECT id FROM children WHERE org_id = $1 AND id = $2
                UNION ALL SELECT child_id FROM child_keys WHERE org_id = $1 AND child_id = $2";
        }

        async fn deletions(tx: &mut Tx<'_>, organization: OrganizationId, child: ChildId) -> Result<Vec<Effect>> {
            let mut effects = Vec::new();
            $(
                let of_class = <$sealed as Record>::Id::from_uuid(child.uuid());
                effects.extend(read_of::<$sealed>(tx, organization, of_class).await?.map(Effect::delete));
            )+
            let sealer = tx.sealer().clone();
            $(
                let read = |row: &mut Row<'_>| row.sealed_record(&sealer, organization);
                let found: Vec<$partly> = tx.rows($partly_constant, values![id(organization), id(child)], read).await?;
                effects.extend(found.into_iter().map(Effect::delete));
            )+
            $(
                let found: Vec<$record> = tx.rows($constant, values![id(organization), id(child)], record).await?;
                effects.extend(found.into_iter().map(Effect::delete));
            )+
            effects.extend(read_of::<Child>(tx, organization, child).await?.map(Effect::delete));
            Ok(effects)
        }

        /// The kinds of the deleted records.
        #[cfg(test)]
        const DELETED: &[Kind] = &[
            Kind::Child,
            $(<$sealed as Record>::KIND,)+
            $(<$partly as Record>::KIND,)+
            $(<$record as Record>::KIND,)+
        ];
    };
}
of_child! {
    classes: ChildIdentity, ChildContact, ChildEmergency, ChildMedical, ChildPerformance;
    with_sealed_fields:
    GUARDIAN_INVITATIONS "erasures.guardian_invitations" GuardianInvitation,
    RESTRICTIONS "erasures.restrictions" Restriction,
    BREAK_GLASS_GRANTS "erasures.break_glass_grants" BreakGlassGrant,
    CHILD_FAVORITES "erasures.child_favorites" ChildFavorite;
    others:
    RELATIONS "erasures.relations" Relation;
    CONSENTS "erasures.consents" Consent;
    REGISTRATIONS "erasures.registrations" Registration;
    ROSTER_ENTRIES "erasures.roster_entries" RosterEntry;
}

impl<'tx> Tx<'tx> {
    /// Erases a child: deletes its records and its key, and clears all images of its records in the ledger with the reasons about them.
    /// Returns whether anything was left to erase. On PostgreSQL, the waiting entries must have been posted.
    ///
    /// Only operations that decide privacy requests may do this; no relation is needed.
    pub async fn erase_child(
        &mut self,
        proof: &OrgWrite<'tx>,
        change: Change<'_>,
        child: ChildId,
    ) -> Result<bool> {
        if !proof.decides_erasures() {
            return Err(Error::Internal(format!("{} must not erase a child", change.operation)));
        }
        let organization = proof.organization();
        let effects = deletions(self, organization, child).await?;
        let of = |row: &mut Row<'_>| Ok((row.next::<String>()?, row.next::<Uuid>()?));
        for (kind, record) in self.rows(IN_LEDGER, values![id(organization), id(child)], of).await? {
            let kind = Kind::from_str(&kind).map_err(|error| Error::Internal(error.to_string()))?;
            self.erase(proof, change, (kind, record), Some(child));
        }
        let is_left = !effects.is_empty() || is_left(self, organization, child).await?;
        self.apply_opened(proof.into(), Opened::Erased(child), change, &effects).await?;
        self.destroy_key(organization, child).await?;
        Ok(is_left)
    }
}

async fn is_left(reader: &mut impl Reader, organization: OrganizationId, child: ChildId) -> Result<bool> {
    let found =
        first(reader, IS_LEFT, values![id(organization), id(child)], |row| row.next::<Uuid>()).await?;
    Ok(found.is_some())
}

impl Store {
    /// Whether the record or the key of a child exists, for the list of erasures.
    pub async fn has_child(&self, organization: OrganizationId, child: ChildId) -> Result<bool> {
        is_left(&mut &*self, organization, child).await
    }

    /// Removes what was deleted from the embedded database's log. PostgreSQL removes it with its own maintenance. Returns whether the log
    /// is empty: it is not while someone reads for long.
    pub async fn forget_deleted(&self) -> Result<bool> {
        match self.sqlite() {
            Some(sqlite) => sqlite.empty_log().await,
            None => Ok(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use fieldhouse_domain::kinds::Visibility;

    use super::*;

    #[test]
    fn every_kind_of_record_about_children_is_erased() {
        // Requests stay without their texts, which `domain::privacy_requests::erased` removes. A case names children only by their ids.
        let stays = [Kind::PrivacyRequest, Kind::SafeguardingCase];
        let is_deleted = |kind: &Kind| kind.visibility() == Visibility::Relations && !stays.contains(kind);
        let mut expected: Vec<Kind> = Kind::ALL.iter().copied().filter(is_deleted).collect();
        let mut deleted = DELETED.to_vec();
        deleted.sort();
        expected.sort();
        assert_eq!(deleted, expected);
    }
}
