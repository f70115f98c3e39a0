//! Changesets in the store: the records, and the rows of their operations, simulations, effects and events. What is about a child is sealed
//! with the child's key, here as in the ledger.

use std::collections::BTreeSet;

use constcat::concat;
use fieldhouse_domain::changesets::outcome::{EffectCause, Net, Pin};
use fieldhouse_domain::changesets::{Changeset, ChangesetEvent, ChangesetState, KEPT_SIMULATIONS};
use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::ids::{ApiKeyId, ChangesetId, ChildId, Id, OrganizationId, SimulationId, UserId};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::time::TimeZoneName;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;
use uuid::Uuid;

use crate::access::{ImageScope, OrgScope, OrgWrite};
use crate::engine::{ReadTx, Reader, Store, Tx, first};
use crate::error::{Error, Result};
use crate::ledger::{Entry, EntryEffect, Shown, open_images};
use crate::query::queries;
use crate::row::{Row, record};
use crate::sealing::{Place, SealedText, keys};
use crate::value::{Value, id, values};
use crate::visits::having;

const OF: &str = concat!("SELECT ", Changeset::COLUMNS, " FROM changesets cs WHERE cs.org_id = $1");

queries! {
    LIST "changesets.list" concat!(OF, " AND (cs.created_at, cs.id) < ($2, $3) ORDER BY cs.created_at DESC, cs.id DESC LIMIT $4");
    LIST_IN "changesets.list_in" concat!(OF, " AND cs.state = $5 AND (cs.created_at, cs.id) < ($2, $3)
        ORDER BY cs.created_at DESC, cs.id DESC LIMIT $4");
    LIST_OF "changesets.list_of" concat!(OF, " AND cs.author_id = $5 AND (CAST($6 AS TEXT) IS NULL OR cs.state = $6)
        AND (cs.created_at, cs.id) < ($2, $3) ORDER BY cs.created_at DESC, cs.id DESC LIMIT $4");
    OPEN "changesets.open" "SELECT COUNT(*), COALESCE(SUM(CASE WHEN author_key_id = $3 THEN 1 ELSE 0 END), 0) FROM changesets
        WHERE org_id = $1 AND author_id = $2 AND (state IN ('draft', 'simulated', 'stale')
            OR state IN ('in_review', 'approved') AND expires_at > $4)";
    DUE "changesets.due" "SELECT id FROM changesets WHERE org_id = $1 AND state = 'approved' AND schedule_at <= $2
        AND expires_at > $2 ORDER BY schedule_at LIMIT 100";
    OVER "changesets.over" "SELECT id FROM changesets WHERE org_id = $1 AND state IN ('in_review', 'approved')
        AND expires_at <= $2 ORDER BY expires_at LIMIT 100";
    WITH_WAITING "changesets.with_waiting" having!("changesets r WHERE r.org_id = h.org_id AND r.state IN ('in_review', 'approved')
        AND (r.expires_at <= $3 OR r.schedule_at <= $3)");
    RECENT "changesets.recent" "SELECT m.facts FROM changesets cs JOIN changeset_simulations m ON m.org_id = $1 AND m.id = cs.simulation_id
        WHERE cs.org_id = $1 AND cs.author_id = $2 AND cs.submitted_at > $3 AND cs.id <> $4
            AND (cs.state = 'executed' AND (cs.submitted_at > $5 OR cs.executed_at > $5)
                OR cs.state IN ('in_review', 'approved') AND cs.submitted_at < $6 AND (cs.submitted_at > $5 OR cs.schedule_at IS NOT NULL))";
    OF_MAIL "changesets.of_mail" concat!(OF, " AND cs.id = $2");
    CLUB "changesets.club" "SELECT o.name, o.time_zone, COALESCE(u.name, ''), m.impact FROM changesets cs JOIN orgs o ON o.id = $1
        LEFT JOIN users u ON u.id = cs.author_id JOIN changeset_simulations m ON m.org_id = $1 AND m.id = cs.simulation_id
        WHERE cs.org_id = $1 AND cs.id = $2";
    CREATE_SOURCE "changesets.create_source" "INSERT INTO changeset_sources
        (org_id, changeset_id, salt, undo_of, resolutions, file, file_options) VALUES ($1, $2, $3, $4, '[]', $5, $6)";
    READ_SOURCE "changesets.source" "SELECT salt, undo_of, resolutions, file_options FROM changeset_sources
        WHERE org_id = $1 AND changeset_id = $2";
    READ_FILE "changesets.file" "SELECT file FROM changeset_sources WHERE org_id = $1 AND changeset_id = $2";
    DROP_FILE "changesets.drop_file" "UPDATE changeset_sources SET file = NULL WHERE org_id = $1 AND changeset_id = $2 AND file IS NOT NULL";
    RESOLVE "changesets.resolve" "UPDATE changeset_sources SET resolutions = $3 WHERE org_id = $1 AND changeset_id = $2";
    DROP_OPERATIONS "changesets.drop_operations" "DELETE FROM changeset_operations WHERE org_id = $1 AND changeset_id = $2";
    ADD_OPERATION "changesets.add_operation" "INSERT INTO changeset_operations (org_id, changeset_id, position, body, child_id)
        VALUES ($1, $2, $3, $4, $5)";
    OPERATIONS "changesets.operations" "SELECT body, child_id FROM changeset_operations WHERE org_id = $1 AND changeset_id = $2
        ORDER BY position";
    ADD_SIMULATION "changesets.add_simulation" "INSERT INTO changeset_simulations
        (org_id, id, changeset_id, hash, effect_digest, at, impact, facts, pins, conflicts, warnings, problems)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    AGAIN "changesets.simulated_again" "UPDATE changeset_simulations SET at = $3, facts = $4 WHERE org_id = $1 AND id = $2";
    SIMULATION "changesets.simulation" "SELECT id, changeset_id, hash, effect_digest, at, impact, facts, pins, conflicts, warnings, problems
        FROM changeset_simulations WHERE org_id = $1 AND id = $2";
    OLD "changesets.old_simulations" "SELECT id FROM changeset_simulations WHERE org_id = $1 AND changeset_id = $2
        ORDER BY at DESC, id DESC LIMIT 100";
    DROP_SIMULATION "changesets.drop_simulation" "DELETE FROM changeset_simulations WHERE org_id = $1 AND id = $2";
    DROP_EFFECTS "changesets.drop_effects" "DELETE FROM changeset_effects WHERE org_id = $1 AND simulation_id = $2";
    ADD_EFFECT "changesets.add_effect" "INSERT INTO changeset_effects
        (org_id, simulation_id, position, kind, record_id, verb, cause, operation, before, after, child_id, digest)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    EFFECTS "changesets.effects" "SELECT kind, record_id, verb, cause, operation, before, after, child_id, digest FROM changeset_effects
        WHERE org_id = $1 AND simulation_id = $2 ORDER BY position";
    DIGESTS "changesets.digests" @read_once "SELECT kind, record_id, child_id, digest FROM changeset_effects
        WHERE org_id = $1 AND simulation_id = $2 ORDER BY position";
    NOTE "changesets.note" "INSERT INTO changeset_events (org_id, changeset_id, position, at, event, user_id, key_id, simulation_hash, reason)
        VALUES ($1, $2, (SELECT COALESCE(MAX(position), 0) + 1 FROM changeset_events WHERE org_id = $1 AND changeset_id = $2),
            $3, $4, $5, $6, $7, $8)";
    EVENTS "changesets.events" "SELECT v.position, v.at, v.event, v.user_id, u.name, v.key_id, v.simulation_hash, v.reason
        FROM changeset_events v LEFT JOIN users u ON u.id = v.user_id
        WHERE v.org_id = $1 AND v.changeset_id = $2 AND v.position > $3 ORDER BY v.position LIMIT $4";
}

/// Where the operations of a changeset come from, besides those that its author lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Random bytes for its ids and hashes.
    pub salt: [u8; 16],
    /// What an undo undoes, as JSON.
    pub undo_of: Option<String>,
    /// How its conflicts are resolved, as JSON.
    pub resolutions: String,
    /// What the file of an import is and how it is read, as JSON.
    pub file_options: Option<String>,
}

/// A stored simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The id.
    pub id: SimulationId,
    /// The changeset.
    pub changeset: ChangesetId,
    /// The hash. `None` if there are problems.
    pub hash: Option<String>,
    /// The digest of its effects alone.
    pub effect_digest: String,
    /// When it was made, or made again with the same result.
    pub at: Timestamp,
    /// The impact.
    pub impact: Json,
    /// The facts from which the risk follows.
    pub facts: Json,
    /// What was read and written.
    pub pins: BTreeSet<Pin>,
    /// Conflicts of an undo.
    pub conflicts: Vec<Json>,
    /// What a reviewer should know.
    pub warnings: Vec<Json>,
    /// Why it cannot be executed.
    pub problems: Vec<Json>,
}

/// A stored effect of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEffect {
    /// The images, opened if the reader may see them.
    pub effect: EntryEffect,
    /// Why it happens.
    pub cause: EffectCause,
    /// The operation that it comes from.
    pub operation: i64,
    /// A salted digest of its lasting fields.
    pub digest: String,
}

