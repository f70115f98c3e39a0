//! The match report: which record each name of a file becomes, and which names look like another spelling of an existing one.

use std::collections::HashMap;
use std::hash::Hash;

use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::TeamId;
use fieldhouse_domain::record::enumeration;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::venues::Venue;

use super::games::Pass;
use super::similar::Spellings;

enumeration! {
    /// A kind of record in a match report.
    MatchKind {
        /// A season.
        Season "season",
        /// A division.
        Division "division",
        /// A team.
        Team "team",
        /// A venue.
        Venue "venue",
        /// A game.
        Game "game",
    }
}

enumeration! {
    /// How an import found a record.
    MatchHow {
        /// It has the same external id.
        ExternalId "external_id",
        /// It has the same name, regardless of case and accents.
        Name "name",
        /// It did not exist and is created.
        Created "created",
        /// The same teams play in the same round, but the time differs.
        Teams "teams",
        /// A game was planned at the same time and place, but with other teams.
        TimeAndPlace "time_and_place",
    }
}

/// What a value of the file is in the organization. Games are listed only if they were found without an external id and have another time or
/// other teams than before.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
pub struct Match {
    /// The kind of record.
    pub kind: MatchKind,
    /// The value in the file: a name, or the teams of a game.
    pub file_value: String,
    /// The existing record. Null if it is created.
    pub record_id: Option<String>,
    /// Its name; of a game, its teams before. Null if it is created.
    pub name: Option<String>,
    /// How it was found.
    pub how: MatchHow,
}

/// A new name that looks like another spelling of a record or of another name in the file. It is imported as a new record all the same.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
pub struct Suggestion {
    /// The kind of record.
    pub kind: MatchKind,
    /// The name in the file.
    pub file_value: String,
    /// The existing record. Null if it is another name in the file.
    pub record_id: Option<String>,
    /// The other spelling.
    pub name: String,
    /// Why they look alike, for a person.
    pub reason: String,
}

/// A record with a name.
pub(super) trait Named {
    const KIND: MatchKind;
    fn id(&self) -> String;
    fn name(&self) -> &Name;
}

macro_rules! named {
    ($($record:ident)+) => { $(
        impl Named for $record {
            const KIND: MatchKind = MatchKind::$record;
            fn id(&self) -> String { self.id.to_string() }
            fn name(&self) -> &Name { &self.name }
        }
    )+ };
}
named! { Season Division Team Venue }

/// A name in the file, and its record before the import.
pub(super) struct Mention<'a, R> {
    pub(super) said: &'a str,
    pub(super) how: MatchHow,
    pub(super) before: Option<&'a R>,
}

/// The matches of one kind.
pub(super) fn matches<'a, R: Named + 'a>(mentions: impl Iterator<Item = Mention<'a, R>>) -> Vec<Match> {
    let of = |mention: Mention<'a, R>| Match {
        kind: R::KIND,
        file_value: mention.said.to_owned(),
        record_id: mention.before.map(Named::id),
        name: mention.before.map(|record| record.name().to_string()),
        how: if mention.before.is_some() { mention.how } else { MatchHow::Created },
    };
    mentions.map(of).collect()
}

/// The suggestions of one kind. Only names of the same group, such as the teams of a division, are compared. `known` are the existing
/// records, `new` the names that become new ones.
pub(super) fn suggestions<'a, G: Eq + Hash>(
    kind: MatchKind,
    known: impl Iterator<Item = (G, &'a str, String)>,
    new: impl Iterator<Item = (G, &'a str)>,
) -> Vec<Suggestion> {
    let mut groups: HashMap<G, Spellings<Option<String>>> = HashMap::new();
    for (group, name, id) in known {
        groups.entry(group).or_default().add(name, Some(id));
    }
    let mut found = Vec::new();
    for (group, name) in new {
        let spellings = groups.entry(group).or_default();
        found.extend(spellings.like(name).map(|(other, id, reason)| Suggestion {
            kind,
            file_value: name.to_owned(),
            record_id: id.clone(),
            name: other.to_owned(),
            reason: reason.to_owned(),
        }));
        spellings.add(name, None);
    }
    found
}

/// The games that were found only by their teams, or by time and place, and change.
pub(super) fn games<'a>(
    changes: impl Iterator<Item = (&'a Game, &'a Game, Pass)>,
    teams: &HashMap<TeamId, String>,
) -> Vec<Match> {
    let meeting = |game: &Game| {
        let team = |id: Option<TeamId>| id.and_then(|id| teams.get(&id)).map_or("?", String::as_str);
        format!("{} v {}", team(game.home_team_id), team(game.away_team_id))
    };
    let shown = |(before, after, pass): (&Game, &Game, Pass)| {
        let how = match pass {
            Pass::Meeting if before.starts_at != after.starts_at => MatchHow::Teams,
            Pass::Slot => MatchHow::TimeAndPlace,
            _ => return None,
        };
        let local = |game: &Game| game.time_zone.local(game.starts_at).strftime("%Y-%m-%d %H:%M").to_string();
        let described = |game: &Game| format!("{}, {}", meeting(game), local(game));
        Some(Match {
            kind: MatchKind::Game,
            file_value: described(after),
            record_id: Some(before.id.to_string()),
            name: Some(described(before)),
            how,
        })
    };
    changes.filter_map(shown).collect()
}
