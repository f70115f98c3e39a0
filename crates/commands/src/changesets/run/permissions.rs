//! Who may do the operations of a changeset.

use std::collections::BTreeSet;

use fieldhouse_api::Operation as Of;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::Refused;
use fieldhouse_domain::changesets::operations::{Act, Changeable, Operation};
use fieldhouse_domain::ids::{ChildId, Id, RosterEntryId};
use fieldhouse_store::access::children::{Roster, Write};
use fieldhouse_store::{OrgWrite, Tx, rosters};
use serde_json::Value as Json;
use uuid::Uuid;

use super::problems::why;
use super::{As, Work, rehearse};
use crate::Error;

/// The permission of a person for an operation, now.
pub(crate) async fn permit<'tx>(
    tx: &mut Tx<'tx>,
    who: &As<'_>,
    operation: Of,
    target: Option<Uuid>,
) -> Result<OrgWrite<'tx>, Error> {
    let requirement = crate::requirement(operation);
    Ok(tx.permit(who.principal(), requirement, target, who.now).await??)
}

/// The operation that reads a resource.
pub(crate) const fn reads(resource: Changeable) -> Of {
    match resource {
        Changeable::Seasons => Of::SeasonRead,
        Changeable::Divisions => Of::DivisionRead,
        Changeable::Teams => Of::TeamRead,
        Changeable::Venues => Of::VenueRead,
        Changeable::Games => Of::GameRead,
        Changeable::RosterEntries => Of::RosterList,
        Changeable::Staff => Of::StaffList,
        Changeable::Members => Of::MemberRead,
    }
}

/// The operation whose permission a step needs.
const fn operation_of(resource: Changeable, act: &Act) -> Option<Of> {
    Some(match (resource, act) {
        (resource, Act::Assert { .. }) => reads(resource),
        (Changeable::Seasons, Act::Create { .. } | Act::Restore(_)) => Of::SeasonCreate,
        (Changeable::Seasons, Act::Update { .. }) => Of::SeasonChange,
        (Changeable::Seasons, Act::Delete { .. }) => Of::SeasonDelete,
        (Changeable::Divisions, Act::Create { .. } | Act::Restore(_)) => Of::DivisionCreate,
        (Changeable::Divisions, Act::Update { .. }) => Of::DivisionChange,
        (Changeable::Divisions, Act::Delete { .. }) => Of::DivisionDelete,
        (Changeable::Teams, Act::Create { .. } | Act::Restore(_)) => Of::TeamCreate,
        (Changeable::Teams, Act::Update { .. }) => Of::TeamChange,
        (Changeable::Teams, Act::Delete { .. }) => Of::TeamDelete,
        (Changeable::Venues, Act::Create { .. } | Act::Restore(_)) => Of::VenueCreate,
        (Changeable::Venues, Act::Update { .. }) => Of::VenueChange,
        (Changeable::Venues, Act::Delete { .. }) => Of::VenueDelete,
        (Changeable::Games, Act::Create { .. } | Act::Restore(_)) => Of::GameCreate,
        (Changeable::Games, Act::Update { .. }) => Of::GameChange,
        (Changeable::Games, Act::Delete { .. }) => Of::GameDelete,
        (Changeable::RosterEntries, Act::Create { .. } | Act::Restore(_)) => Of::RosterAdd,
        (Changeable::RosterEntries, Act::Update { .. }) => Of::RosterChange,
        (Changeable::RosterEntries, Act::Delete { .. }) => Of::RosterRemove,
        (Changeable::Staff, Act::Create { .. } | Act::Restore(_)) => Of::StaffAdd,
        (Changeable::Staff, Act::Update { .. }) => Of::StaffChange,
        (Changeable::Staff, Act::Delete { .. }) => Of::StaffRemove,
        (Changeable::Members, Act::Update { .. }) => Of::MemberChange,
        (Changeable::Members, Act::Restore(_)) => Of::MemberRemove,
        (Changeable::Members, Act::Create { .. } | Act::Delete { .. }) => return None,
    })
}

/// The child whom an operation is about, if the person may write its place in a team. An operation about any other child is refused, in the
/// same way as one about a child that does not exist.
pub(crate) async fn child_of(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    (index, operation): (usize, &Operation),
) -> Result<Option<ChildId>, Error> {
    if operation.resource != Changeable::RosterEntries {
        return Ok(None);
    }
    let (of, pointer) = match &operation.act {
        Act::Create { .. } => (Of::RosterAdd, "/data/child_id"),
        _ => (Of::RosterChange, "/id"),
    };
    let proof = permit(tx, who, of, operation.target()).await?;
    let child = match &operation.act {
        Act::Create { data, .. } => {
            data.get("child_id").and_then(Json::as_str).and_then(|text| text.parse::<ChildId>().ok())
        }
        act => match operation.target().filter(|_| !matches!(act, Act::Restore(_))) {
            Some(id) => {
                let place = rosters::place_of(tx, &proof, RosterEntryId::from_uuid(id)).await?;
                place.map(|(_, child)| child)
            }
            None => None,
        },
    };
    if let Some(child) = child
        && tx.open::<Roster, Write>(&proof, child).await?.is_ok()
    {
        return Ok(Some(child));
    }
    let (pointer, message) = (pointer.to_owned(), "does not exist".to_owned());
    let fix = Some("Send the id of a record that exists and that a relation opens to you.".to_owned());
    Err(Refusal::from(Refused::Invalid { index, pointer, message, fix }).into())
}

/// The deletions of the records that a deletion lists.
fn deletions(operation: &Operation) -> Vec<(Changeable, Option<Of>, Option<Uuid>)> {
    let Act::Delete { dependents, .. } = &operation.act else { return Vec::new() };
    let listed = dependents.iter().map(|(resource, id)| {
        let delete = Act::Delete { id: *id, if_version: None, dependents: Vec::new() };
        (*resource, operation_of(*resource, &delete), Some(*id))
    });
    listed.collect()
}

/// Whether a person may do all of the operations now, by their role and duties, and by running those that depend on who they are.
pub(crate) async fn entitled(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    work: &Work,
) -> Result<Result<(), (usize, String)>, Error> {
    let operations = match work {
        Work::Operations(operations) => operations,
        Work::Import(_) => {
            return match permit(tx, who, Of::LeagueImport, None).await {
                Ok(_) => Ok(Ok(())),
                Err(Error::Denied(denial)) => Ok(Err((0, why(denial)))),
                Err(error) => Err(error),
            };
        }
    };
    let mut asked = BTreeSet::new();
    let mut is_personal = false;
    for (index, operation) in operations.iter().enumerate() {
        let own = (operation.resource, operation_of(operation.resource, &operation.act), operation.target());
        for (resource, of, target) in [own].into_iter().chain(deletions(operation)) {
            let depends =
                matches!(resource, Changeable::RosterEntries | Changeable::Staff | Changeable::Members);
            is_personal |= depends;
            let Some(of) = of.filter(|of| asked.insert(*of)) else { continue };
            match permit(tx, who, of, target).await {
                Ok(_) => {}
                Err(Error::Denied(denial)) => return Ok(Err((index, why(denial)))),
                Err(error) => return Err(error),
            }
        }
    }
    if !is_personal {
        return Ok(Ok(()));
    }
    Ok(match rehearse(tx, who, work).await? {
        Ok(_) => Ok(()),
        Err((index, Error::Denied(denial))) => Err((index, why(denial))),
        Err((index, Error::Refused(refusal))) => Err((index, refusal.to_string())),
        Err((index, _)) => Err((index, "it cannot be done".to_owned())),
    })
}
