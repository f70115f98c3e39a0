//! A server with its data: which requests it gets.

use std::path::Path;

use anyhow::{Context, Result};
use fieldhouse_domain::ids::Id;
use fieldhouse_server::auth::tokens::{AccessTokens, Subject};
use fieldhouse_server::{Clock, KeyRing};
use jiff::{RoundMode, TimestampRound, Unit};
use uuid::Uuid;

use crate::dataset::{Manifest, Size};
use crate::http;
use crate::identities::{self, Identity, label, mixed};
use crate::requests::{Request, Requests};
use crate::servers::Server;
use crate::workload::{By, Who, Workload};

/// A running Fieldhouse with its data set.
pub(crate) struct Site {
    /// The server.
    pub(crate) server: Server,
    /// The URL of the database on PostgreSQL.
    pub(crate) database: Option<String>,
    manifest: Manifest,
    organizations: u32,
    ring: KeyRing,
}

impl Site {
    /// A server on a data set whose key ring is in a folder.
    pub(crate) fn new(
        (server, database): (Server, Option<String>),
        manifest: &Manifest,
        size: Size,
        folder: &Path,
    ) -> Result<Self> {
        let ring = KeyRing::existing(folder)?;
        let organizations = size.organizations();
        Ok(Self { server, database, manifest: manifest.clone(), organizations, ring })
    }

    /// The requests of a workload.
    pub(crate) fn requests(&self, workload: &Workload) -> Result<Requests> {
        let path = workload.path.replace("{season}", &self.manifest.season);
        if workload.who == Who::Guest {
            return Ok(Requests(vec![Request::post(&path, workload.body, None)]));
        }
        let tokens = AccessTokens::new(&self.ring, &self.server.url).map_err(anyhow::Error::msg)?;
        let mut requests = Vec::new();
        for (identity, label) in self.people(workload.who) {
            let header = match workload.by {
                By::Key | By::Condition => identity.key_header(),
                By::Bearer => format!("authorization: Bearer {}", access_token(&tokens, &identity)?),
            };
            let mut request = match workload.body {
                "" => Request::get(&path, header),
                body => Request::post(&path, body, Some(header)),
            };
            if workload.by == By::Condition {
                let response = http::send(&self.server.url, &request)?;
                let tag = response.header("etag").context("the response has no ETag")?;
                request.headers.push(format!("if-none-match: {tag}"));
            }
            requests.push(Request { label, ..request });
        }
        Ok(Requests(requests))
    }

    /// Some people with the label of their organization.
    pub(crate) fn people(&self, who: Who) -> Vec<(Identity, String)> {
        let of = |(number, person)| (Identity::of(number, person), label(number));
        let people = identities::people(self.organizations);
        let in_kept = (identities::KEPT * identities::PEOPLE) as usize;
        match who {
            Who::Kept => people.take(in_kept).map(of).collect(),
            Who::Everyone => people.filter(|(_, person)| *person == 0).map(of).collect(),
            Who::Manager => people.take(1).map(of).collect(),
            Who::Guardian => vec![(self.manifest.guardian, String::new())],
            Who::Coach => vec![(self.manifest.coach, String::new())],
            Who::Writer => vec![(self.manifest.writer, String::new())],
            Who::Guest => Vec::new(),
        }
    }

    /// A write to one organization in a hundred of those whose responses are kept, which changes nothing that is read.
    pub(crate) fn unrelated_write(&self, number: u64) -> Request {
        let places: Vec<u32> =
            identities::measured(self.organizations).take(identities::KEPT as usize).collect();
        let at = usize::try_from(number % 5).unwrap_or_default() * 100;
        let identity = Identity::of(places.get(at).copied().unwrap_or(1), 0);
        let body = format!(r#"{{"name":"Beside {number}","time_zone":"UTC"}}"#);
        Request::post("/api/v1/venues", &body, Some(identity.key_header()))
    }
}

/// A token as of the last full five minutes. Tokens expire after ten. At the rates measured here, each would be used over a thousand times
/// in that time; new ones for each run of three seconds were used seven times.
fn access_token(tokens: &AccessTokens, identity: &Identity) -> Result<String> {
    let full = TimestampRound::new().smallest(Unit::Minute).increment(5).mode(RoundMode::Trunc);
    let now = Clock::system().now().round(full)?;
    let Identity { organization, user, session, key } = *identity;
    let subject = Subject { user, organization, session, authenticated_at: now };
    let id = Uuid::from_u64_pair(mixed(key), session.uuid().as_u64_pair().1);
    Ok(tokens.issue(&subject, now, id).map_err(anyhow::Error::msg)?.0)
}