/// Something that happened to a changeset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number, from 1.
    pub position: i64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub event: ChangesetEvent,
    /// Who. `None` for the server.
    pub user: Option<UserId>,
    /// Their name now.
    pub name: Option<String>,
    /// The API key.
    pub key: Option<ApiKeyId>,
    /// The hash of the simulation.
    pub hash: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// An operation as it is stored. `None` if it is about a child whose data was erased.
pub type StoredOperation = (Option<Json>, Option<ChildId>);

fn json(query: &'static str, text: &str) -> Result<Json> {
    serde_json::from_str(text).map_err(|error| Error::Internal(format!("{query}: {error}")))
}

fn list_of(query: &'static str, text: &str) -> Result<Vec<Json>> {
    match json(query, text)? {
        Json::Array(list) => Ok(list),
        _ => Err(Error::Internal(format!("{query}: not a list"))),
    }
}

/// Changesets that the caller may see, newest first, from a position: all of them for a manager, otherwise their own.
pub async fn list(
    reader: &mut impl Reader,
    scope: &OrgScope,
    (state, author): (Option<ChangesetState>, Option<UserId>),
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Changeset>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let own = (scope.role() < Role::Manager).then(|| scope.user());
    if let (Some(own), Some(author)) = (own, author)
        && own != author
    {
        return Ok(Vec::new());
    }
    let state = state.map(ChangesetState::name);
    let mut values = values![id(scope.organization()), at, last, limit].to_vec();
    match (own.or(author), state) {
        (Some(author), state) => {
            values.extend([id(author), Value::from(state)]);
            reader.rows(LIST_OF, &values, record).await
        }
        (None, Some(state)) => {
            values.push(Value::from(state));
            reader.rows(LIST_IN, &values, record).await
        }
        (None, None) => reader.rows(LIST, &values, record).await,
    }
}

