//! Children as rosters show them.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::classes::Capacity;
use crate::ids::{self, ChildId, TeamId};
use crate::rendered;

/// The number of the shape in which places are rendered. A change of the types below, or of the text around them, needs another one.
pub const SHAPE: char = '1';

/// What is stored of no places, whatever the shape.
const NONE: &str = "[]";

/// What is stored of the last day of a place that has none.
const OPEN: &str = "-";

/// A child as a roster shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Child {
    /// The id.
    pub id: ChildId,
    /// The name by which the child is known in its teams.
    pub display_name: String,
    /// The teams that it is in today.
    pub teams: Vec<ChildTeam>,
    /// In what capacity the caller sees the child.
    pub capacity: Capacity,
}

/// A team that a child is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChildTeam {
    /// The team.
    pub id: TeamId,
    /// Its name.
    pub name: String,
    /// The number on the shirt.
    pub jersey_number: Option<i64>,
    /// The position.
    pub position: Option<String>,
}

/// A child's place in a team, now or at another time.
#[derive(Clone, Debug)]
pub struct Place {
    /// The first day.
    pub starts_on: Date,
    /// The last day.
    pub ends_on: Option<Date>,
    /// What is shown of it.
    pub team: ChildTeam,
}

/// The places of a child, as they are stored: a line for each, with its first day, its last day and the JSON of the team.
pub fn stored(places: &[Place]) -> String {
    if places.is_empty() {
        return NONE.to_owned();
    }
    let line = |Place { starts_on, ends_on, team }: &Place| {
        let last = ends_on.map_or_else(|| OPEN.to_owned(), |last| last.to_string());
        format!("{starts_on} {last} {}\n", rendered::json(team))
    };
    rendered::stored(SHAPE, &places.iter().map(line).collect::<String>())
}

/// The JSON of a child with the teams that it is in on a day, from what is stored of its places. `None` if that has another shape. Days are texts,
/// which compare as days do.
pub fn json(
    id: ChildId,
    display_name: &str,
    (places, day): (&str, &str),
    capacity: Capacity,
) -> Option<String> {
    let mut json = String::with_capacity(128 + display_name.len() + places.len());
    json.push_str("{\"id\":\"");
    ids::push(&mut json, id);
    json.push_str("\",\"display_name\":");
    rendered::push_text(&mut json, display_name);
    json.push_str(",\"teams\":[");
    let mut separator = "";
    let lines = if places == NONE { "" } else { rendered::shown(SHAPE, places)? };
    for line in lines.lines() {
        let (first, rest) = line.split_once(' ')?;
        let (last, team) = rest.split_once(' ')?;
        if first <= day && (last == OPEN || day <= last) {
            json.push_str(separator);
            json.push_str(team);
            separator = ",";
        }
    }
    json.push_str("],\"capacity\":");
    rendered::push_text(&mut json, capacity.name());
    json.push('}');
    Some(json)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::ids::Id as _;

    fn place(name: &str, first: Date, last: Option<Date>) -> Place {
        let team = ChildTeam {
            id: TeamId::from_uuid(uuid::Uuid::from_u128(7)),
            name: name.to_owned(),
            jersey_number: Some(7),
            position: Some("left \"wing\"\n2026-01-01 - {}".to_owned()),
        };
        Place { starts_on: first, ends_on: last, team }
    }

    #[test]
    fn a_child_is_shown_with_the_teams_of_the_day() {
        let places = [
            place("Blue \"A\"", date(2026, 3, 1), None),
            place("Red", date(2026, 3, 2), Some(date(2026, 9, 30))),
            place("Ärzte", date(25, 12, 31), Some(date(2026, 3, 1))),
        ];
        let days = [
            (date(26, 1, 1), vec![2]),
            (date(2026, 2, 28), vec![2]),
            (date(2026, 3, 1), vec![0, 2]),
            (date(2026, 3, 2), vec![0, 1]),
            (date(2026, 9, 30), vec![0, 1]),
            (date(2026, 10, 1), vec![0]),
            (date(25, 12, 30), vec![]),
        ];
        for (day, shown) in days {
            let child = Child {
                id: ChildId::from_uuid(uuid::Uuid::from_u128(8)),
                display_name: "Kim \"K\"".to_owned(),
                teams: shown.into_iter().map(|at: usize| places[at].team.clone()).collect(),
                capacity: Capacity::Child,
            };
            let (places, day) = (stored(&places), day.to_string());
            let json = json(child.id, &child.display_name, (&places, &day), child.capacity);
            assert_eq!(json, Some(rendered::json(&child)), "{day}");
        }
    }

    #[test]
    fn a_change_of_the_shape_needs_another_number() {
        let places =
            [place("Blue", date(2026, 3, 1), None), place("Red", date(2026, 3, 2), Some(date(2026, 9, 30)))];
        let lines = [
            r#"12026-03-01 - {"id":"tea_00000000000000000000000007","name":"Blue","jersey_number":7,"position":"left \"wing\"\n2026-01-01 - {}"}"#,
            r#"2026-03-02 2026-09-30 {"id":"tea_00000000000000000000000007","name":"Red","jersey_number":7,"position":"left \"wing\"\n2026-01-01 - {}"}"#,
        ];
        assert_eq!(stored(&places).lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn a_child_in_no_team_is_shown_without() {
        let (id, capacity) = (ChildId::from_uuid(uuid::Uuid::from_u128(8)), Capacity::Guardian);
        let child = Child { id, display_name: "Lee".to_owned(), teams: Vec::new(), capacity };
        let json = json(id, "Lee", (&stored(&[]), "2026-03-01"), capacity);
        assert_eq!(json, Some(rendered::json(&child)));
    }

    #[test]
    fn text_of_another_shape_is_not_shown() {
        let id = ChildId::from_uuid(uuid::Uuid::from_u128(8));
        for other in
            ["", "2", r#"[["018f","Blue",7,null,"2026-01-01",null]]"#, "12026-01-01", "12026-01-01 -"]
        {
            assert_eq!(json(id, "Kim", (other, "2026-03-01"), Capacity::Staff), None, "{other}");
        }
    }
}
