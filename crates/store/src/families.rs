//! Families of teams, to tell them about changed games. Addresses never leave the store except as recipients of messages.
//!
//! A message about changed games is held for a while and is void if the changeset is undone meanwhile. What it says is read when it is sent:
//! which of the teams concern the recipient is stored with the message and checked again, because a relation may have ended, or a restriction
//! begun.

use std::collections::{BTreeMap, BTreeSet};

use constcat::concat;
use fieldhouse_domain::Moment;
use fieldhouse_domain::changesets::impact::{self as rules, ToldGame};
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::{ChildId, OrganizationId, TeamId, UserId};
use fieldhouse_domain::kinds::Visibility;
use fieldhouse_domain::mail::{MailKind, MailStatus, Message};
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::text::Email;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::access::OrgWrite;
use crate::engine::{Reader, Tx, first};
use crate::error::{Error, Result};
use crate::impact;
use crate::mail::Mail;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

/// The child itself and its guardians, whose relation is active at the time $3, as `r`, with the user `u`: members who are not suspended, and
/// to whom no restriction closes the class `roster`, whose bit is 1.
const OPEN: &str = "r.org_id = $1 AND r.kind IN ('self', 'guardian') AND r.state = 'active' AND r.starts_at <= $3
    AND (r.expires_at IS NULL OR r.expires_at > $3) AND m.org_id = $1 AND m.user_id = r.user_id AND m.suspended_at IS NULL
    AND u.id = r.user_id AND u.suspended_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM restrictions x WHERE x.org_id = $1 AND x.child_id = r.child_id
        AND (x.user_id IS NULL OR x.user_id = r.user_id) AND x.starts_at <= $3 AND x.lifted_at IS NULL AND (x.class_bits & 1) <> 0)";

