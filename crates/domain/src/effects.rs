//! Effects: what a command does to records, each with the record before and after.
//!
//! A command returns effects and the store applies them. A new kind of record gets a line in [`records!`].

use jiff::Timestamp;
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::Moment;
use crate::api_keys::ApiKey;
use crate::divisions::Division;
use crate::favorites::Favorite;
use crate::games::Game;
use crate::ids::Id;
use crate::members::Member;
use crate::organizations::Organization;
use crate::record::{Record, enumeration};
use crate::seasons::Season;
use crate::sessions::Session;
use crate::teams::Team;
use crate::users::User;
use crate::venues::Venue;

enumeration! {
    /// A kind of record.
    Kind {
        /// Organizations.
        Organization "organization",
        /// Users.
        User "user",
        /// Members.
        Member "member",
        /// Sessions.
        Session "session",
        /// API keys.
        ApiKey "api_key",
        /// Seasons.
        Season "season",
        /// Divisions.
        Division "division",
        /// Teams.
        Team "team",
        /// Venues.
        Venue "venue",
        /// Games.
        Game "game",
        /// Saved college programs.
        Favorite "favorite",
        /// Colleges of the catalogue.
        College "college",
        /// Programs of the catalogue.
        Program "program",
    }
}

impl Kind {
    /// The longest chain of references from a record of this kind to records of other kinds.
    pub const fn depth(self) -> i8 {
        match self {
            Self::Organization | Self::User | Self::College => 0,
            Self::Member | Self::Session | Self::ApiKey | Self::Season | Self::Venue | Self::Program => 1,
            Self::Division | Self::Favorite => 2,
            Self::Team => 3,
            Self::Game => 4,
        }
    }
}

macro_rules! records {
    ($($name:ident,)*) => {
        /// A record of any kind.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each member is the record of its name")]
        pub enum AnyRecord { $($name($name),)* }

        $(
            impl From<$name> for AnyRecord { fn from(record: $name) -> Self { Self::$name(record) } }
            impl TryFrom<AnyRecord> for $name {
                type Error = Kind;
                /// Converts to the record's own type, or returns the kind it is.
                fn try_from(any: AnyRecord) -> Result<Self, Kind> {
                    match any { AnyRecord::$name(record) => Ok(record), other => Err(other.kind()) }
                }
            }
        )*

        impl AnyRecord {
            /// The kind of record.
            pub fn kind(&self) -> Kind { match self { $(Self::$name(_) => Kind::$name),* } }
            /// The record's UUID.
            pub fn uuid(&self) -> Uuid { match self { $(Self::$name(record) => record.id.uuid()),* } }
            /// The record's id as it is written on the wire.
            pub fn id(&self) -> String { match self { $(Self::$name(record) => record.id.to_string()),* } }
            /// The user or guest who owns the record. `None` if it belongs to the organization.
            pub fn owner(&self) -> Option<Uuid> { match self { $(Self::$name(record) => Owned::owner(record)),* } }
            /// The version: 1 at first, and one more with every change.
            pub fn version(&self) -> i64 { match self { $(Self::$name(record) => record.version),* } }
            /// When it last changed.
            pub fn updated_at(&self) -> Timestamp { match self { $(Self::$name(record) => record.updated_at),* } }
            /// All fields but secrets, in the order of the declaration.
            pub fn image(&self) -> Map<String, Json> { match self { $(Self::$name(record) => record.image()),* } }
            /// The names of the fields that differ, without bookkeeping; all fields if `other` is of another kind.
            pub fn changed(&self, other: &Self) -> Vec<&'static str> {
                match (self, other) {
                    $((Self::$name(one), Self::$name(other)) => one.changed(other),)*
                    $((Self::$name(_), _) => $name::FIELDS.to_vec(),)*
                }
            }
            fn set_version(&mut self, version: i64, updated_at: Timestamp) {
                match self { $(Self::$name(record) => record.set_version(version, updated_at)),* }
            }
        }

        /// Evaluates an expression with the record of any kind: `with_record!(any, record => expression)`.
        #[macro_export]
        macro_rules! with_record {
            ($any:expr, $record:ident => $body:expr) => {
                match $any { $($crate::effects::AnyRecord::$name($record) => $body),* }
            };
        }
    };
}

records! { Organization, User, Member, Session, ApiKey, Season, Division, Team, Venue, Game, Favorite, }

/// Records that may have an owner.
trait Owned {
    fn owner(&self) -> Option<Uuid>;
}

macro_rules! owned {
    ($($name:ident: |$record:ident| $owner:expr;)*) => {
        $(impl Owned for $name { fn owner(&self) -> Option<Uuid> { let $record = self; $owner } })*
    };
}

owned! {
    Organization: |_record| None;
    User: |record| Some(record.id.uuid());
    Member: |record| Some(record.user_id.uuid());
    Session: |record| Some(record.user_id.uuid());
    ApiKey: |record| Some(record.user_id.uuid());
    Season: |_record| None;
    Division: |_record| None;
    Team: |_record| None;
    Venue: |_record| None;
    Game: |_record| None;
    Favorite: |record| Some(record.owner_id.uuid());
}

impl AnyRecord {
    /// Becomes the next version of a record. The clocks of servers differ, so only the order of the ledger says which change came first.
    fn follow(&mut self, before: &Self, moment: &Moment) {
        self.set_version(before.version() + 1, moment.now());
    }
}

/// What happens to one record.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The record before; `None` if it is created.
    pub before: Option<AnyRecord>,
    /// The record after; `None` if it is deleted.
    pub after: Option<AnyRecord>,
}

impl Effect {
    /// Creates a record.
    pub fn create(after: impl Into<AnyRecord>) -> Self {
        Self { before: None, after: Some(after.into()) }
    }

    /// Changes a record: its version goes up by one and it gets the time of the moment. Returns `None` if no field differs.
    pub fn update<R: Into<AnyRecord>>(moment: &Moment, before: R, after: R) -> Option<Self> {
        let (before, mut after) = (before.into(), after.into());
        if before.changed(&after).is_empty() {
            return None;
        }
        after.follow(&before, moment);
        Some(Self { before: Some(before), after: Some(after) })
    }

    /// Gives a record a new version without changing a field, because something that is read together with it changes.
    pub fn touch(moment: &Moment, before: impl Into<AnyRecord>) -> Self {
        let before = before.into();
        let mut after = before.clone();
        after.follow(&before, moment);
        Self { before: Some(before), after: Some(after) }
    }

    /// Deletes a record.
    pub fn delete(before: impl Into<AnyRecord>) -> Self {
        Self { before: Some(before.into()), after: None }
    }

    /// The record afterwards; for a deletion, the record before.
    pub fn record(&self) -> Option<&AnyRecord> {
        self.after.as_ref().or(self.before.as_ref())
    }

    /// What happens: `created`, `updated` or `deleted`.
    pub fn verb(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "created",
            (_, None) => "deleted",
            _ => "updated",
        }
    }

    /// The position in which it is written: deletions from children to parents, then updates, then creations from parents to children.
    pub fn place(&self) -> (u8, i8) {
        let depth = self.record().map_or(0, |record| record.kind().depth());
        match (&self.before, &self.after) {
            (_, None) => (0, -depth),
            (Some(_), _) => (1, depth),
            (None, _) => (2, depth),
        }
    }

    /// The names of the changed fields; empty for a deletion.
    pub fn fields(&self) -> Vec<&'static str> {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => after.changed(before),
            _ => Vec::new(),
        }
    }
}