/// A changeset that the caller may see. Others are not found.
pub async fn read(
    reader: &mut impl Reader,
    scope: &OrgScope,
    changeset: ChangesetId,
) -> Result<Option<Changeset>> {
    let found: Option<Changeset> = crate::records::read(reader, scope, changeset).await?;
    let sees = |found: &Changeset| scope.role() >= Role::Manager || found.author_id == scope.user();
    Ok(found.filter(sees))
}

/// What a message about a changeset names.
#[derive(Clone, Debug, PartialEq)]
pub struct Club {
    /// The organization's name.
    pub name: String,
    /// The organization's time zone.
    pub time_zone: TimeZoneName,
    /// The name of the author.
    pub author: String,
    /// The impact of the current simulation.
    pub impact: Json,
}

/// The changeset that a message is about, before there is a caller.
pub async fn of_mail(
    reader: &mut impl Reader,
    organization: OrganizationId,
    changeset: ChangesetId,
) -> Result<Option<(Changeset, Club)>> {
    const QUERY: &str = "changesets.club";
    let values = values![id(organization), id(changeset)];
    let found = first(reader, OF_MAIL, values, record).await?;
    let Some(found) = found else { return Ok(None) };
    let club = first(reader, CLUB, values, |row| {
        let (name, time_zone, author) = (row.next()?, row.next()?, row.next()?);
        Ok(Club { name, time_zone, author, impact: json(QUERY, &row.next::<String>()?)? })
    });
    Ok(club.await?.map(|club| (found, club)))
}

