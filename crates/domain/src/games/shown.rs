//! Games as responses show them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{GameKind, GameStatus, LastChange};
use crate::ids::{self, ChildId, DivisionId, GameId, SeasonId, TeamId, VenueId};
use crate::record::Record as _;
use crate::rendered;

/// The number of the shape in which games are rendered. A change of the types below, or of the fields of a game, needs another one.
pub const SHAPE: char = '1';

/// A game or a bye.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Game {
    /// The id.
    pub id: GameId,
    /// Its season.
    pub season_id: SeasonId,
    /// Its division.
    pub division_id: DivisionId,
    /// Its round, such as `Round 1`.
    pub round: Option<String>,
    /// Whether two teams play or one has a bye.
    pub kind: GameKind,
    /// Its status.
    pub status: GameStatus,
    /// When it starts. If only the day is known (`time_tbd`), midnight at the venue.
    pub starts_at: Timestamp,
    /// When it ends, if known.
    pub ends_at: Option<Timestamp>,
    /// The IANA time zone of the venue.
    pub time_zone: String,
    /// The local time of the start in that zone.
    #[schema(value_type = String, example = "2022-04-30T09:15:00")]
    pub local_start: DateTime,
    /// Whether only the day is known.
    pub time_tbd: bool,
    /// The venue, if known.
    pub venue_id: Option<VenueId>,
    /// The court or field.
    pub field: Option<String>,
    /// The home team, or the team that has a bye. Null if not known yet.
    pub home_team_id: Option<TeamId>,
    /// The home team's score, if known.
    pub home_score: Option<i64>,
    /// The away team. Null for a bye, or if not known yet.
    pub away_team_id: Option<TeamId>,
    /// The away team's score, if known.
    pub away_score: Option<i64>,
    /// The venue, with its name.
    pub venue: Option<GameVenue>,
    /// The home side. For a bye, the team that has it.
    pub home: Option<Side>,
    /// The away side. Null for a bye.
    pub away: Option<Side>,
    /// The caller's own children who are in one of its teams on the day. Empty in responses to changes, and for keys without the scope
    /// `children:read`.
    pub my_children: Vec<ChildId>,
    /// The last change that families should know about.
    pub last_change: Option<LastChange>,
    /// The id that another system gave it.
    pub external_id: Option<String>,
    /// When the record was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// Where a game is played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GameVenue {
    /// The venue.
    pub id: VenueId,
    /// Its name.
    pub name: String,
    /// The court or field.
    pub field: Option<String>,
}

/// One side of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Side {
    /// The team.
    pub team_id: TeamId,
    /// Its name.
    pub name: String,
    /// Its score, if known.
    pub score: Option<i64>,
}

/// The names of a game's teams and venue, for those that it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names<Text> {
    /// The home team's.
    pub home: Option<Text>,
    /// The away team's.
    pub away: Option<Text>,
    /// The venue's.
    pub venue: Option<Text>,
}

impl Game {
    /// A game with the names of its teams and venue, and no children.
    pub fn new(game: super::Game, names: Names<String>) -> Self {
        let (home, away, local_start) = (game.home(), game.away(), game.local_start());
        let side = |side: Option<super::Side>, name: Option<String>| {
            side.map(|side| Side { team_id: side.team_id, name: name.unwrap_or_default(), score: side.score })
        };
        let field = game.field.map(String::from);
        let venue = |id| GameVenue { id, name: names.venue.unwrap_or_default(), field: field.clone() };
        Self {
            id: game.id,
            season_id: game.season_id,
            division_id: game.division_id,
            round: game.round.map(String::from),
            kind: game.kind,
            status: game.status,
            starts_at: game.starts_at,
            ends_at: game.ends_at,
            time_zone: game.time_zone.into(),
            local_start,
            time_tbd: game.time_tbd,
            venue_id: game.venue_id,
            venue: game.venue_id.map(venue),
            field,
            home_team_id: game.home_team_id,
            home_score: game.home_score,
            away_team_id: game.away_team_id,
            away_score: game.away_score,
            home: side(home, names.home),
            away: side(away, names.away),
            my_children: Vec::new(),
            last_change: game.last_change,
            external_id: game.external_id.map(String::from),
            created_at: game.created_at,
            updated_at: game.updated_at,
            version: game.version,
        }
    }
}

