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
    /// What was read for the output; none if that has failed.
    read: Arc<OnceLock<Option<&'static TimeZoneName>>>,
}

/// There is one organization in each run of the program.
static ZONE: OnceCell<TimeZoneName> = OnceCell::const_new();

const WITHOUT_ZONE: &str = "a time without an offset is in the organization's time zone, which this key may not read; write a time with its offset: 2026-05-01T00:00:00+10:00";

impl Zone {
    /// Uses this client if the zone is needed.
    pub(crate) fn ask_with(&self, client: &Client) {
        self.client.get_or_init(|| client.clone());
    }

    /// The cells of a table, where times are in the zone.
    pub(crate) fn localize<'a>(&self, cells: impl Iterator<Item = &'a mut String>) {
        for cell in cells {
            if let Some(time) = instant(cell) {
                *cell = self.show(time);
            }
        }
    }

    /// A time for people. It is in UTC if the zone cannot be read.
    pub(crate) fn show(&self, time: Timestamp) -> String {
        let zone = self.wait_for().cloned().unwrap_or_else(TimeZoneName::utc);
        zone.zoned(time).strftime("%F %R %Z").to_string()
    }

    fn wait_for(&self) -> Option<&'static TimeZoneName> {
        let client = self.client.get()?;
        let runtime = tokio::runtime::Handle::current();
        let read = || tokio::task::block_in_place(|| runtime.block_on(of(client)).ok());
        *self.read.get_or_init(read)
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
        Ok(organization.time_zone)
    })
    .await
}

/// The instant in a cell that is a time and nothing else, as the API writes it.
fn instant(cell: &str) -> Option<Timestamp> {
    let time = cell.ends_with('Z') && cell.as_bytes().get(10) == Some(&b'T');
    time.then(|| cell.parse().ok()).flatten()
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
}
