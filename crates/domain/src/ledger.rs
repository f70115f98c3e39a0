//! What the ledger of an organization stores for each kind of record.
//!
//! A new kind of record gets a line in [`Kind::trace`] and in the table of its test.

use uuid::Uuid;

use crate::effects::{AnyRecord, Effect, Kind};
use crate::ids::{
    ApiKeyId, CollegeId, DivisionId, FavoriteId, GameId, Id, MemberId, OrganizationId, ProgramId, SeasonId,
    SessionId, TeamId, UserId, VenueId,
};

/// What the ledger stores of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// An entry with the record before and after.
    Images,
    /// An entry with the names of changed fields only, because an undo must never restore a credential.
    Fields,
    /// An entry with the names of changed fields in every organization that the user belongs to.
    Memberships,
    /// Nothing.
    Nothing,
}

impl Kind {
    /// What the ledger stores of a change to a record of this kind.
    pub const fn trace(self) -> Trace {
        match self {
            Self::Organization
            | Self::Member
            | Self::Season
            | Self::Division
            | Self::Team
            | Self::Venue
            | Self::Game => Trace::Images,
            Self::Session | Self::ApiKey => Trace::Fields,
            Self::User => Trace::Memberships,
            // A favorite belongs to a family and the catalogue to everyone, so neither is in an organization's ledger.
            Self::Favorite | Self::College | Self::Program => Trace::Nothing,
        }
    }
}

macro_rules! written_ids {
    ($($kind:ident $id:ident,)+) => {
        impl Kind {
            /// The id of a record of this kind, as it is written on the wire.
            pub fn written_id(self, uuid: Uuid) -> String {
                match self { $(Self::$kind => $id::from_uuid(uuid).to_string(),)+ }
            }

            /// The kind and UUID of a written id.
            pub fn of_written_id(text: &str) -> Option<(Self, Uuid)> {
                None $(.or_else(|| Some((Self::$kind, text.parse::<$id>().ok()?.uuid()))))+
            }
        }
    };
}
written_ids! {
    Organization OrganizationId,
    User UserId,
    Member MemberId,
    Session SessionId,
    ApiKey ApiKeyId,
    Season SeasonId,
    Division DivisionId,
    Team TeamId,
    Venue VenueId,
    Game GameId,
    Favorite FavoriteId,
    College CollegeId,
    Program ProgramId,
}

impl Effect {
    /// What the ledger stores of this effect. A session is recorded when it is opened or ended, not when its token rotates.
    pub fn trace(&self) -> Trace {
        match (&self.before, &self.after) {
            (Some(AnyRecord::Session(before)), Some(AnyRecord::Session(after)))
                if before.revoked_at == after.revoked_at =>
            {
                Trace::Nothing
            }
            _ => self.record().map_or(Trace::Nothing, |record| record.kind().trace()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_id_parses_to_its_kind_and_uuid() {
        for (number, kind) in (1..).zip(Kind::ALL) {
            let uuid = Uuid::from_u128(number);
            assert_eq!(Kind::of_written_id(&kind.written_id(uuid)), Some((*kind, uuid)));
        }
        assert_eq!(Kind::of_written_id("sea_1"), None);
    }

    #[test]
    fn the_ledger_stores_what_the_table_says_of_each_kind() {
        let table: Vec<(&str, Trace)> = Kind::ALL.iter().map(|kind| (kind.name(), kind.trace())).collect();
        let expected = [
            ("organization", Trace::Images),
            ("user", Trace::Memberships),
            ("member", Trace::Images),
            ("session", Trace::Fields),
            ("api_key", Trace::Fields),
            ("season", Trace::Images),
            ("division", Trace::Images),
            ("team", Trace::Images),
            ("venue", Trace::Images),
            ("game", Trace::Images),
            ("favorite", Trace::Nothing),
            ("college", Trace::Nothing),
            ("program", Trace::Nothing),
        ];
        assert_eq!(table, expected);
    }
}
