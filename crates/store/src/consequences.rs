//! Effects that follow from others. They are derived here for every command, so that none can forget them. Rules that need no reading
//! belong to the records in `fieldhouse_domain`; these have to read other records.
//!
//! - A division that is created, changed or deleted gives its season a new version, because they are read together.
//! - A game records its local start, and the changes that families should know about.
//! - A changed or deleted membership ends the member's sessions in the organization; a deleted one also revokes their keys and
//!   ends their staff entries, duties and relations to children. A changed role records who gave it, and when.
//! - A withdrawn registration takes the child out of the teams of its season. What is left of registrations and rosters goes with the
//!   season, the division or the team that it names; commands refuse to delete one that children are still in.

mod children;

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{OrganizationId, SeasonId, UserId};
use fieldhouse_domain::record::Shared;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::{
    api_keys as key_rules, children::relations as relation_rules, duties as duty_rules,
    sessions as session_rules, staff as staff_rules,
};
use std::collections::BTreeSet;

use crate::apply::Change;
use crate::engine::Tx;
use crate::error::Result;
use crate::{api_keys, duties, records, relations, sessions, staff};

/// Adds the effects that follow from a command's effects.
pub(crate) async fn add(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    actor: Option<UserId>,
    change: Change<'_>,
    effects: &mut Vec<Effect>,
) -> Result<()> {
    // A reason about a child is only in the ledger, where it is sealed.
    let is_about_a_child = effects.iter().filter_map(Effect::record).any(|record| record.child().is_some());
    let reason = change.reason.filter(|_| !is_about_a_child);
    for effect in effects.iter_mut() {
        match (&effect.before, &mut effect.after) {
            (Some(AnyRecord::Game(before)), Some(AnyRecord::Game(after))) => {
                let after = Shared::make_mut(after);
                if (before.starts_at, &before.time_zone) != (after.starts_at, &after.time_zone) {
                    after.note_local_start();
                }
                after.note_change(before, change.moment.now(), reason);
            }
            (None, Some(AnyRecord::Game(after))) => Shared::make_mut(after).note_local_start(),
            (Some(AnyRecord::Member(before)), Some(AnyRecord::Member(after)))
                if before.role != after.role && actor.is_some() =>
            {
                let after = Shared::make_mut(after);
                after.role_given_by = actor;
                after.role_given_at = Some(change.moment.now());
            }
            _ => {}
        }
    }
    for season in touched(effects) {
        if let Some(season) = records::read_of::<Season>(tx, organization, season).await? {
            effects.push(Effect::touch(change.moment, season));
        }
    }
    let of_children = children::following(tx, organization, change, effects).await?;
    effects.extend(of_children);
    for (user, is_removed) in members(effects) {
        let open = sessions::open_of(tx, organization, user).await?;
        effects.extend(open.into_iter().filter_map(|session| session_rules::end(change.moment, session)));
        if is_removed {
            let keys = api_keys::active_of(tx, organization, user, change.moment.now()).await?;
            effects.extend(keys.into_iter().filter_map(|key| key_rules::revoke(change.moment, key)));
            let entries = staff::of_user(tx, organization, user).await?;
            effects.extend(entries.into_iter().filter_map(|entry| {
                let ended = staff_rules::ended(&entry)?;
                Effect::update(change.moment, entry, ended)
            }));
            let held = duties::of_user(tx, organization, user).await?;
            effects.extend(held.into_iter().filter_map(|duty| {
                let ended = duty_rules::ended(&duty)?;
                Effect::update(change.moment, duty, ended)
            }));
            let related = relations::held_by(tx, organization, user).await?;
            effects.extend(related.into_iter().filter_map(|relation| {
                let expired = relation_rules::expired(&relation)?;
                Effect::update(change.moment, relation, expired)
            }));
        }
    }
    Ok(())
}

/// Unchanged seasons whose divisions change.
fn touched(effects: &[Effect]) -> BTreeSet<SeasonId> {
    let divisions = effects.iter().filter_map(|effect| match effect.record() {
        Some(AnyRecord::Division(division)) => Some(division.season_id),
        _ => None,
    });
    let changed: BTreeSet<_> = effects
        .iter()
        .filter_map(|effect| match effect.record() {
            Some(AnyRecord::Season(season)) => Some(season.id),
            _ => None,
        })
        .collect();
    divisions.filter(|season| !changed.contains(season)).collect()
}

/// Users whose membership changes, and whether it is deleted.
fn members(effects: &[Effect]) -> Vec<(UserId, bool)> {
    let changed = effects.iter().filter_map(|effect| match (&effect.before, &effect.after) {
        (Some(AnyRecord::Member(before)), after) => Some((before.user_id, after.is_none())),
        _ => None,
    });
    changed.collect()
}
