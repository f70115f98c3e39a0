//! What effects mean for people: reads what the effects themselves do not say.

use std::collections::{BTreeMap, BTreeSet};

use constcat::concat;
use fieldhouse_domain::changesets::impact::{
    self as rules, Earlier, Elsewhere, GameChange, Impact, Names, Overlap, Surroundings, changed_games,
};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::games::{Game, LONGEST, occupies};
use fieldhouse_domain::ids::{ChildId, OrganizationId, TeamId, UserId, VenueId};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::Venue;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::access::OrgWrite;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{Value, id, values};
use crate::{families, games, records};

/// Staff of the teams $2 and $3 on the day $4, and their other teams on that day.
const STAFF: &str = "staff f CROSS JOIN staff o CROSS JOIN games g WHERE f.org_id = $1 AND f.team_id IN ($2, $3) AND f.state = 'confirmed'
    AND (f.starts_on IS NULL OR f.starts_on <= $4) AND (f.ends_on IS NULL OR f.ends_on >= $4)
    AND o.org_id = $1 AND o.user_id = f.user_id AND o.team_id NOT IN ($2, $3) AND o.state = 'confirmed'
    AND (o.starts_on IS NULL OR o.starts_on <= $4) AND (o.ends_on IS NULL OR o.ends_on >= $4)";

queries! {
    /// Games of these other teams that end after $5, and start after $6 and before $7.
    ELSEWHERE "impact.elsewhere" @read_once concat!("SELECT f.user_id, f.team_id, o.team_id, ", Game::COLUMNS, " FROM ", STAFF,
        " AND g.org_id = $1 AND g.home_team_id = o.team_id AND g.ends_at > $5 AND g.starts_at > $6 AND g.starts_at < $7
        UNION ALL SELECT f.user_id, f.team_id, o.team_id, ", Game::COLUMNS, " FROM ", STAFF,
        " AND g.org_id = $1 AND g.away_team_id = o.team_id AND g.ends_at > $5 AND g.starts_at > $6 AND g.starts_at < $7");
    CHILDREN "impact.children" "SELECT o.time_zone, e.child_id, e.ends_on FROM roster_entries e CROSS JOIN orgs o
        WHERE e.org_id = $1 AND e.team_id = $2 AND o.id = $1";
    TEAM "impact.team" @read_once "SELECT name FROM teams WHERE org_id = $1 AND id = $2";
    VENUE "impact.venue" "SELECT name FROM venues WHERE org_id = $1 AND id = $2";
}

/// The impact of effects that have been applied in this transaction, so that everything else is as it would be afterwards. It counts families
/// and children, and names none.
pub async fn of<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    effects: &[Effect],
    now: Timestamp,
) -> Result<Impact> {
    let organization = proof.organization();
    let (double_bookings, coach_clashes) = clashes(tx, proof, effects, now).await?;
    let shown: Vec<&Game> = changed_games(effects, now).iter().map(|game| game.shown).collect();
    let overlaps = double_bookings.iter().chain(coach_clashes.iter().map(|(_, overlap)| overlap));
    let others: Vec<Game> = overlaps.map(|overlap| overlap.other.clone()).collect();
    let mut names = named(effects);
    let teams = rules::affected_teams(effects, now);
    let teams = teams.into_iter().chain(shown.into_iter().chain(&others).flat_map(teams_of)).collect();
    let of_teams: Vec<_> =
        BTreeSet::iter(&teams).map(|team| values![id(organization), id(*team)].to_vec()).collect();
    tx.read_ahead(TEAM, &of_teams).await?;
    name_teams(tx, organization, &mut names, &teams).await?;
    let read = Surroundings {
        names,
        families: families::told(tx, organization, effects, now).await?.len(),
        children: children(tx, organization, effects, now).await?,
        double_bookings,
        coach_clashes,
    };
    Ok(Impact::of(effects, now, &read))
}

fn teams_of(game: &Game) -> impl Iterator<Item = TeamId> + use<> {
    [game.home_team_id, game.away_team_id].into_iter().flatten()
}