/// A simulation of the caller's organization.
pub async fn simulation(
    reader: &mut impl Reader,
    organization: OrganizationId,
    simulation: SimulationId,
) -> Result<Option<Simulation>> {
    first(reader, SIMULATION, values![id(organization), id(simulation)], simulated).await
}

fn simulated(row: &mut Row<'_>) -> Result<Simulation> {
    const QUERY: &str = "changesets.simulation";
    Ok(Simulation {
        id: row.next()?,
        changeset: row.next()?,
        hash: row.next()?,
        effect_digest: row.next()?,
        at: row.next()?,
        impact: json(QUERY, &row.next::<String>()?)?,
        facts: json(QUERY, &row.next::<String>()?)?,
        pins: serde_json::from_str(&row.next::<String>()?)
            .map_err(|error| Error::Internal(format!("{QUERY}: {error}")))?,
        conflicts: list_of(QUERY, &row.next::<String>()?)?,
        warnings: list_of(QUERY, &row.next::<String>()?)?,
        problems: list_of(QUERY, &row.next::<String>()?)?,
    })
}

fn effect(row: &mut Row<'_>) -> Result<StoredEffect> {
    let unknown = |error: fieldhouse_domain::text::UnknownName| Error::Internal(error.to_string());
    let kind: Kind = row.next::<String>()?.parse().map_err(unknown)?;
    let (record, verb) = (row.next()?, row.next()?);
    let cause = row.next::<String>()?.parse().map_err(unknown)?;
    let operation = row.next()?;
    let images = [row.next()?, row.next()?];
    let effect = EntryEffect::of_images((kind, record), verb, row.next()?, images);
    Ok(StoredEffect { effect, cause, operation, digest: row.next()? })
}

/// The effects of a simulation, with those images opened that a relation of the caller opens.
pub async fn effects(
    tx: &ReadTx<'_>,
    images: &ImageScope,
    simulation: SimulationId,
) -> Result<(Vec<StoredEffect>, Shown)> {
    let mut reader = tx;
    let values = values![id(images.organization()), id(simulation)];
    let stored = reader.rows(EFFECTS, values, effect).await?;
    let (mut rest, mut closed) = (Vec::new(), Vec::new());
    for StoredEffect { effect, cause, operation, digest } in stored {
        closed.push(effect);
        rest.push((cause, operation, digest));
    }
    let mut entries = [Entry::of_effects(closed)];
    let shown = open_images(tx, images, &mut entries).await?;
    let [entry] = entries;
    let opened = entry.effects.into_iter().zip(rest);
    let effects =
        opened.map(|(effect, (cause, operation, digest))| StoredEffect { effect, cause, operation, digest });
    Ok((effects.collect(), shown))
}

/// The events of a changeset, earliest first, after a position.
pub async fn events(
    reader: &mut impl Reader,
    scope: &OrgScope,
    changeset: ChangesetId,
    after: i64,
    limit: u32,
) -> Result<Vec<Event>> {
    let values = values![id(scope.organization()), id(changeset), after, limit];
    reader
        .rows(EVENTS, values, |row| {
            Ok(Event {
                position: row.next()?,
                at: row.next()?,
                event: row.next::<String>()?.parse().map_err(
                    |error: fieldhouse_domain::text::UnknownName| Error::Internal(error.to_string()),
                )?,
                user: row.next()?,
                name: row.next()?,
                key: row.next()?,
                hash: row.next()?,
                reason: row.next()?,
            })
        })
        .await
}