queries! {
    /// The families of children who are in the team $2 on the day $4 or later.
    OF_TEAM "families.of_team" @read_once concat!("SELECT r.user_id, u.email, e.child_id, e.starts_on, e.ends_on
        FROM roster_entries e CROSS JOIN relations r CROSS JOIN members m CROSS JOIN users u
        WHERE e.org_id = $1 AND e.team_id = $2 AND (e.ends_on IS NULL OR e.ends_on >= $4) AND r.child_id = e.child_id AND ", OPEN);
    /// The family of the child $2.
    OF_CHILD "families.of_child" concat!("SELECT r.user_id, u.email FROM relations r CROSS JOIN members m CROSS JOIN users u
        WHERE r.child_id = $2 AND ", OPEN);
    NOTE "families.note" "INSERT INTO mail_teams (org_id, mail_id, child_id, team_id, user_id, starts_on, ends_on)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
    /// The teams of the message $2 that still concern its recipient, who still has the address $4.
    NOTED "families.noted" concat!("SELECT t.team_id, t.starts_on, t.ends_on FROM mail_teams t CROSS JOIN relations r
        CROSS JOIN members m CROSS JOIN users u WHERE t.org_id = $1 AND t.mail_id = $2 AND r.child_id = t.child_id
        AND r.user_id = t.user_id AND u.email_folded = $4 AND ", OPEN);
    CHANGESET "families.changeset" "SELECT o.name, c.reason FROM orgs o JOIN changesets c ON c.org_id = $1 AND c.id = $2 WHERE o.id = $1";
    KINDS "families.kinds" "SELECT DISTINCT f.kind FROM changesets c JOIN changeset_effects f ON f.org_id = $1 AND f.simulation_id = c.simulation_id
        WHERE c.org_id = $1 AND c.id = $2";
    EFFECTS "families.effects" "SELECT f.kind, f.before, f.after FROM changesets c
        JOIN changeset_effects f ON f.org_id = $1 AND f.simulation_id = c.simulation_id
        WHERE c.org_id = $1 AND c.id = $2 AND f.kind IN ('game', 'team', 'venue') ORDER BY f.position";
    HELD "families.held" "SELECT recipient FROM mail WHERE record_id = $2 AND status = 'waiting' AND org_id = $1
        AND kind = 'games_changed'";
    VOID "families.void" "UPDATE mail SET due_at = NULL, status = 'void', ended_at = $3 WHERE record_id = $2 AND status = 'waiting'
        AND org_id = $1 AND kind = 'games_changed'";
}

/// The days on which a child is in a team.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Days {
    child: ChildId,
    team: TeamId,
    first: Date,
    last: Option<Date>,
}

impl Days {
    fn of(entry: &RosterEntry) -> Self {
        Self { child: entry.child_id, team: entry.team_id, first: entry.starts_on, last: entry.ends_on }
    }

    fn include(&self, day: Date) -> bool {
        self.first <= day && self.last.is_none_or(|last| last >= day)
    }
}

/// Someone who is told about changed games.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    email: Email,
    days: BTreeSet<Days>,
}

/// The people to tell about the changed games of effects that have been applied: the families of children who are, or were before these
/// effects, in a team of such a game on its day.
pub(crate) async fn told(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    effects: &[Effect],
    now: Timestamp,
) -> Result<BTreeMap<UserId, Told>> {
    let mut told: BTreeMap<UserId, Told> = BTreeMap::new();
    let mut note = |user, email: Email, days: Days| {
        let person = told.entry(user).or_insert_with(|| Told { email, days: BTreeSet::new() });
        person.days.insert(days);
    };
    let of_teams = rules::days_of_teams(effects, now);
    let concerns = |days: &Days| {
        let on = of_teams.get(&days.team).into_iter().flatten();
        on.into_iter().any(|day| days.include(*day))
    };
    let asked = of_teams.iter().filter_map(|(team, on)| {
        let values = values![id(organization), id(*team), now, *on.first()?];
        Some((*team, values.to_vec()))
    });
    let (teams, asked): (Vec<TeamId>, Vec<_>) = asked.unzip();
    tx.read_ahead(OF_TEAM, &asked).await?;
    for (team, values) in teams.into_iter().zip(&asked) {
        let found = tx.rows(OF_TEAM, values, |row| {
            let (user, email) = (row.next::<UserId>()?, row.next::<Email>()?);
            Ok((user, email, Days { child: row.next()?, team, first: row.next()?, last: row.next()? }))
        });
        for (user, email, days) in found.await?.into_iter().filter(|(_, _, days)| concerns(days)) {
            note(user, email, days);
        }
    }
    // With a team or a season, its rosters are deleted too.
    let before = effects.iter().filter_map(|effect| match &effect.before {
        Some(AnyRecord::RosterEntry(entry)) => Some(Days::of(entry)),
        _ => None,
    });
    for days in before.filter(concerns) {
        let values = values![id(organization), id(days.child), now];
        for (user, email) in tx.rows(OF_CHILD, values, |row| Ok((row.next()?, row.next()?))).await? {
            note(user, email, days.clone());
        }
    }
    Ok(told)
}

impl<'tx> Tx<'tx> {
    /// Queues one message to each address of families that the executed changeset's effects concern, and returns their number. They are sent
    /// when `hold` is over. `except` are addresses that [`Tx::void_held`] returned: they got no message about the change that these effects undo.
    pub async fn queue_games_changed(
        &mut self,
        proof: &OrgWrite<'tx>,
        moment: &Moment,
        (changeset, version): (Uuid, i64),
        effects: &[Effect],
        hold: SignedDuration,
        except: &[Email],
    ) -> Result<usize> {
        let (organization, now) = (proof.organization(), moment.now());
        let due = now.saturating_add(hold).unwrap_or(Timestamp::MAX);
        let mut people = told(self, organization, effects, now).await?;
        people.retain(|_, person| !except.iter().any(|email| email.folded() == person.email.folded()));
        for (user, Told { email, days }) in &people {
            let message = Message {
                kind: MailKind::GamesChanged,
                recipient: email.clone(),
                record: changeset,
                version,
            };
            let mail = self.queue_mail_at(Some(organization), moment, &message, due).await?;
            for Days { child, team, first, last } in days {
                let (child, team, user) = (id(*child), id(*team), id(*user));
                let values = values![id(organization), id(mail), child, team, user, *first, *last];
                self.run(NOTE, values).await?;
            }
        }
        Ok(people.len())
    }

    /// Voids the messages of a changeset that were not sent yet, in the transaction that undoes it, and returns their addresses.
    pub async fn void_held(
        &mut self,
        proof: &OrgWrite<'tx>,
        changeset: Uuid,
        now: Timestamp,
    ) -> Result<Vec<Email>> {
        let organization = proof.organization();
        let held = self.rows(HELD, values![id(organization), changeset], |row| row.next()).await?;
        self.run(VOID, values![id(organization), changeset, now]).await?;
        Ok(held)
    }
}

/// What a message about changed games says.
#[derive(Clone, Debug, PartialEq)]
pub struct GamesTold {
    /// The organization's name.
    pub organization: String,
    /// Why, unless the changeset is also about children: then its writer may have named one.
    pub reason: Option<String>,
    /// The games of the teams that concern the recipient, soonest first.
    pub games: Vec<ToldGame>,
}

/// What a message about changed games says to its recipient now. `None` if it no longer concerns them, or the message has ended.
pub async fn games_told(reader: &mut impl Reader, mail: &Mail, now: Timestamp) -> Result<Option<GamesTold>> {
    let (Some(organization), Some(changeset)) = (mail.organization, mail.record) else { return Ok(None) };
    let is_waiting = |mail: Mail| mail.status == MailStatus::Waiting;
    if !crate::mail::read(reader, mail.id).await?.is_some_and(is_waiting) {
        return Ok(None);
    }
    let values = values![id(organization), id(mail.id), now, mail.recipient.folded()];
    let theirs = reader.rows(NOTED, values, |row| {
        let (team, first, last): (TeamId, Date, Option<Date>) = (row.next()?, row.next()?, row.next()?);
        Ok((team, first, last))
    });
    let theirs = theirs.await?;
    let of = values![id(organization), changeset];
    let found = first(reader, CHANGESET, of, |row| Ok((row.next::<String>()?, row.next()?))).await?;
    let Some((name, reason)) = found.filter(|_| !theirs.is_empty()) else { return Ok(None) };
    let effects = stored(reader, organization, changeset).await?;
    let games = || {
        let records = effects.iter().flat_map(|effect| [&effect.before, &effect.after]).flatten();
        records.filter_map(|record| match record {
            AnyRecord::Game(game) => Some(game),
            _ => None,
        })
    };
    let mut names = impact::named(&effects);
    let teams = games().flat_map(|game| [game.home_team_id, game.away_team_id]).flatten().collect();
    impact::name_teams(reader, organization, &mut names, &teams).await?;
    let venues = games().filter_map(|game| game.venue_id).collect();
    impact::name_venues(reader, organization, &mut names, &venues).await?;
    let is_theirs = |team, day| {
        theirs
            .iter()
            .any(|(of, first, last)| *of == team && *first <= day && last.is_none_or(|last| last >= day))
    };
    let games = rules::told(&effects, mail.created_at, &names, is_theirs);
    if games.is_empty() {
        return Ok(None);
    }
    let kinds: Vec<Kind> = reader.rows(KINDS, of, |row| row.next()).await?;
    let is_about_a_child = kinds.iter().any(|kind| kind.visibility() == Visibility::Relations);
    let reason = Option::<String>::filter(reason, |_| !is_about_a_child);
    Ok(Some(GamesTold { organization: name, reason, games }))
}

/// The effects on games of an executed changeset, and on the names of teams and venues.
async fn stored(
    reader: &mut impl Reader,
    organization: OrganizationId,
    changeset: Uuid,
) -> Result<Vec<Effect>> {
    let row = |row: &mut Row<'_>| {
        let kind: Kind = row.next()?;
        let (before, after): (Option<String>, Option<String>) = (row.next()?, row.next()?);
        let read = |image: Option<String>| image.map(|image| read_image(kind, &image)).transpose();
        Ok(Effect { before: read(before)?, after: read(after)? })
    };
    reader.rows(EFFECTS, values![id(organization), changeset], row).await
}

fn read_image(kind: Kind, image: &str) -> Result<AnyRecord> {
    let unreadable = || Error::Internal(format!("the image of a {kind} is unreadable"));
    let image: Map<String, Json> = serde_json::from_str(image).map_err(|_| unreadable())?;
    AnyRecord::of_image(kind, &image).map_err(|_| unreadable())
}

#[cfg(test)]
mod tests {
    use fieldhouse_domain::children::classes::DataClass;
    use fieldhouse_domain::children::relations::RelationKind;

    #[test]
    fn the_names_and_numbers_in_the_sql_are_those_of_the_domain() {
        assert_eq!(DataClass::Roster.bit(), 1);
        let family = RelationKind::ALL.iter().filter(|kind| kind.is_family());
        assert_eq!(family.map(|kind| kind.name()).collect::<Vec<_>>(), ["self", "guardian"]);
        assert_eq!(super::MailKind::GamesChanged.name(), "games_changed");
    }
}
