//! Seasons as responses show them.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Scoring, SeasonStatus, Tiebreaker};
use crate::divisions::DivisionGender;
use crate::ids::{DivisionId, SeasonId};
use crate::rendered::{self, Phrases};

/// The number of the shape in which seasons and their divisions are rendered. A change of the types below, or of the phrases, needs another one.
pub const SHAPE: char = '2';

/// The shape of before phrases were replaced.
const WITHOUT_PHRASES: char = '1';

/// The names of fields with what is around them, and frequent values. Ids begin with the time, which is `01` until 2039.
const FREQUENT: [&str; 31] = [
    r#"{"id":"sea_01"#,
    r#"","name":""#,
    r#"","sport":""#,
    r#"","status":""#,
    r#"","status":"draft","starts_on":""#,
    r#"","status":"active","starts_on":""#,
    r#"","starts_on":""#,
    r#"","starts_on":null,"ends_on":"#,
    r#"","ends_on":""#,
    r#"","ends_on":null,"time_zone":""#,
    r#"","time_zone":""#,
    r#"null,"time_zone":""#,
    r#"","scoring":{"win":3,"draw":1,"loss":0},"tiebreakers":["head_to_head","difference","scored","name"],"external_id":null,"created_at":"20"#,
    r#"","scoring":{"win":"#,
    r#","draw":"#,
    r#","loss":"#,
    r#"},"tiebreakers":["head_to_head","difference","scored","name"],"external_id":"#,
    r#"},"tiebreakers":["#,
    r#"],"external_id":"#,
    r#","created_at":"20"#,
    r#"Z","updated_at":"20"#,
    r#"Z","version":"#,
    r#"Z","version":1,"divisions":"#,
    r#","divisions":"#,
    r#"{"id":"div_01"#,
    r#"","age_group":null,"gender":"#,
    r#"","age_group":null,"gender":null},{"id":"div_01"#,
    r#"","age_group":""#,
    r#"","gender":""#,
    r#"","gender":null},{"id":"div_01"#,
    "null}",
];

static PHRASES: Phrases<31> = Phrases::new(&FREQUENT);

/// What is stored of no divisions, whatever the shape.
const NONE: &str = "[]";

/// A season of one sport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Season {
    /// The id.
    pub id: SeasonId,
    /// Its name.
    pub name: String,
    /// The sport, in `snake_case`.
    pub sport: String,
    /// Its status.
    pub status: SeasonStatus,
    /// Its first day.
    pub starts_on: Option<Date>,
    /// Its last day.
    pub ends_on: Option<Date>,
    /// The IANA time zone of its local times.
    pub time_zone: String,
    /// The points for each result.
    pub scoring: Scoring,
    /// The criteria that rank teams with equal points, in order.
    pub tiebreakers: Vec<Tiebreaker>,
    /// The id that another system gave it.
    pub external_id: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
    /// Its divisions, by name. They are last, because they change on their own.
    pub divisions: Vec<SeasonDivision>,
}

/// A division, as part of its season.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SeasonDivision {
    /// The id.
    pub id: DivisionId,
    /// Its name.
    pub name: String,
    /// The age group, such as `U12`.
    pub age_group: Option<String>,
    /// Who plays in it.
    pub gender: Option<DivisionGender>,
}

impl Season {
    /// A season with its divisions.
    pub fn new(season: super::Season, divisions: Vec<SeasonDivision>) -> Self {
        Self {
            id: season.id,
            name: season.name.into(),
            sport: season.sport.into(),
            status: season.status,
            starts_on: season.starts_on,
            ends_on: season.ends_on,
            time_zone: season.time_zone.into(),
            scoring: season.scoring,
            tiebreakers: season.tiebreakers,
            external_id: season.external_id.map(String::from),
            created_at: season.created_at,
            updated_at: season.updated_at,
            version: season.version,
            divisions,
        }
    }
}

/// What a season shows of itself, as it is stored: JSON that ends where the divisions begin. It is that of its image as text, because a season
/// shows all its fields.
pub fn stored(image: &str) -> String {
    shortened(&start(image))
}

/// What a season shows of its divisions, as it is stored.
pub fn stored_divisions(divisions: &[SeasonDivision]) -> String {
    if divisions.is_empty() {
        return NONE.to_owned();
    }
    shortened(&rendered::json(&divisions))
}

/// The divisions that a season shows, from what is stored of them. `None` if it has an unknown shape.
pub fn divisions(stored: &str) -> Option<Vec<SeasonDivision>> {
    if stored == NONE {
        return Some(Vec::new());
    }
    let mut json = String::with_capacity(4 * stored.len());
    push(&mut json, stored)?;
    serde_json::from_str(&json).ok()
}

/// The JSON of a season, from its image as text, with its divisions.
pub fn json(image: &str, divisions: &[SeasonDivision]) -> String {
    let mut json = start(image);
    json.push_str(&rendered::json(&divisions));
    json.push('}');
    json
}

/// A season's JSON until its divisions begin.
fn start(image: &str) -> String {
    [image.strip_suffix('}').unwrap_or(image), ",\"divisions\":"].concat()
}