/// Double bookings that effects introduce, and games at which staff would have to be at the same time. Each pair of games is in the result
/// once, or once for each member of staff.
pub async fn clashes<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    effects: &[Effect],
    now: Timestamp,
) -> Result<(Vec<Overlap>, Vec<(UserId, Overlap)>)> {
    let earlier = Earlier::of(effects);
    let mut venues = BTreeMap::new();
    let (mut double_bookings, mut coach_clashes) = (Vec::new(), Vec::new());
    let (mut pairs, mut of_staff) = (BTreeSet::new(), BTreeSet::new());
    let changed = changed_games(effects, now);
    let remaining = changed.iter().filter(|game| game.change != GameChange::Cancelled);
    let remaining: Vec<_> = remaining.filter_map(|game| Some((game.before, game.after?))).collect();
    games::read_nearby_ahead(tx, proof, remaining.iter().map(|(_, after)| *after)).await?;
    let elsewhere_of: Vec<_> =
        remaining.iter().filter_map(|(_, after)| at_the_time(proof.organization(), after)).collect();
    tx.read_ahead(ELSEWHERE, &elsewhere_of).await?;
    for (before, after) in remaining {
        let others = games::nearby(tx, proof, after).await?;
        for place in before.into_iter().chain([after]).filter_map(|game| game.venue_id) {
            note_venue(tx, proof, &mut venues, place).await?;
        }
        let new = rules::new_overlaps(after, &others, &venues, &earlier);
        double_bookings.extend(new.into_iter().filter(|overlap| pairs.insert(pair(overlap))));
        for found in elsewhere(tx, proof.organization(), after).await? {
            if rules::is_new_clash(after, &found, &earlier) {
                let overlap = Overlap { game: after.clone(), other: found.other };
                if of_staff.insert((found.user, pair(&overlap))) {
                    coach_clashes.push((found.user, overlap));
                }
            }
        }
    }
    Ok((double_bookings, coach_clashes))
}

fn pair(overlap: &Overlap) -> [fieldhouse_domain::ids::GameId; 2] {
    let mut pair = [overlap.game.id, overlap.other.id];
    pair.sort_unstable();
    pair
}

async fn note_venue<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    venues: &mut BTreeMap<VenueId, Venue>,
    venue: VenueId,
) -> Result<()> {
    if !venues.contains_key(&venue) {
        let found = records::read::<Venue, _>(tx, proof, venue).await?;
        venues.extend(found.map(|found| (venue, found)));
    }
    Ok(())
}

/// Games of other teams of a game's staff that may take place at the same time.
async fn elsewhere(tx: &mut Tx<'_>, organization: OrganizationId, game: &Game) -> Result<Vec<Elsewhere>> {
    let Some(values) = at_the_time(organization, game) else { return Ok(Vec::new()) };
    tx.rows(ELSEWHERE, &values, |row| {
        Ok(Elsewhere { user: row.next()?, team: row.next()?, other_team: row.next()?, other: row.record()? })
    })
    .await
}

/// The parameters of [`ELSEWHERE`]. `None` if the game takes up no time or has no team.
fn at_the_time(organization: OrganizationId, game: &Game) -> Option<Vec<Value<'static>>> {
    let (start, end) = occupies(game)?;
    let (home, away) =
        game.home_team_id.or(game.away_team_id).zip(game.away_team_id.or(game.home_team_id))?;
    let (day, earliest) =
        (game.time_zone.date(start), start.saturating_sub(LONGEST).unwrap_or(Timestamp::MIN));
    Some(values![id(organization), id(home), id(away), day, start, earliest, end].to_vec())
}

/// The children who are, or will be, on the rosters of teams whose staff changes.
async fn children(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    effects: &[Effect],
    now: Timestamp,
) -> Result<BTreeSet<ChildId>> {
    let mut children = BTreeSet::new();
    for team in rules::teams_with_other_staff(effects) {
        let row = |row: &mut Row<'_>| {
            let (zone, child) = (row.next::<TimeZoneName>()?, row.next::<ChildId>()?);
            let is_over = row.next::<Option<Date>>()?.is_some_and(|last| last < zone.date(now));
            Ok((!is_over).then_some(child))
        };
        let found = tx.rows(CHILDREN, values![id(organization), id(team)], row).await?;
        children.extend(found.into_iter().flatten());
    }
    Ok(children)
}

/// The names of teams and venues in effects, for those that no longer exist.
pub(crate) fn named(effects: &[Effect]) -> Names {
    let mut names = Names::default();
    for record in effects.iter().filter_map(Effect::record) {
        match record {
            AnyRecord::Team(team) => drop(names.teams.insert(team.id, team.name.to_string())),
            AnyRecord::Venue(venue) => drop(names.venues.insert(venue.id, venue.name.to_string())),
            _ => {}
        }
    }
    names
}

/// Adds the current names of teams.
pub(crate) async fn name_teams(
    reader: &mut impl Reader,
    organization: OrganizationId,
    names: &mut Names,
    teams: &BTreeSet<TeamId>,
) -> Result<()> {
    for team in teams {
        let name = first(reader, TEAM, values![id(organization), id(*team)], |row| row.next()).await?;
        names.teams.extend(name.map(|name| (*team, name)));
    }
    Ok(())
}

/// Adds the current names of venues.
pub(crate) async fn name_venues(
    reader: &mut impl Reader,
    organization: OrganizationId,
    names: &mut Names,
    venues: &BTreeSet<VenueId>,
) -> Result<()> {
    for venue in venues {
        let name = first(reader, VENUE, values![id(organization), id(*venue)], |row| row.next()).await?;
        names.venues.extend(name.map(|name| (*venue, name)));
    }
    Ok(())
}
