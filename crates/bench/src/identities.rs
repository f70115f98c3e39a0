//! Who sends the requests: ids and API keys that follow from a number, so that none has to be stored.
//!
//! Nothing here is secret: the data sets hold invented records on the machine that made them.

use fieldhouse_domain::api_keys::KeyText;
use fieldhouse_domain::ids::{Id, OrganizationId, SessionId, UserId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The number of organizations that requests are sent to.
pub(crate) const MEASURED: u32 = 5_000;
/// The number of organizations whose responses are kept in memory, each with [`PEOPLE`] people.
pub(crate) const KEPT: u32 = 500;
/// The number of people, each with a key, of an organization whose responses are kept.
pub(crate) const PEOPLE: u32 = 4;
/// Milliseconds of the first id: 1 January 2026.
const FIRST: u128 = 1_767_225_600_000;

/// A person who sends requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// The organization.
    pub(crate) organization: OrganizationId,
    /// The user.
    pub(crate) user: UserId,
    /// The user's session.
    pub(crate) session: SessionId,
    /// The number that the API key follows from.
    pub(crate) key: u64,
}

impl Identity {
    /// A person of an organization that was copied.
    pub(crate) fn of(organization: u32, person: u32) -> Self {
        let number = u64::from(organization) << 3 | u64::from(person);
        Self {
            organization: organization_id(organization),
            user: UserId::from_uuid(id(1, number)),
            session: SessionId::from_uuid(id(2, number)),
            key: number,
        }
    }

    /// The API key.
    pub(crate) fn key(&self) -> KeyText {
        let mut secret = [0; 32];
        for (part, bytes) in (1..).zip(secret.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&mixed(self.key << 3 | part).to_be_bytes());
        }
        KeyText::new(mixed(self.key), secret)
    }

    /// The header with the API key.
    pub(crate) fn key_header(&self) -> String {
        format!("x-api-key: {}", self.key().reveal())
    }
}

/// The id of an organization that was copied.
pub(crate) fn organization_id(number: u32) -> OrganizationId {
    OrganizationId::from_uuid(id(0, u64::from(number)))
}

/// The id of the API key of a number.
pub(crate) fn key_id(number: u64) -> Uuid {
    id(3, number)
}

/// The letters that replace those of the template in the names of an organization.
pub(crate) fn label(organization: u32) -> String {
    format!("{organization:06}")
}

/// The numbers of the organizations that requests are sent to, evenly spread over all.
pub(crate) fn measured(organizations: u32) -> impl Iterator<Item = u32> {
    let count = MEASURED.min(organizations);
    (0..count).map(move |at| 1 + at * (organizations / count))
}

/// The people of the measured organizations with the place of their organization.
pub(crate) fn people(organizations: u32) -> impl Iterator<Item = (u32, u32)> {
    let count = |at: usize| if at < KEPT as usize { PEOPLE } else { 1 };
    measured(organizations)
        .enumerate()
        .flat_map(move |(at, number)| (0..count(at)).map(move |person| (number, person)))
}

/// The end of keys and sessions, in microseconds: 1 January 2100.
pub(crate) const END: i64 = 4_102_444_800_000_000;

/// A UUIDv7, so that ids ascend with the number as those of organizations that were founded one after another do.
fn id(kind: u64, number: u64) -> Uuid {
    let (time, random) = (FIRST + u128::from(number), u128::from(mixed(number << 2 | kind)));
    Uuid::from_u128(time << 80 | 0x7 << 76 | u128::from(kind) << 64 | 0b10 << 62 | random >> 2)
}

/// A number with all its bits mixed (`SplitMix64`).
pub(crate) fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Microseconds since 1970, as the store writes times.
pub(crate) fn microseconds(time: Timestamp) -> i64 {
    time.as_microsecond()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn keys_and_ids_are_unique_and_well_formed() {
        let all: Vec<_> = people(5_000).map(|(number, person)| Identity::of(number, person)).collect();
        assert_eq!(all.len(), 5_000 + 3 * 500);
        let publics: HashSet<_> = all.iter().map(|one| one.key().public_id().to_owned()).collect();
        let users: HashSet<_> = all.iter().map(|one| one.user.uuid()).collect();
        assert_eq!((publics.len(), users.len()), (all.len(), all.len()));
        assert!(KeyText::parse(all[0].key().reveal()).is_some());
        assert_eq!(all[9].user.uuid().get_version_num(), 7);
    }

    #[test]
    fn measured_organizations_are_spread_over_all() {
        assert_eq!(measured(1).collect::<Vec<_>>(), [1]);
        assert_eq!(measured(500_000).take(3).collect::<Vec<_>>(), [1, 101, 201]);
        assert_eq!(measured(500_000).last(), Some(499_901));
        assert!(organization_id(1).uuid() < organization_id(2).uuid());
    }
}