/// The JSON of a season, from what is stored of it and of its divisions. `None` if either has an unknown shape.
pub fn whole(season: &str, divisions: &str) -> Option<String> {
    let mut json = String::with_capacity(4 * (season.len() + divisions.len()));
    push(&mut json, season)?;
    if divisions == NONE {
        json.push_str(NONE);
    } else {
        push(&mut json, divisions)?;
    }
    json.push('}');
    Some(json)
}

fn shortened(json: &str) -> String {
    rendered::stored(SHAPE, &PHRASES.shorten(json))
}

/// Adds the JSON of what is stored.
fn push(json: &mut String, stored: &str) -> Option<()> {
    let shown = rendered::shown(SHAPE, stored).or_else(|| rendered::shown(WITHOUT_PHRASES, stored));
    PHRASES.push(json, shown?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moment;
    use crate::ids::Id as _;
    use crate::record::Record as _;
    use crate::seasons::NewSeason;
    use crate::sports::Sport;
    use crate::text::{ExternalId, Name};
    use crate::time::TimeZoneName;

    fn season() -> super::super::Season {
        let zone = TimeZoneName::parse("Australia/Melbourne").expect("a zone");
        let name = Name::parse("The \"Big\" Winter").expect("a name");
        let mut wanted = NewSeason::new(name, Sport::stored("netball".to_owned()), zone);
        wanted.starts_on = Some(jiff::civil::date(2026, 4, 1));
        wanted.external_id = Some(ExternalId::stored("w-26".to_owned()));
        let moment = Moment::new("2026-03-01T20:00:00Z".parse().expect("a time"), 7);
        super::super::Season::create(&moment, wanted)
    }

    fn division() -> SeasonDivision {
        let id = DivisionId::from_uuid(uuid::Uuid::from_u128(7));
        SeasonDivision { id, name: "Under 14".to_owned(), age_group: Some("U14".to_owned()), gender: None }
    }

    #[test]
    fn what_is_stored_is_what_is_rendered() {
        for divisions in [Vec::new(), vec![division(), division()]] {
            let stored_divisions = stored_divisions(&divisions);
            let json = whole(&stored(&season().image_text()), &stored_divisions).expect("the shape of today");
            assert_eq!(super::divisions(&stored_divisions).as_ref(), Some(&divisions));
            assert_eq!(json, super::json(&season().image_text(), &divisions));
            assert_eq!(json, rendered::json(&Season::new(season(), divisions)));
        }
    }

    #[test]
    fn what_was_stored_without_phrases_is_read() {
        let divisions = vec![division()];
        let [season_before, divisions_before] = [start(&season().image_text()), rendered::json(&divisions)]
            .map(|json| rendered::stored(WITHOUT_PHRASES, &json));
        let json = super::json(&season().image_text(), &divisions);
        assert_eq!(whole(&season_before, &divisions_before), Some(json.clone()));
        assert_eq!(whole(&stored(&season().image_text()), &divisions_before), Some(json));
        assert_eq!(super::divisions(&divisions_before), Some(divisions));
    }

    #[test]
    fn a_change_of_the_shape_needs_another_number() {
        let json = rendered::json(&Season::new(season(), vec![division()]));
        let phrases = crc32fast::hash(FREQUENT.join("\n").as_bytes());
        insta::assert_snapshot!(format!("{SHAPE}{json}\nphrases: {phrases}"), @r#"
        2{"id":"sea_01kjnfrzg0e008000000000007","name":"The \"Big\" Winter","sport":"netball","status":"draft","starts_on":"2026-04-01","ends_on":null,"time_zone":"Australia/Melbourne","scoring":{"win":3,"draw":1,"loss":0},"tiebreakers":["head_to_head","difference","scored","name"],"external_id":"w-26","created_at":"2026-03-01T20:00:00Z","updated_at":"2026-03-01T20:00:00Z","version":1,"divisions":[{"id":"div_00000000000000000000000007","name":"Under 14","age_group":"U14","gender":null}]}
        phrases: 3290161905
        "#);
        insta::assert_debug_snapshot!((stored(&season().image_text()), stored_divisions(&[division()])), @r#"
        (
            "2\u{1}kjnfrzg0e008000000000007\u{2}The \\\"Big\\\" Winter\u{3}netball\u{5}2026-04-01\nAustralia/Melbourne\u{e}3\u{f}1\u{10}0\u{11}\"w-26\"\u{14}26-03-01T20:00:00\u{15}26-03-01T20:00:00\u{17}",
            "2[{\"id\":\"div_00000000000000000000000007\u{2}Under 14\u{1c}U14\",\"gender\":\u{1f}]",
        )
        "#);
    }

    #[test]
    fn text_of_another_shape_is_not_shown() {
        assert_eq!(whole("", "[]"), None);
        assert_eq!(whole("3{", "[]"), None);
        assert_eq!(whole(&stored(&season().image_text()), r#"[["018f","Open",null,null]]"#), None);
    }
}