/// The operations as they are shown: those about a child are not.
pub async fn shown_operations(
    reader: &mut impl Reader,
    organization: OrganizationId,
    changeset: ChangesetId,
) -> Result<Vec<Option<Json>>> {
    let values = values![id(organization), id(changeset)];
    reader
        .rows(OPERATIONS, values, |row| {
            let (body, child) = (row.next::<String>()?, row.next::<Option<Uuid>>()?);
            if child.is_some() { Ok(None) } else { json("changesets.operations", &body).map(Some) }
        })
        .await
}

/// What an undo undoes or an import reads.
pub async fn origin(
    reader: &mut impl Reader,
    organization: OrganizationId,
    changeset: ChangesetId,
) -> Result<Origin> {
    let values = values![id(organization), id(changeset)];
    let found = first(reader, READ_SOURCE, values, |row| {
        Ok(Origin {
            salt: row.next()?,
            undo_of: row.next()?,
            resolutions: row.next()?,
            file_options: row.next()?,
        })
    });
    found.await?.ok_or_else(|| Error::Internal(format!("{changeset} has no source")))
}

/// How long after its submission a changeset is executed at the latest: 14 days in review, and 30 days until its scheduled time.
const LONGEST: SignedDuration = SignedDuration::from_hours(45 * 24);

/// The file of an import.
pub async fn file(
    reader: &mut impl Reader,
    organization: OrganizationId,
    changeset: ChangesetId,
) -> Result<String> {
    let values = values![id(organization), id(changeset)];
    let found = first(reader, READ_FILE, values, |row| row.next::<Option<String>>()).await?;
    found.flatten().ok_or_else(|| Error::Internal(format!("{changeset} has no file")))
}

impl<'tx> Tx<'tx> {
    /// Deletes the file of an import that is not open any more.
    pub async fn drop_file(&mut self, proof: &OrgWrite<'tx>, changeset: ChangesetId) -> Result<()> {
        self.run(DROP_FILE, values![id(proof.organization()), id(changeset)]).await.map(drop)
    }

    /// Stores where the operations of a new changeset come from.
    pub async fn create_origin(
        &mut self,
        proof: &OrgWrite<'tx>,
        changeset: ChangesetId,
        origin: &Origin,
        file: Option<&str>,
    ) -> Result<()> {
        let values = values![
            id(proof.organization()),
            id(changeset),
            &origin.salt,
            origin.undo_of.as_ref(),
            file,
            origin.file_options.as_ref(),
        ];
        self.run(CREATE_SOURCE, values).await.map(drop)
    }

    /// Stores how the conflicts of an undo are resolved.
    pub async fn store_resolutions(
        &mut self,
        proof: &OrgWrite<'tx>,
        changeset: ChangesetId,
        resolutions: &str,
    ) -> Result<()> {
        let values = values![id(proof.organization()), id(changeset), resolutions];
        self.run(RESOLVE, values).await.map(drop)
    }

    /// Replaces the operations of a changeset. Those about a child are sealed.
    pub async fn replace_operations(
        &mut self,
        proof: &OrgWrite<'tx>,
        changeset: ChangesetId,
        operations: &[(Json, Option<ChildId>)],
    ) -> Result<()> {
        let organization = proof.organization();
        self.run(DROP_OPERATIONS, values![id(organization), id(changeset)]).await?;
        let mut rows = Vec::with_capacity(operations.len());
        for ((body, child), position) in operations.iter().zip(0_i64..) {
            let mut body = body.to_string();
            if let Some(child) = child {
                let key = self.child_key((organization, *child)).await?;
                let key = key.ok_or(crate::SealError::Erased)?;
                body = key.seal_text(place_of(changeset), &body)?;
            }
            rows.push(values![id(organization), id(changeset), position, body, child.map(Id::uuid)].to_vec());
        }
        self.run_each(ADD_OPERATION, &rows).await
    }