/// What a game shows of itself, as it is stored: the JSON of its fields without their names, one in a line. With names, or with what JSON says
/// twice, a row of SQLite would not fit in its page.
pub fn stored(game: &super::Game, image: &str) -> String {
    if game.local_start.is_none() {
        let game = super::Game { local_start: Some(game.local_start()), ..game.clone() };
        return rendered::stored(SHAPE, &rendered::lines(&game.image_text()));
    }
    rendered::stored(SHAPE, &rendered::lines(image))
}

/// A game as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Json {
    text: String,
    /// Where the ids of the home and the away team begin.
    teams: [usize; 2],
    /// Where the first of the caller's children would be.
    children: usize,
}

impl Json {
    /// The JSON of a game without the caller's children, from what is stored of it and the names of its teams and venue. `None` if that has
    /// another shape, or shows another version of the game: a program that does not know what is stored has changed it.
    pub fn new(stored: &str, current: i64, names: &Names<impl AsRef<str>>) -> Option<Self> {
        let fields: [&str; super::Game::FIELDS.len()] = rendered::values(rendered::shown(SHAPE, stored)?)?;
        let [
            id,
            season,
            division,
            round,
            kind,
            status,
            starts_at,
            time_tbd,
            ends_at,
            local_start,
            time_zone,
            venue,
            field,
            home,
            home_score,
            away,
            away_score,
            last_change,
            external_id,
            created_at,
            updated_at,
            version,
        ] = fields;
        if version.parse() != Ok(current) {
            return None;
        }
        let mut text = String::with_capacity(1024);
        member(&mut text, "{\"id\":", id);
        member(&mut text, ",\"season_id\":", season);
        member(&mut text, ",\"division_id\":", division);
        member(&mut text, ",\"round\":", round);
        member(&mut text, ",\"kind\":", kind);
        member(&mut text, ",\"status\":", status);
        member(&mut text, ",\"starts_at\":", starts_at);
        member(&mut text, ",\"ends_at\":", ends_at);
        member(&mut text, ",\"time_zone\":", time_zone);
        member(&mut text, ",\"local_start\":", local_start);
        member(&mut text, ",\"time_tbd\":", time_tbd);
        member(&mut text, ",\"venue_id\":", venue);
        member(&mut text, ",\"field\":", field);
        let home_team = member(&mut text, ",\"home_team_id\":", home);
        member(&mut text, ",\"home_score\":", home_score);
        let away_team = member(&mut text, ",\"away_team_id\":", away);
        member(&mut text, ",\"away_score\":", away_score);
        text.push_str(",\"venue\":");
        named(&mut text, ("{\"id\":", venue), names.venue.as_ref(), (",\"field\":", field));
        text.push_str(",\"home\":");
        named(&mut text, ("{\"team_id\":", home), names.home.as_ref(), (",\"score\":", home_score));
        text.push_str(",\"away\":");
        named(&mut text, ("{\"team_id\":", away), names.away.as_ref(), (",\"score\":", away_score));
        text.push_str(",\"my_children\":[");
        let children = text.len();
        member(&mut text, "],\"last_change\":", last_change);
        member(&mut text, ",\"external_id\":", external_id);
        member(&mut text, ",\"created_at\":", created_at);
        member(&mut text, ",\"updated_at\":", updated_at);
        member(&mut text, ",\"version\":", version);
        text.push('}');
        Some(Self { text, teams: [home_team, away_team], children })
    }

    /// The JSON.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The home and the away team.
    pub fn teams(&self) -> [Option<TeamId>; 2] {
        self.teams.map(|at| {
            let id = self.text.get(at..)?.strip_prefix('"')?.split('"').next()?;
            id.parse().ok()
        })
    }

