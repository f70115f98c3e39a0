//! Effects: what a command does to records. The one way in which anything changes.
//!
//! A command is a pure function that yields effects; the store applies them, and with them writes the audit event and the outbox, in
//! one transaction. A new kind of record gets a member of [`Record`] here and an arm in the store's `apply`.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::Moment;
use crate::api_keys::ApiKey;
use crate::divisions::Division;
use crate::favorites::Favorite;
use crate::games::Game;
use crate::ids::Id;
use crate::members::Member;
use crate::organizations::Organization;
use crate::seasons::Season;
use crate::sessions::Session;
use crate::teams::Team;
use crate::users::User;
use crate::venues::Venue;

macro_rules! records {
    ($($(#[$doc:meta])* $name:ident $kind:literal;)*) => {
        /// A record with all its fields, as it was before or will be after an effect.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Record { $($(#[$doc])* $name($name),)* }

        impl Record {
            /// The kind of record, in the audit log and the outbox.
            pub fn kind(&self) -> &'static str { match self { $(Self::$name(_) => $kind),* } }
            /// The record's UUID.
            pub fn uuid(&self) -> Uuid { match self { $(Self::$name(record) => record.id.uuid()),* } }
            /// The record's id as it is written on the wire.
            pub fn id(&self) -> String { match self { $(Self::$name(record) => record.id.to_string()),* } }
            /// How often it has changed, from 1.
            pub fn version(&self) -> i64 { match self { $(Self::$name(record) => record.version),* } }
            /// The names of the fields that differ, bookkeeping left out; all of them where `other` is of another kind.
            pub fn changed(&self, other: &Self) -> Vec<&'static str> {
                match (self, other) {
                    $((Self::$name(one), Self::$name(other)) => one.changed(other),)*
                    $((Self::$name(_), _) => $name::FIELDS.to_vec(),)*
                }
            }
            /// When it last changed.
            pub fn updated_at(&self) -> Timestamp {
                match self { $(Self::$name(record) => record.updated_at),* }
            }
            /// Becomes the next version of a record. Clocks differ and requests overtake each other, but a record never goes back in
            /// time: whoever asks for what changed since would not hear of it.
            fn follow(&mut self, before: &Self, moment: &Moment) {
                let next = before.updated_at().saturating_add(SignedDuration::from_micros(1));
                let at = next.map_or(moment.now(), |next| next.max(moment.now()));
                let version = before.version() + 1;
                match self { $(Self::$name(record) => { record.version = version; record.updated_at = at; }),* }
            }
        }
    };
}

records! {
    /// An organization.
    Organization "organization";
    /// A user.
    User "user";
    /// A member.
    Member "member";
    /// A session.
    Session "session";
    /// An API key.
    ApiKey "api_key";
    /// A season.
    Season "season";
    /// A division.
    Division "division";
    /// A team.
    Team "team";
    /// A venue.
    Venue "venue";
    /// A game.
    Game "game";
    /// A saved college program.
    Favorite "favorite";
}

/// Why an effect comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The operation asked for it.
    Operation,
    /// It follows from another effect: what hangs on a removed member goes with him.
    Cascade,
}

/// What happens to one record.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The record before; none: it is made.
    pub before: Option<Record>,
    /// The record after; none: it goes.
    pub after: Option<Record>,
    /// Why.
    pub cause: Cause,
}

impl Effect {
    /// A record is made.
    pub fn create(after: Record) -> Self {
        Self { before: None, after: Some(after), cause: Cause::Operation }
    }

    /// A record changes: its version goes up by one and its time of change is the moment's. None where no field differs.
    pub fn update(moment: &Moment, before: Record, mut after: Record) -> Option<Self> {
        if before.changed(&after).is_empty() {
            return None;
        }
        after.follow(&before, moment);
        Some(Self { before: Some(before), after: Some(after), cause: Cause::Operation })
    }

    /// A record stays as it is, but something that is read together with it changes.
    pub fn touch(moment: &Moment, before: Record) -> Self {
        let mut after = before.clone();
        after.follow(&before, moment);
        Self { before: Some(before), after: Some(after), cause: Cause::Cascade }
    }

    /// A record goes.
    pub fn delete(before: Record) -> Self {
        Self { before: Some(before), after: None, cause: Cause::Operation }
    }

    /// The same effect as a consequence of another.
    pub fn cascade(self) -> Self {
        Self { cause: Cause::Cascade, ..self }
    }

    /// The record that it is about, as it is afterwards, or as it was where it goes.
    pub fn record(&self) -> Option<&Record> {
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

    /// The names of the fields that it touches; none for a record that goes.
    pub fn fields(&self) -> Vec<&'static str> {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => after.changed(before),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Name;

    #[test]
    fn a_record_never_goes_back_in_time() {
        let at = |second| Moment::new(Timestamp::from_second(second).expect("a time"), 1);
        let division = Division {
            id: at(10).id(),
            season_id: at(10).id(),
            name: Name::stored("U12".to_owned()),
            age_group: None,
            gender: None,
            created_at: at(10).now(),
            updated_at: at(10).now(),
            version: 1,
        };
        let renamed = Division { name: Name::stored("U14".to_owned()), ..division.clone() };
        let updated_at = |moment: &Moment| {
            let before = Record::Division(division.clone());
            let effect = Effect::update(moment, before, Record::Division(renamed.clone())).expect("a change");
            effect.after.expect("a record").updated_at()
        };
        assert_eq!(updated_at(&at(20)), at(20).now());
        for late in [at(10), at(9)] {
            assert_eq!(updated_at(&late).as_microsecond(), 10_000_001, "just after what it follows");
        }
    }
}