    /// The operations of a changeset, to run them. They are shown to no one.
    pub async fn operations_to_run(
        &mut self,
        proof: &OrgWrite<'tx>,
        changeset: ChangesetId,
    ) -> Result<Vec<StoredOperation>> {
        let organization = proof.organization();
        let values = values![id(organization), id(changeset)];
        let stored: Vec<(String, Option<ChildId>)> =
            self.rows(OPERATIONS, values, |row| Ok((row.next()?, row.next()?))).await?;
        let mut operations = Vec::with_capacity(stored.len());
        for (body, child) in stored {
            let plain = match (child, SealedText::parse(&body)) {
                (Some(child), Some(sealed)) => match keys::read(self, (organization, child)).await? {
                    Some(key) => Some(sealed.open(&key, place_of(changeset))?),
                    None => None,
                },
                _ => Some(body),
            };
            let body = plain.map(|plain| json("changesets.operations", &plain)).transpose()?;
            operations.push((body, child));
        }
        Ok(operations)
    }

    /// How many changesets of an author are open, and how many of them one key wrote.
    pub async fn open_changesets(
        &mut self,
        proof: &OrgWrite<'tx>,
        (author, key): (UserId, Option<ApiKeyId>),
        now: Timestamp,
    ) -> Result<(i64, i64)> {
        let values = values![id(proof.organization()), id(author), key.map(Id::uuid), now];
        let counts = first(self, OPEN, values, |row| Ok((row.next()?, row.next()?))).await?;
        Ok(counts.unwrap_or_default())
    }

    /// The facts of the author's other changesets that were submitted or executed after a time or are scheduled. Those that are not executed
    /// count if they were submitted before a second time.
    pub async fn recent_facts(
        &mut self,
        proof: &OrgWrite<'tx>,
        changeset: &Changeset,
        [since, before]: [Timestamp; 2],
    ) -> Result<Vec<Json>> {
        let (author, own) = (id(changeset.author_id), id(changeset.id));
        // None is executed later than this after its submission.
        let first = since.saturating_sub(LONGEST).unwrap_or(Timestamp::MIN);
        let values = values![id(proof.organization()), author, first, own, since, before];
        self.rows(RECENT, values, |row| json("changesets.recent", &row.next::<String>()?)).await
    }

    /// Stores a simulation with its effects. What is about a child is sealed.
    pub async fn store_simulation(
        &mut self,
        proof: &OrgWrite<'tx>,
        simulation: &Simulation,
        nets: &[(&Net, &str)],
    ) -> Result<()> {
        let organization = proof.organization();
        let text = |list: &[Json]| Json::from(list.to_vec()).to_string();
        let pins = serde_json::to_string(&simulation.pins).unwrap_or_default();
        let values = values![
            id(organization),
            id(simulation.id),
            id(simulation.changeset),
            simulation.hash.as_ref(),
            &simulation.effect_digest,
            simulation.at,
            simulation.impact.to_string(),
            simulation.facts.to_string(),
            pins,
            text(&simulation.conflicts),
            text(&simulation.warnings),
            text(&simulation.problems),
        ];
        self.run(ADD_SIMULATION, values).await?;
        let mut rows = Vec::with_capacity(nets.len());
        for ((net, digest), position) in nets.iter().zip(0_i64..) {
            let Some(record) = net.effect.record() else { continue };
            let (kind, uuid, child) = (record.kind(), record.uuid(), record.child());
            let images = [net.effect.before.as_ref(), net.effect.after.as_ref()];
            let [before, after] = self.images(organization, images).await?;
            let operation = i64::try_from(net.operation).unwrap_or(i64::MAX);
            rows.push(vec![
                id(organization),
                id(simulation.id),
                Value::from(position),
                Value::from(kind.name()),
                Value::from(uuid),
                Value::from(net.effect.verb()),
                Value::from(net.cause.name()),
                Value::from(operation),
                Value::from(before),
                Value::from(after),
                Value::from(child.map(Id::uuid)),
                Value::from(*digest),
            ]);
        }
        self.run_each(ADD_EFFECT, &rows).await?;
        self.drop_old_simulations(organization, simulation.changeset).await
    }

