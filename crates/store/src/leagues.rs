//! Divisions, teams and venues in the store, and what an import needs to know of an organization.

use std::collections::BTreeSet;

use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::ids::{Id, OrganizationId, SeasonId};
use fieldhouse_domain::imports::league::{Existing, Wanted};
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::Venue;

use crate::access::{OrgScope, OrgWrite};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{self, Row};
use crate::value::{id, values};
use crate::{games, seasons};

queries! {
    DIVISIONS "leagues.divisions" "SELECT id, season_id, name, age_group, gender, created_at, updated_at, version
        FROM divisions WHERE org_id = $1 AND season_id = $2";
    TEAMS "leagues.teams" "SELECT id, season_id, division_id, name, short_name, external_id, created_at, updated_at, version
        FROM teams WHERE org_id = $1 AND season_id = $2";
    VENUE "leagues.venue_by_name" "SELECT id, name, address, latitude, longitude, time_zone, fields, created_at, updated_at, version
        FROM venues WHERE org_id = $1 AND name_folded = $2";
    INSERT_DIVISION "leagues.insert_division" "INSERT INTO divisions (org_id, id, season_id, name, name_folded, age_group, gender,
            created_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    UPDATE_DIVISION "leagues.update_division" "UPDATE divisions SET name = $3, name_folded = $4, age_group = $5, gender = $6,
            updated_at = $7, version = $8
        WHERE org_id = $1 AND id = $2 AND version = $8 - 1";
    INSERT_TEAM "leagues.insert_team" "INSERT INTO teams (org_id, id, season_id, division_id, name, name_folded, short_name, external_id,
            created_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    UPDATE_TEAM "leagues.update_team" "UPDATE teams SET division_id = $3, name = $4, name_folded = $5, short_name = $6,
            external_id = $7, updated_at = $8, version = $9
        WHERE org_id = $1 AND id = $2 AND version = $9 - 1";
    INSERT_VENUE "leagues.insert_venue" "INSERT INTO venues (org_id, id, name, name_folded, address, latitude, longitude, time_zone,
            fields, created_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    UPDATE_VENUE "leagues.update_venue" "UPDATE venues SET name = $3, name_folded = $4, address = $5, latitude = $6, longitude = $7,
            time_zone = $8, fields = $9, updated_at = $10, version = $11
        WHERE org_id = $1 AND id = $2 AND version = $11 - 1";
}

/// What the organization has of what an import wants to know.
pub async fn existing<'tx>(
    tx: &mut Tx<'tx>,
    scope: &OrgScope,
    proof: &OrgWrite<'tx>,
    wanted: &Wanted,
) -> Result<Existing> {
    let mut ids = BTreeSet::new();
    for external_id in &wanted.season_external_ids {
        ids.extend(seasons::by_external_id(tx, proof, external_id).await?);
    }
    for folded in &wanted.season_names {
        ids.extend(seasons::by_name(tx, proof, folded).await?);
    }
    let mut existing =
        Existing { venues: venues(tx, proof, &wanted.venue_names).await?, ..Existing::default() };
    for season in ids {
        existing.seasons.extend(seasons::read(tx, scope, season).await?.map(|listed| listed.season));
        existing.divisions.extend(divisions(tx, proof, season).await?);
        existing.teams.extend(teams(tx, proof, season).await?);
        existing.games.extend(games::of_season(tx, proof, season).await?);
    }
    Ok(existing)
}

/// The divisions of a season.
pub async fn divisions<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    season: SeasonId,
) -> Result<Vec<Division>> {
    tx.rows(DIVISIONS, values![id(proof.organization()), id(season)], |row| {
        let (division, season) = (row.id()?, row.id()?);
        seasons::division(division, season, row)
    })
    .await
}

/// The teams of a season.
pub async fn teams<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, season: SeasonId) -> Result<Vec<Team>> {
    tx.rows(TEAMS, values![id(proof.organization()), id(season)], |row| {
        Ok(Team {
            id: row.id()?,
            season_id: row.id()?,
            division_id: row.id()?,
            name: Name::stored(row.next()?),
            short_name: row.next::<Option<String>>()?.map(Name::stored),
            external_id: row.next::<Option<String>>()?.map(ExternalId::stored),
            created_at: row.next()?,
            updated_at: row.next()?,
            version: row.next()?,
        })
    })
    .await
}

/// The venues with these folded names, as far as there are any.
pub async fn venues<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    folded: &BTreeSet<String>,
) -> Result<Vec<Venue>> {
    let mut found = Vec::new();
    for name in folded {
        found.extend(first(tx, VENUE, values![id(proof.organization()), name], venue).await?);
    }
    Ok(found)
}

fn venue(row: &mut Row<'_>) -> Result<Venue> {
    Ok(Venue {
        id: row.id()?,
        name: Name::stored(row.next()?),
        address: row.next()?,
        latitude: row.next()?,
        longitude: row.next()?,
        time_zone: TimeZoneName::stored(row.next()?),
        fields: row.list(Name::parse)?,
        created_at: row.next()?,
        updated_at: row.next()?,
        version: row.next()?,
    })
}

pub(crate) async fn write_division(
    tx: &mut Tx<'_>,
    org: OrganizationId,
    new: bool,
    division: &Division,
) -> Result<u64> {
    let (name, folded) = (division.name.as_str(), division.name.folded());
    let (age_group, gender) = (division.age_group.as_ref(), division.gender.map(|gender| gender.name()));
    let (org, division_id, touched, version) =
        (org.uuid(), division.id.uuid(), division.updated_at, division.version);
    if new {
        let (season, made) = (division.season_id.uuid(), division.created_at);
        let values =
            values![org, division_id, season, name, folded, age_group, gender, made, touched, version];
        return tx.run(INSERT_DIVISION, values).await;
    }
    tx.run(UPDATE_DIVISION, values![org, division_id, name, folded, age_group, gender, touched, version])
        .await
}

pub(crate) async fn write_team(tx: &mut Tx<'_>, org: OrganizationId, new: bool, team: &Team) -> Result<u64> {
    let (name, folded) = (team.name.as_str(), team.name.folded());
    let short = team.short_name.as_ref().map(Name::as_str);
    let external = team.external_id.as_ref().map(ExternalId::as_str);
    let (org, team_id, division) = (org.uuid(), team.id.uuid(), team.division_id.uuid());
    let (touched, version) = (team.updated_at, team.version);
    if new {
        let (season, made) = (team.season_id.uuid(), team.created_at);
        let values =
            values![org, team_id, season, division, name, folded, short, external, made, touched, version];
        return tx.run(INSERT_TEAM, values).await;
    }
    tx.run(UPDATE_TEAM, values![org, team_id, division, name, folded, short, external, touched, version])
        .await
}

pub(crate) async fn write_venue(
    tx: &mut Tx<'_>,
    org: OrganizationId,
    new: bool,
    venue: &Venue,
) -> Result<u64> {
    let (name, folded, fields) = (venue.name.as_str(), venue.name.folded(), row::list(&venue.fields));
    let (address, north, east) = (venue.address.as_ref(), venue.latitude, venue.longitude);
    let (org, venue_id, zone) = (org.uuid(), venue.id.uuid(), venue.time_zone.as_str());
    let (made, touched, version) = (venue.created_at, venue.updated_at, venue.version);
    if new {
        let values =
            values![org, venue_id, name, folded, address, north, east, zone, fields, made, touched, version];
        return tx.run(INSERT_VENUE, values).await;
    }
    let values = values![org, venue_id, name, folded, address, north, east, zone, fields, touched, version];
    tx.run(UPDATE_VENUE, values).await
}
