//! What a changeset means for people: which games are added, moved and cancelled, how many families are told, and which clashes are new.
//!
//! Everything here follows from effects and from what the store read beside them. Nothing names a child or a member of its family.

mod games;
mod told;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::children::classes::{self, Capacity, DataClass};
use crate::effects::{AnyRecord, Effect, Kind};
use crate::games::Game;
use crate::ids::{ChildId, GameId, TeamId, UserId};
use crate::record::enumeration;
use crate::scopes::Verb;

pub use games::{
    ChangedGame, Earlier, Elsewhere, GameChange, Overlap, affected_teams, changed_games, days_of_teams,
    is_new_clash, new_overlaps,
};
pub use told::{Names, TOLD, ToldGame, game_of_image, lines, told};

/// The maximum number of samples of each count.
pub const SAMPLES: usize = 100;

/// A game, in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GameSample {
    /// The game.
    pub id: GameId,
    /// Such as `U12 Blue – Red Hawks, Sat 2026-03-07 09:00`, in the game's time zone.
    pub text: String,
}

/// How many games, and some of them, soonest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GameCount {
    /// The number.
    pub count: usize,
    /// At most 100 of them.
    pub samples: Vec<GameSample>,
}

/// A team, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamSample {
    /// The team.
    pub id: TeamId,
    /// Its name.
    pub text: String,
}

/// How many teams, and some of them, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TeamCount {
    /// The number.
    pub count: usize,
    /// At most 100 of them.
    pub samples: Vec<TeamSample>,
}

/// Two games at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClashSample {
    /// The changed game.
    pub game: GameSample,
    /// The other game.
    pub other: GameSample,
    /// The member of staff who would have to be at both. Null if the games share a team or a field.
    pub user_id: Option<UserId>,
}

/// How many clashes a changeset introduces, and some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClashCount {
    /// The number.
    pub count: usize,
    /// At most 100 of them.
    pub samples: Vec<ClashSample>,
}

enumeration! {
    /// What an undo does not bring back.
    Lasting {
        /// Messages to families, once their holding time is over.
        Messages "messages",
        /// Sessions that end.
        Sessions "sessions",
        /// API keys that are revoked.
        ApiKeys "api_keys",
        /// Duties that end.
        Duties "duties",
        /// Relations to children that end.
        Relations "relations",
        /// Registrations of children that are withdrawn or deleted.
        Registrations "registrations",
        /// Any other record that a changeset cannot hold.
        Others "others",
    }
}

/// How much of something an undo does not bring back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastingCount {
    /// What it is.
    pub what: Lasting,
    /// The number. For messages, of families.
    pub count: usize,
}

/// What a changeset means for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Impact {
    /// How many records change, by the operations and by what follows from them.
    pub records: usize,
    /// How many of them are created.
    pub created: usize,
    /// How many of them are updated.
    pub updated: usize,
    /// How many of them are deleted.
    pub deleted: usize,
    /// Games to come that are added, or take place again.
    pub games_added: GameCount,
    /// Games to come with another time, place or side.
    pub games_moved: GameCount,
    /// Games to come that are cancelled, postponed or deleted.
    pub games_cancelled: GameCount,
    /// The teams of these games, before and after.
    pub teams: TeamCount,
    /// How many people are told: guardians of children who are in these teams on the day of a game, and these children themselves.
    pub families: usize,
    /// When the first of these games starts, or would have started.
    pub first_game: Option<Timestamp>,
    /// Games that would share a team or a field with another game at the same time, and do not now.
    pub double_bookings: ClashCount,
    /// Games at which someone of the staff would be needed at another team's game, and is not now.
    pub coach_clashes: ClashCount,
    /// How many children change their team, or get other staff.
    pub children: usize,
    /// The classes of children's data that are changed, or that are opened or closed to someone.
    pub child_classes: Vec<DataClass>,
    /// Whether someone gets a higher role.
    pub raises_role: bool,
    /// Whether a season is deleted or changes its status.
    pub whole_season: bool,
    /// What an undo does not bring back.
    pub cannot_be_undone: Vec<LastingCount>,
}

/// What the store read to find out the impact of effects.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The names of teams and venues, also of deleted ones.
    pub names: Names,
    /// The number of people whom a message about the games is sent to.
    pub families: usize,
    /// The children on the rosters of the teams whose staff changes.
    pub children: BTreeSet<ChildId>,
    /// New overlaps of changed games with others.
    pub double_bookings: Vec<Overlap>,
    /// New overlaps of changed games with those of other teams of the same staff.
    pub coach_clashes: Vec<(UserId, Overlap)>,
}