    /// The images of a record before and after, sealed if it is about a child.
    async fn images(
        &mut self,
        organization: OrganizationId,
        records: [Option<&AnyRecord>; 2],
    ) -> Result<[Option<String>; 2]> {
        let mut images = [None, None];
        for (image, record) in images.iter_mut().zip(records) {
            let Some(record) = record else { continue };
            let plain = record.image_text();
            *image = Some(match record.child() {
                None => plain.into_owned(),
                Some(child) => {
                    let key = self.child_key((organization, child)).await?;
                    let key = key.ok_or(crate::SealError::Erased)?;
                    key.seal_text(Place::Image(record.kind(), record.uuid()), &plain)?
                }
            });
        }
        Ok(images)
    }

    async fn drop_old_simulations(
        &mut self,
        organization: OrganizationId,
        changeset: ChangesetId,
    ) -> Result<()> {
        let values = values![id(organization), id(changeset)];
        let all: Vec<SimulationId> = self.rows(OLD, values, |row| row.next()).await?;
        for old in all.into_iter().skip(KEPT_SIMULATIONS as usize) {
            self.run(DROP_EFFECTS, values![id(organization), id(old)]).await?;
            self.run(DROP_SIMULATION, values![id(organization), id(old)]).await?;
        }
        Ok(())
    }

    /// Notes that a simulation was made again with the same result.
    pub async fn renew_simulation(
        &mut self,
        proof: &OrgWrite<'tx>,
        simulation: SimulationId,
        at: Timestamp,
        facts: &Json,
    ) -> Result<()> {
        let values = values![id(proof.organization()), id(simulation), at, facts.to_string()];
        self.run(AGAIN, values).await.map(drop)
    }

    /// The records that a simulation changes, each with the salted digest of its lasting fields, and the child whom it is about.
    pub async fn simulated_records(
        &mut self,
        proof: &OrgWrite<'tx>,
        simulation: SimulationId,
    ) -> Result<Vec<(Kind, Uuid, Option<ChildId>, String)>> {
        let values = values![id(proof.organization()), id(simulation)];
        self.rows(DIGESTS, values, |row| Ok((row.next()?, row.next()?, row.next()?, row.next()?))).await
    }

    /// Notes an event.
    pub async fn note_event(
        &mut self,
        proof: &OrgWrite<'tx>,
        changeset: &Changeset,
        event: ChangesetEvent,
        at: Timestamp,
        reason: Option<&str>,
    ) -> Result<()> {
        let actor = proof.actor();
        let values = values![
            id(proof.organization()),
            id(changeset.id),
            at,
            event.name(),
            actor.user.map(Id::uuid),
            actor.key.map(Id::uuid),
            changeset.simulation_hash.as_ref(),
            reason,
        ];
        self.run(NOTE, values).await.map(drop)
    }
}

fn place_of(changeset: ChangesetId) -> Place<'static> {
    Place::FieldOf(Kind::Changeset, "operation", changeset.uuid())
}

/// Changesets that wait for the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Those to execute now.
    pub due: Vec<ChangesetId>,
    /// Those whose time is over.
    pub over: Vec<ChangesetId>,
}

impl Store {
    /// The organizations with changesets that wait for the server at a time.
    pub async fn organizations_with_waiting_changesets(&self, now: Timestamp) -> Result<Vec<OrganizationId>> {
        self.organizations_having(WITH_WAITING, now).await
    }

    /// The changesets of an organization that wait for the server at a time.
    pub async fn waiting_changesets(&self, organization: OrganizationId, now: Timestamp) -> Result<Waiting> {
        let mut reader = self;
        let values = values![id(organization), now];
        let due = reader.rows(DUE, values, |row| row.next()).await?;
        let over = reader.rows(OVER, values, |row| row.next()).await?;
        Ok(Waiting { due, over })
    }
}
