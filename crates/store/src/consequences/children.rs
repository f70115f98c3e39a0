//! What follows for registrations and rosters.

use std::collections::BTreeSet;

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::rosters as rules;
use uuid::Uuid;

use crate::apply::Change;
use crate::engine::Tx;
use crate::error::Result;
use crate::{registrations, rosters};

/// The effects on registrations and roster entries that follow from other effects.
pub(super) async fn following(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    change: Change<'_>,
    effects: &[Effect],
) -> Result<Vec<Effect>> {
    let mut found = Vec::new();
    for effect in effects {
        match (&effect.before, &effect.after) {
            (Some(AnyRecord::Registration(before)), Some(AnyRecord::Registration(after)))
                if before.status != after.status && after.status == RegistrationStatus::Withdrawn =>
            {
                found.extend(left(tx, organization, change, after).await?);
            }
            (Some(AnyRecord::Team(team)), None) => {
                let entries = rosters::of_team(tx, organization, team.id).await?;
                found.extend(entries.into_iter().map(Effect::delete));
            }
            (Some(AnyRecord::Season(season)), None) => {
                let registered = registrations::of_season(tx, organization, season.id).await?;
                found.extend(registered.into_iter().map(Effect::delete));
            }
            (Some(AnyRecord::Division(division)), None) => {
                let registered = registrations::of_division(tx, organization, division.id).await?;
                found.extend(registered.into_iter().map(Effect::delete));
            }
            _ => {}
        }
    }
    // A record changes once, also if its division and its season are deleted together.
    let mut known: BTreeSet<Uuid> = effects.iter().filter_map(Effect::record).map(AnyRecord::uuid).collect();
    found.retain(|effect| effect.record().is_some_and(|record| known.insert(record.uuid())));
    Ok(found)
}

/// The ends of the child's roster entries in the season of a withdrawn registration.
async fn left(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    change: Change<'_>,
    withdrawn: &Registration,
) -> Result<Vec<Effect>> {
    let (child, season) = (withdrawn.child_id, withdrawn.season_id);
    let entries = rosters::of_registration(tx, organization, child, season).await?;
    let ends = entries
        .iter()
        .filter_map(|(zone, entry)| rules::left(change.moment, zone.date(change.moment.now()), entry));
    Ok(ends.collect())
}
