//! Operations that are likely to be possible.

use super::*;

/// An operation, before it is known which records exist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pick {
    pub(super) kind: usize,
    pub(super) verb: u8,
    pub(super) at: usize,
    pub(super) value: u8,
}

pub(super) fn picks(most: usize) -> impl Strategy<Value = Vec<Pick>> {
    let pick = (0..TABLES.len(), 0..4_u8, any::<usize>(), any::<u8>());
    proptest::collection::vec(
        pick.prop_map(|(kind, verb, at, value)| Pick { kind, verb, at, value }),
        1..=most,
    )
}

/// A record that was picked: its id as it is written, and its row.
type Picked<'a> = (String, &'a ground::Row);

fn all(now: &Records, kind: Kind) -> Vec<Picked<'_>> {
    let of = now.iter().filter(|(_, (of, _))| *of == kind);
    of.map(|(id, (_, row))| (kind.written_id(*id), row)).collect()
}

fn pick(now: &Records, kind: Kind, at: usize) -> Option<Picked<'_>> {
    let mut all = all(now, kind);
    (!all.is_empty()).then(|| all.swap_remove(at % all.len()))
}

fn written(row: &ground::Row, field: &str, kind: Kind) -> String {
    kind.written_id(Uuid::parse_str(&row[field]).expect("an id"))
}

impl Place<'_> {
    pub(super) fn operations(&self, picks: &[Pick], now: &Records) -> Json {
        let operations = picks.iter().filter_map(|pick| self.operation(*pick, now));
        Json::from(operations.collect::<Vec<_>>())
    }

    fn operation(&self, picked: Pick, now: &Records) -> Option<Json> {
        let Pick { kind, verb, at, value } = picked;
        let (resource, kind) = TABLES[kind];
        let allows = kind == Kind::Game;
        let mut operation = match verb {
            _ if kind == Kind::Member => {
                let people = [Role::Viewer, Role::Member, Role::Coach];
                let people = people.map(|role| self.league.club.person(role).member.id);
                let role = ["viewer", "member", "coach"][at % 3];
                json!({"op": "update", "id": people[usize::from(verb) % 3], "set": {"role": role}})
            }
            0 => json!({"op": "create", "data": self.data(kind, at, value, now)?}),
            1 => json!({"op": "delete", "id": pick(now, kind, at)?.0}),
            _ => json!({"op": "update", "id": pick(now, kind, at)?.0, "set": self.set(kind, verb, value)}),
        };
        operation["resource"] = json!(resource);
        if allows && verb != 1 {
            operation["allow_overlap"] = json!(true);
        }
        Some(operation)
    }

    /// A time at which no game is near.
    fn later(&self, value: u8) -> Timestamp {
        self.now.saturating_add(SignedDuration::from_hours(200 + i64::from(value))).unwrap()
    }

    /// The body of a creation.
    fn data(&self, kind: Kind, at: usize, value: u8, now: &Records) -> Option<Json> {
        let name = format!("N{}", value % 16);
        Some(match kind {
            Kind::Season => json!({"name": name, "sport": "netball", "time_zone": "UTC"}),
            Kind::Division => json!({"name": name, "season_id": pick(now, Kind::Season, at)?.0}),
            Kind::Team => {
                let (division, row) = pick(now, Kind::Division, at)?;
                let season = written(row, "season_id", Kind::Season);
                json!({"name": name, "division_id": division, "season_id": season})
            }
            Kind::Venue => json!({"name": name, "time_zone": "UTC"}),
            Kind::Game => {
                let (home, row) = pick(now, Kind::Team, at)?;
                let away = all(now, Kind::Team)
                    .into_iter()
                    .find(|(id, other)| other["division_id"] == row["division_id"] && *id != home);
                json!({"season_id": written(row, "season_id", Kind::Season),
                    "division_id": written(row, "division_id", Kind::Division), "home_team_id": home,
                    "away_team_id": away?.0, "time_zone": "UTC", "starts_at": self.later(value)})
            }
            Kind::RosterEntry => json!({"team_id": pick(now, Kind::Team, at)?.0,
                "child_id": self.children[usize::from(value) % self.children.len()],
                "jersey_number": value, "starts_on": format!("2026-05-{:02}", value % 28 + 1),
                "ends_on": at.is_multiple_of(2).then(|| format!("2026-06-{:02}", value % 28 + 1))}),
            _ => {
                let user = self.league.club.person([Role::Coach, Role::Member, Role::Viewer][at % 3]).user.id;
                json!({"team_id": pick(now, Kind::Team, at)?.0, "user_id": user, "kind": "coach"})
            }
        })
    }

    /// The body of a change.
    fn set(&self, kind: Kind, verb: u8, value: u8) -> Json {
        let name = format!("N{}", value % 16);
        match (kind, verb) {
            (Kind::Season | Kind::Staff, 2) => json!({"starts_on": format!("2026-05-{:02}", value % 28 + 1)}),
            (Kind::Division, 2) => json!({"age_group": name}),
            (Kind::Team, 2) => json!({"short_name": name}),
            (Kind::Venue, 2) => json!({"address": name, "latitude": value % 90}),
            (Kind::Game, 2) => json!({"starts_at": self.later(value)}),
            (Kind::Game, _) => json!({"round": name}),
            (Kind::Staff, _) => json!({"kind": if value.is_multiple_of(2) { "coach" } else { "assistant" }}),
            (Kind::RosterEntry, 2) => json!({"jersey_number": value}),
            (Kind::RosterEntry, _) => json!({"ends_on": format!("2026-07-{:02}", value % 28 + 1)}),
            _ => json!({"name": name}),
        }
    }
}