impl Impact {
    /// The impact of effects. Only games that start after `now` count.
    pub fn of(effects: &[Effect], now: Timestamp, read: &Surroundings) -> Self {
        let verbs = |verb| effects.iter().filter(|effect| effect.verb() == verb).count();
        let games = changed_games(effects, now);
        let of = |change| {
            let shown = games.iter().filter(|game| game.change == change);
            let mut shown: Vec<&Game> = shown.map(|game| game.shown).collect();
            shown.sort_by_key(|game| (game.starts_at, game.id));
            let sample = |game: &&Game| read.names.sample(game);
            GameCount { count: shown.len(), samples: shown.iter().take(SAMPLES).map(sample).collect() }
        };
        let teams = affected_teams(effects, now);
        let mut samples: Vec<TeamSample> =
            teams.iter().map(|id| TeamSample { id: *id, text: read.names.team(*id) }).collect();
        samples.sort_by(|one, other| (&one.text, one.id).cmp(&(&other.text, other.id)));
        samples.truncate(SAMPLES);
        Self {
            records: effects.len(),
            created: verbs("created"),
            updated: verbs("updated"),
            deleted: verbs("deleted"),
            games_added: of(GameChange::Added),
            games_moved: of(GameChange::Moved),
            games_cancelled: of(GameChange::Cancelled),
            teams: TeamCount { count: teams.len(), samples },
            families: read.families,
            first_game: games.iter().filter_map(|game| game.first_after(now)).min(),
            double_bookings: clashes(read.double_bookings.iter().map(|overlap| (None, overlap)), &read.names),
            coach_clashes: clashes(
                read.coach_clashes.iter().map(|(user, overlap)| (Some(*user), overlap)),
                &read.names,
            ),
            children: children(effects, &read.children),
            child_classes: child_classes(effects),
            raises_role: effects.iter().any(raises_role),
            whole_season: effects.iter().any(is_whole_season),
            cannot_be_undone: cannot_be_undone(effects, read.families),
        }
    }
}

fn clashes<'a>(found: impl Iterator<Item = (Option<UserId>, &'a Overlap)>, names: &Names) -> ClashCount {
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(user, overlap)| (overlap.game.starts_at, overlap.game.id, overlap.other.id, *user));
    let sample = |(user_id, overlap): &(Option<UserId>, &Overlap)| ClashSample {
        game: names.sample(&overlap.game),
        other: names.sample(&overlap.other),
        user_id: *user_id,
    };
    ClashCount { count: found.len(), samples: found.iter().take(SAMPLES).map(sample).collect() }
}

/// The teams whose staff changes.
pub fn teams_with_other_staff(effects: &[Effect]) -> BTreeSet<TeamId> {
    let records = effects.iter().flat_map(|effect| [&effect.before, &effect.after]).flatten();
    let teams = records.filter_map(|record| match record {
        AnyRecord::Staff(staff) => Some(staff.team_id),
        _ => None,
    });
    teams.collect()
}

/// How many children change their team, or are in one of the teams whose staff changes.
fn children(effects: &[Effect], of_staff: &BTreeSet<ChildId>) -> usize {
    let entries = effects.iter().filter_map(|effect| match effect.record() {
        Some(AnyRecord::RosterEntry(entry)) => Some(entry.child_id),
        _ => None,
    });
    entries.chain(of_staff.iter().copied()).collect::<BTreeSet<_>>().len()
}

/// The classes of changed records; and those that staff see, if it changes who is staff of whom.
fn child_classes(effects: &[Effect]) -> Vec<DataClass> {
    let kinds: BTreeSet<Kind> = effects.iter().filter_map(Effect::record).map(AnyRecord::kind).collect();
    let opens = kinds.contains(&Kind::Staff) || kinds.contains(&Kind::RosterEntry);
    let is_touched = |class: &DataClass| {
        let changes = kinds.iter().any(|kind| classes::of_image(*kind) == Some(*class));
        changes || opens && classes::opens(Capacity::Staff, *class, Verb::Read)
    };
    DataClass::ALL.iter().copied().filter(is_touched).collect()
}

fn raises_role(effect: &Effect) -> bool {
    match (&effect.before, &effect.after) {
        (Some(AnyRecord::Member(before)), Some(AnyRecord::Member(after))) => after.role > before.role,
        (None, Some(AnyRecord::Member(_))) => true,
        _ => false,
    }
}

fn is_whole_season(effect: &Effect) -> bool {
    match (&effect.before, &effect.after) {
        (Some(AnyRecord::Season(before)), Some(AnyRecord::Season(after))) => before.status != after.status,
        (Some(AnyRecord::Season(_)), None) => true,
        _ => false,
    }
}

fn cannot_be_undone(effects: &[Effect], families: usize) -> Vec<LastingCount> {
    let mut counts: BTreeMap<Lasting, usize> = BTreeMap::new();
    if families > 0 {
        counts.insert(Lasting::Messages, families);
    }
    for effect in effects {
        let Some(kind) = effect.record().map(AnyRecord::kind) else { continue };
        let lasting = match kind {
            Kind::Season
            | Kind::Division
            | Kind::Team
            | Kind::Venue
            | Kind::Game
            | Kind::RosterEntry
            | Kind::Staff
            | Kind::Member => continue,
            Kind::Session => Lasting::Sessions,
            Kind::ApiKey => Lasting::ApiKeys,
            Kind::Duty => Lasting::Duties,
            Kind::Relation => Lasting::Relations,
            Kind::Registration => Lasting::Registrations,
            _ => Lasting::Others,
        };
        *counts.entry(lasting).or_default() += 1;
    }
    counts.into_iter().map(|(what, count)| LastingCount { what, count }).collect()
}

#[cfg(test)]
mod tests;
