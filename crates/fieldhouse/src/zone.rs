//! The organization's time zone, in which people read and write times. It is requested at most once, and only if a time needs it.

use std::sync::{Arc, OnceLock};

use fieldhouse_client::Client;
use fieldhouse_client::api::Code;
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use tokio::sync::OnceCell;

use crate::failure::Failure;

/// The organization's time zone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zone {
    client: Arc<OnceLock<Client>>,
}

/// There is one organization in each run of the program.
static ZONE: OnceCell<TimeZoneName> = OnceCell::const_new();

const WITHOUT_ZONE: &str = "a time without an offset is in the organization's time zone, which this key may not read; write a time with its offset: 2026-05-01T00:00:00+10:00";

impl Zone {
    /// Uses this client if the zone is needed.
    pub(crate) fn ask_with(&self, client: &Client) {
        self.client.get_or_init(|| client.clone());
    }

    /// The cells of a table, where times are in the zone. They stay in UTC if the zone cannot be read.
    pub(crate) fn localize<'a>(&self, cells: impl Iterator<Item = &'a mut String>) {
        let times = cells.filter_map(|cell| Some((instant(cell)?, cell))).collect::<Vec<_>>();
        let Some(zone) = (!times.is_empty()).then(|| self.wait_for()).flatten() else { return };
        for (time, cell) in times {
            *cell = local(time, zone);
        }
    }

    /// A time for people.
    pub(crate) fn show(&self, time: Timestamp) -> String {
        self.wait_for().map_or_else(|| time.strftime("%F %R UTC").to_string(), |zone| local(time, zone))
    }

    fn wait_for(&self) -> Option<&'static TimeZoneName> {
        let client = self.client.get()?;
        let runtime = tokio::runtime::Handle::current();
        tokio::task::block_in_place(|| runtime.block_on(of(client)).ok())
    }
}

/// The organization's time zone.
pub(crate) async fn of(client: &Client) -> anyhow::Result<&'static TimeZoneName> {
    ZONE.get_or_try_init(|| async {
        let organization = client.organization().read().await.map_err(|error| {
            let beyond = error.code() == Some(Code::ScopeInsufficient);
            let failure = Failure::from(&error);
            if beyond { failure.next(WITHOUT_ZONE) } else { failure }
        })?;
        let zone = organization.time_zone;
        TimeZoneName::parse(&zone).map_err(|wrong| anyhow::anyhow!("{zone} {wrong}"))
    })
    .await
}

/// The instant in a cell that is a time and nothing else, as the API writes it.
fn instant(cell: &str) -> Option<Timestamp> {
    let time = cell.ends_with('Z') && cell.as_bytes().get(10) == Some(&b'T');
    time.then(|| cell.parse().ok()).flatten()
}

fn local(time: Timestamp, zone: &TimeZoneName) -> String {
    time.to_zoned(zone.zone()).strftime("%F %R %Z").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_times_are_times() {
        assert!(
            instant("2026-05-01T09:15:00Z").is_some() && instant("2026-05-01T09:15:00.123456Z").is_some()
        );
        for other in
            ["2026-05-01", "", "-", "Coburg Z", "2026-05-01T09:15:00+10:00", "until 2026-05-01T09:15:00Z"]
        {
            assert!(instant(other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_time_names_its_zone() {
        let zone = TimeZoneName::parse("Australia/Melbourne").expect("a zone");
        let show = |text: &str| local(text.parse().expect("a time"), &zone);
        assert_eq!(show("2026-05-01T09:15:00Z"), "2026-05-01 19:15 AEST");
        assert_eq!(show("2026-01-01T09:15:00Z"), "2026-01-01 20:15 AEDT");
    }
}