    /// Adds the caller's children, if there are none yet.
    pub fn add_children(&mut self, children: &[ChildId]) {
        let mut list = String::with_capacity(children.len() * 34);
        for (at, child) in children.iter().enumerate() {
            list.push_str(if at == 0 { "\"" } else { ",\"" });
            ids::push(&mut list, *child);
            list.push('"');
        }
        self.text.insert_str(self.children, &list);
    }
}

/// Adds a member of an object: what is before its value, and the value. Returns where the value begins. It is inlined, so that copying what
/// is before takes no call.
#[expect(
    clippy::inline_always,
    reason = "what is before has a length that the compiler knows, which a call would lose"
)]
#[inline(always)]
fn member(json: &mut String, before: &str, value: &str) -> usize {
    json.push_str(before);
    let at = json.len();
    json.push_str(value);
    at
}

/// Adds a team or a venue with its name, or null if the game has none. Each of `id` and `last` is a member.
fn named(json: &mut String, id: (&str, &str), name: Option<&impl AsRef<str>>, last: (&str, &str)) {
    if id.1 == "null" {
        return json.push_str("null");
    }
    member(json, id.0, id.1);
    json.push_str(",\"name\":");
    rendered::push_text(json, name.map(AsRef::as_ref).unwrap_or_default());
    member(json, last.0, last.1);
    json.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moment;
    use crate::games::NewGame;
    use crate::ids::Id as _;
    use crate::text::{ExternalId, Name};
    use crate::time::TimeZoneName;

    fn name(name: &str) -> Name {
        Name::parse(name).expect("a name")
    }

    /// A game with every field.
    fn full() -> super::super::Game {
        let id = uuid::Uuid::from_u128;
        let starts_at = "2026-04-11T09:15:00Z".parse().expect("a time");
        let zone = TimeZoneName::parse("Australia/Melbourne").expect("a zone");
        let mut wanted =
            NewGame::new(SeasonId::from_uuid(id(1)), DivisionId::from_uuid(id(2)), starts_at, zone);
        wanted.round = Some(name("Round \"1\""));
        wanted.ends_at = Some("2026-04-11T10:15:00.5Z".parse().expect("a time"));
        wanted.venue_id = Some(VenueId::from_uuid(id(3)));
        wanted.field = Some(name("Court \\ 1"));
        (wanted.home_team_id, wanted.home_score) = (Some(TeamId::from_uuid(id(4))), Some(41));
        (wanted.away_team_id, wanted.away_score) = (Some(TeamId::from_uuid(id(5))), Some(0));
        wanted.external_id = Some(ExternalId::stored("g,\"version\":1".to_owned()));
        let moment = Moment::new("2026-03-01T20:00:00Z".parse().expect("a time"), 7);
        let last_change = LastChange {
            at: moment.now(),
            fields: vec!["starts_at".to_owned(), "home".to_owned()],
            reason: Some("the \"hall\"\nwas flooded ☔".to_owned()),
        };
        super::super::Game { last_change: Some(last_change), ..super::super::Game::create(&moment, wanted) }
    }

    fn names() -> Names<String> {
        let name = |name: &str| Some(name.to_owned());
        Names { home: name("Éclairs \"A\""), away: name("Owls\t"), venue: name("Town Hall") }
    }

    /// A game with as few fields as possible, without its local start, as games of before it was stored.
    fn sparse() -> super::super::Game {
        let full = full();
        let (round, field, external_id, last_change) = (None, None, None, None);
        let (home_team_id, away_team_id, venue_id) = (None, None, None);
        super::super::Game {
            round,
            field,
            external_id,
            last_change,
            home_team_id,
            away_team_id,
            venue_id,
            local_start: None,
            ends_at: None,
            ..full
        }
    }

    #[test]
    fn what_is_stored_is_what_is_rendered() {
        let bye = super::super::Game { kind: GameKind::Bye, away_team_id: None, away_score: None, ..full() };
        let of_bye = Names { away: None, ..names() };
        for (game, names) in
            [(full(), names()), (bye, of_bye), (sparse(), Names::default()), (full(), Names::default())]
        {
            let json = Json::new(&stored(&game, &game.image_text()), game.version, &names)
                .expect("the shape of today");
            assert_eq!(json.teams(), [game.home_team_id, game.away_team_id]);
            assert_eq!(json.as_str(), rendered::json(&Game::new(game, names)));
        }
    }

    #[test]
    fn the_children_of_the_caller_are_added() {
        let children = [1, 2].map(|number| ChildId::from_uuid(uuid::Uuid::from_u128(number)));
        for children in [&children[..], &children[..1], &[]] {
            let mut json =
                Json::new(&stored(&full(), &full().image_text()), 1, &names()).expect("the shape of today");
            json.add_children(children);
            let shown = Game { my_children: children.to_vec(), ..Game::new(full(), names()) };
            assert_eq!(json.as_str(), rendered::json(&shown));
        }
    }

    #[test]
    fn a_change_of_the_shape_needs_another_number() {
        let stored = stored(&full(), &full().image_text());
        insta::assert_snapshot!(stored, @r#"
        1"gam_01kjnfrzg0e008000000000007"
        "sea_00000000000000000000000001"
        "div_00000000000000000000000002"
        "Round \"1\""
        "game"
        "scheduled"
        "2026-04-11T09:15:00Z"
        false
        "2026-04-11T10:15:00.5Z"
        "2026-04-11T19:15:00"
        "Australia/Melbourne"
        "ven_00000000000000000000000003"
        "Court \\ 1"
        "tea_00000000000000000000000004"
        41
        "tea_00000000000000000000000005"
        0
        {"at":"2026-03-01T20:00:00Z","fields":["starts_at","home"],"reason":"the \"hall\"\nwas flooded ☔"}
        "g,\"version\":1"
        "2026-03-01T20:00:00Z"
        "2026-03-01T20:00:00Z"
        1
        "#);
        let json = Json::new(&stored, 1, &names()).expect("the shape of today");
        insta::assert_snapshot!(json.as_str(), @r#"{"id":"gam_01kjnfrzg0e008000000000007","season_id":"sea_00000000000000000000000001","division_id":"div_00000000000000000000000002","round":"Round \"1\"","kind":"game","status":"scheduled","starts_at":"2026-04-11T09:15:00Z","ends_at":"2026-04-11T10:15:00.5Z","time_zone":"Australia/Melbourne","local_start":"2026-04-11T19:15:00","time_tbd":false,"venue_id":"ven_00000000000000000000000003","field":"Court \\ 1","home_team_id":"tea_00000000000000000000000004","home_score":41,"away_team_id":"tea_00000000000000000000000005","away_score":0,"venue":{"id":"ven_00000000000000000000000003","name":"Town Hall","field":"Court \\ 1"},"home":{"team_id":"tea_00000000000000000000000004","name":"Éclairs \"A\"","score":41},"away":{"team_id":"tea_00000000000000000000000005","name":"Owls\t","score":0},"my_children":[],"last_change":{"at":"2026-03-01T20:00:00Z","fields":["starts_at","home"],"reason":"the \"hall\"\nwas flooded ☔"},"external_id":"g,\"version\":1","created_at":"2026-03-01T20:00:00Z","updated_at":"2026-03-01T20:00:00Z","version":1}"#);
    }

    #[test]
    fn text_of_another_shape_or_version_is_not_shown() {
        let stored = stored(&full(), &full().image_text());
        let (shorter, _) = stored.rsplit_once('\n').expect("many lines");
        for other in ["", "1", "0{}", shorter, &format!("{stored}\n1"), &stored[1..]] {
            assert_eq!(Json::new(other, 1, &names()), None, "{other}");
        }
        assert_eq!(Json::new(&stored, 2, &names()), None, "of an earlier version of the game");
    }
}
