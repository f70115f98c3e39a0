//! Where children play: the days on which they are on the rosters of teams, as times, so that games can be compared with them.

use constcat::concat;
use fieldhouse_domain::children::classes::Capacity;
use fieldhouse_domain::ids::{ChildId, TeamId};
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use jiff::civil::{Date, Time};

use crate::access::children::{ChildScope, Roster, read_capacity};
use crate::engine::Reader;
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::id;

queries! {
    OF_FAMILY "places.of_family" concat!("SELECT v.capacity, e.child_id, e.team_id, e.starts_on, e.ends_on FROM (",
        crate::access::children::visible!(family, "v.child_id, MIN(v.capacity) AS capacity", " GROUP BY v.child_id"),
        ") v JOIN roster_entries e ON e.org_id = $1 AND e.child_id = v.child_id");
    OF_CHILD "places.of_child" concat!("SELECT v.capacity, e.child_id, e.team_id, e.starts_on, e.ends_on FROM (",
        crate::access::children::visible!(" AND child_id = $10"),
        ") v LEFT JOIN roster_entries e ON e.org_id = $1 AND e.child_id = v.child_id");
}

/// A time in which someone belongs to a team: from the first instant of a day to before the first instant of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The team.
    pub team: TeamId,
    /// When it begins.
    pub from: Timestamp,
    /// When it is over.
    pub until: Timestamp,
}

impl Stay {
    /// At any time.
    pub fn always(team: TeamId) -> Self {
        Self { team, from: Timestamp::MIN, until: Timestamp::MAX }
    }

    /// Whether it includes an instant.
    pub fn includes(&self, at: Timestamp) -> bool {
        self.from <= at && at < self.until
    }
}

/// When the caller's own children belong to teams. Days are those of `zone`.
pub async fn of_family(
    reader: &mut impl Reader,
    lines: &ChildScope<Roster>,
    zone: &TimeZoneName,
) -> Result<Vec<(ChildId, Stay)>> {
    let values = lines.values_as(&[Capacity::Child, Capacity::Guardian]);
    let rows = reader.rows(OF_FAMILY, &values, |row| place(zone, row)).await?;
    Ok(rows.into_iter().filter_map(|(_, place)| place).collect())
}

/// When a child belongs to teams, and the capacity in which its roster line is open to the caller. `None` if it is not open.
pub async fn of_child(
    reader: &mut impl Reader,
    lines: &ChildScope<Roster>,
    zone: &TimeZoneName,
    child: ChildId,
) -> Result<Option<(Capacity, Vec<Stay>)>> {
    let mut values = lines.values();
    values.push(id(child));
    let rows = reader.rows(OF_CHILD, &values, |row| place(zone, row)).await?;
    let capacity = rows.first().map(|(capacity, _)| *capacity);
    let stays = rows.into_iter().filter_map(|(_, place)| Some(place?.1)).collect();
    Ok(capacity.map(|capacity| (capacity, stays)))
}

/// A row: the capacity, and the place if there is one.
fn place(zone: &TimeZoneName, row: &mut Row<'_>) -> Result<(Capacity, Option<(ChildId, Stay)>)> {
    let capacity = read_capacity(row.next()?)?;
    let (child, team) = (row.next::<Option<ChildId>>()?, row.next::<Option<TeamId>>()?);
    let (first, last) = (row.next::<Option<Date>>()?, row.next::<Option<Date>>()?);
    let begins = |day: Date| zone.instant(day.to_datetime(Time::midnight()));
    let place = child.zip(team).zip(first).map(|((child, team), first)| {
        // A day without an end, or whose end has no instant, lasts for ever.
        let next = last.and_then(|last| last.tomorrow().ok()).and_then(begins);
        let from = begins(first).unwrap_or(Timestamp::MIN);
        (child, Stay { team, from, until: next.unwrap_or(Timestamp::MAX) })
    });
    Ok((capacity, place))
}
