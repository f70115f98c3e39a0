//! Kinds of record: a table with the properties of each kind, and a record of any kind.
//!
//! A new kind gets one row in the table. Records of the catalogue have a kind too, but no effect is about one of them.

use std::borrow::Cow;

use jiff::Timestamp;
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::Refusal;
use crate::api_keys::ApiKey;
use crate::changesets::Changeset;
use crate::children::Child;
use crate::children::break_glass::BreakGlassGrant;
use crate::children::cases::SafeguardingCase;
use crate::children::consents::Consent;
use crate::children::contacts::ChildContact;
use crate::children::emergencies::ChildEmergency;
use crate::children::guardian_invitations::GuardianInvitation;
use crate::children::identities::ChildIdentity;
use crate::children::medical::ChildMedical;
use crate::children::performances::ChildPerformance;
use crate::children::relations::Relation;
use crate::children::restrictions::Restriction;
use crate::divisions::Division;
use crate::duties::Duty;
use crate::exports::Export;
use crate::favorites::{ChildFavorite, Favorite};
use crate::games::Game;
use crate::ids::{
    ApiKeyId, BreakGlassGrantId, ChangesetId, ChildContactId, ChildEmergencyId, ChildId, ChildIdentityId,
    ChildMedicalId, ChildPerformanceId, CollegeId, ConsentId, DivisionId, DutyId, ExportId, FavoriteId,
    GameId, GuardianInvitationId, Id, InvitationId, MemberId, OrganizationId, PrivacyRequestId, ProgramId,
    RegistrationId, RelationId, RestrictionId, RosterEntryId, SafeguardingCaseId, SeasonId, SessionId,
    StaffId, TeamId, UserId, VenueId,
};
use crate::invitations::Invitation;
use crate::ledger::Trace;
use crate::members::Member;
use crate::organizations::Organization;
use crate::privacy_requests::PrivacyRequest;
use crate::record::{ImageError, Record, Shared, enumeration};
use crate::registrations::Registration;
use crate::rosters::RosterEntry;
use crate::seasons::Season;
use crate::sessions::Session;
use crate::staff::Staff;
use crate::teams::Team;
use crate::users::User;
use crate::venues::Venue;

/// Who may read a record, among the callers who may read records of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Every member of the organization.
    Members,
    /// Every member of this organization.
    Itself,
    /// Its owner.
    Owner,
    /// Its owner, but through a key only that key itself.
    KeyHolders,
    /// Those to whom a relation opens its child.
    Relations,
}

/// A record that may have an owner.
pub trait Owned: Record {
    /// The user or guest who owns the record. `None` if it belongs to the organization.
    fn owner(&self) -> Option<Uuid>;
    /// The child whom the record is about.
    fn child(&self) -> Option<ChildId>;
}

macro_rules! kinds {
    (
        $($doc:literal $kind:ident $name:literal $id:ident $depth:literal $trace:ident |$record:ident| $owner:expr, |$about:ident| $child:expr, $visibility:ident $deleted:literal;)+
        catalogue:
        $($catalogue_doc:literal $catalogue:ident $catalogue_name:literal $catalogue_id:ident $catalogue_depth:literal;)+
    ) => {
        enumeration! {
            /// A kind of record.
            Kind {
                $(#[doc = $doc] $kind $name,)+
                $(#[doc = $catalogue_doc] $catalogue $catalogue_name,)+
            }
        }

        impl Kind {
            /// The names of the fields of its record. None for a record of the catalogue.
            pub const fn fields(self) -> &'static [&'static str] {
                match self { $(Self::$kind => <$kind as Record>::FIELDS,)+ $(Self::$catalogue => &[]),+ }
            }
            /// The names of the fields in the body of change that the derive generates.
            pub const fn changeable(self) -> &'static [&'static str] {
                match self { $(Self::$kind => <$kind as Record>::CHANGEABLE,)+ $(Self::$catalogue => &[]),+ }
            }
            /// The longest chain of references from a record of this kind to records of other kinds.
            pub const fn depth(self) -> i8 {
                match self { $(Self::$kind => $depth,)+ $(Self::$catalogue => $catalogue_depth),+ }
            }
            /// What the ledger stores of a change to a record of this kind.
            pub const fn trace(self) -> Trace {
                match self { $(Self::$kind => Trace::$trace,)+ $(Self::$catalogue => Trace::Nothing),+ }
            }
            /// Who may read a record of this kind.
            pub const fn visibility(self) -> Visibility {
                match self { $(Self::$kind => Visibility::$visibility,)+ $(Self::$catalogue => Visibility::Members),+ }
            }
            /// Whether records of this kind can be deleted.
            pub const fn is_deleted(self) -> bool {
                match self { $(Self::$kind => $deleted,)+ $(Self::$catalogue => false),+ }
            }
            /// The id of a record of this kind as it is written on the wire.
            pub fn written_id(self, uuid: Uuid) -> String {
                match self {
                    $(Self::$kind => $id::from_uuid(uuid).to_string(),)+
                    $(Self::$catalogue => $catalogue_id::from_uuid(uuid).to_string()),+
                }
            }
            /// The kind and UUID of a written id.
            pub fn of_written_id(text: &str) -> Option<(Self, Uuid)> {
                None
                    $(.or_else(|| Some((Self::$kind, text.parse::<$id>().ok()?.uuid()))))+
                    $(.or_else(|| Some((Self::$catalogue, text.parse::<$catalogue_id>().ok()?.uuid()))))+
            }
        }

        /// A record of any kind. Its clones share the record, because effects pass through many hands.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each member is the record of its name")]
        pub enum AnyRecord { $($kind(Shared<$kind>),)+ }

        $(
            impl From<$kind> for AnyRecord { fn from(record: $kind) -> Self { Self::$kind(record.into()) } }
            impl TryFrom<AnyRecord> for $kind {
                type Error = Kind;
                /// Converts to the record's own type, or returns the kind it is.
                fn try_from(any: AnyRecord) -> Result<Self, Kind> {
                    Shared::try_from(any).map(Shared::into_record)
                }
            }
            impl TryFrom<AnyRecord> for Shared<$kind> {
                type Error = Kind;
                /// The same, without a copy of the record.
                fn try_from(any: AnyRecord) -> Result<Self, Kind> {
                    match any { AnyRecord::$kind(record) => Ok(record), other => Err(other.kind()) }
                }
            }
            impl Owned for $kind {
                fn owner(&self) -> Option<Uuid> { let $record = self; $owner }
                fn child(&self) -> Option<ChildId> { let $about = self; $child }
            }
        )+

        impl AnyRecord {
            /// The kind of record.
            pub fn kind(&self) -> Kind { match self { $(Self::$kind(_) => Kind::$kind),+ } }
            /// The record's UUID.
            pub fn uuid(&self) -> Uuid { match self { $(Self::$kind(record) => record.id.uuid()),+ } }
            /// The record's id as it is written on the wire.
            pub fn id(&self) -> String { match self { $(Self::$kind(record) => record.id.to_string()),+ } }
            /// The user or guest who owns the record. `None` if it belongs to the organization.
            pub fn owner(&self) -> Option<Uuid> { match self { $(Self::$kind(record) => Owned::owner(&**record)),+ } }
            /// The child whom the record is about.
            pub fn child(&self) -> Option<ChildId> { match self { $(Self::$kind(record) => Owned::child(&**record)),+ } }
            /// The version: 1 at first, and one more with every change.
            pub fn version(&self) -> i64 { match self { $(Self::$kind(record) => record.version),+ } }
            /// When it last changed.
            pub fn updated_at(&self) -> Timestamp { match self { $(Self::$kind(record) => record.updated_at),+ } }
            /// The value of a field. `None` for a secret or an unknown field.
            pub fn get(&self, field: &str) -> Option<Json> { match self { $(Self::$kind(record) => record.get(field)),+ } }
            /// Sets a field to a value that [`AnyRecord::get`] returned.
            pub fn set(&mut self, field: &str, value: &Json) -> Result<(), Refusal> { match self { $(Self::$kind(record) => Shared::make_mut(record).set(field, value)),+ } }
            /// All fields except secrets, in the order of the declaration.
            pub fn image(&self) -> Map<String, Json> { match self { $(Self::$kind(record) => record.image()),+ } }
            /// The same as text.
            pub fn image_text(&self) -> Cow<'_, str> { match self { $(Self::$kind(record) => record.stored_image()),+ } }
            /// Makes what the record is stored as, ahead of the transaction that stores it.
            pub fn make_stored(&self) { match self { $(Self::$kind(record) => record.make_stored()),+ } }
            /// The fields in which a simulation and its execution agree, in the order of the declaration.
            pub fn lasting(&self) -> Map<String, Json> { match self { $(Self::$kind(record) => record.lasting()),+ } }
            /// The same as text, and which of the other fields are set.
            pub fn compared(&self) -> String { match self { $(Self::$kind(record) => record.compared()),+ } }
            /// Rebuilds a record from its image. A kind with secrets is refused, and one of the catalogue.
            pub fn of_image(kind: Kind, image: &Map<String, Json>) -> Result<Self, ImageError> {
                match kind {
                    $(Kind::$kind => $kind::of_image(image).map(Self::from),)+
                    $(Kind::$catalogue => Err(ImageError::NoRecord(kind)),)+
                }
            }
            /// The names of the fields that differ, without bookkeeping; all fields if `other` is of another kind.
            pub fn changed(&self, other: &Self) -> Vec<&'static str> {
                match (self, other) {
                    $((Self::$kind(one), Self::$kind(other)) => one.changed(other),)+
                    $((Self::$kind(_), _) => $kind::FIELDS.to_vec(),)+
                }
            }
            pub(crate) fn set_version(&mut self, version: i64, updated_at: Timestamp) {
                match self { $(Self::$kind(record) => Shared::make_mut(record).set_version(version, updated_at)),+ }
            }
        }

        /// Evaluates an expression with the shared record of any kind: `with_record!(any, record => expression)`.
        #[macro_export]
        macro_rules! with_record {
            ($any:expr, $it:ident => $body:expr) => {
                match $any { $($crate::kinds::AnyRecord::$kind($it) => $body),+ }
            };
        }

        /// Passes the types of all kinds of record to a macro, with their paths: `each_record!(callback)` is
        /// `callback! { Organization, User, ... }`.
        #[macro_export]
        macro_rules! each_record {
            ($callback:ident) => { $callback! { $($crate::kinds::records::$kind),+ } };
        }

        /// The records of the table, by the names of their kinds.
        pub mod records {
            $(#[doc = $doc] pub type $kind = super::$kind;)+
        }
    };
}

#[rustfmt::skip]
kinds! {
// documentation, kind, name, id, depth, trace in the ledger, owner, child, visibility, whether it can be deleted
    "Organizations." Organization "organization" OrganizationId 0 Images      |_it| None, |_it| None,                    Itself     false;
    "Users."         User         "user"         UserId         0 Memberships |it| Some(it.id.uuid()), |_it| None,       Owner      false;
    "Members."       Member       "member"       MemberId       1 Images      |it| Some(it.user_id.uuid()), |_it| None,  Members    true;
    "Invitations."   Invitation   "invitation"   InvitationId   2 Images      |_it| None, |_it| None,                    Members    false;
    "Sessions."      Session      "session"      SessionId      1 Fields      |it| Some(it.user_id.uuid()), |_it| None,  Owner      false;
    "API keys."      ApiKey       "api_key"      ApiKeyId       1 Fields      |it| Some(it.user_id.uuid()), |_it| None,  KeyHolders false;
    "Seasons."       Season       "season"       SeasonId       1 Images      |_it| None, |_it| None,                    Members    true;
    "Divisions."     Division     "division"     DivisionId     2 Images      |_it| None, |_it| None,                    Members    true;
    "Teams."         Team         "team"         TeamId         3 Images      |_it| None, |_it| None,                    Members    true;
    "Venues."        Venue        "venue"        VenueId        1 Images      |_it| None, |_it| None,                    Members    true;
    "Games."         Game         "game"         GameId         4 Images      |_it| None, |_it| None,                    Members    true;
    "Exports."       Export       "export"       ExportId       1 Images      |_it| None, |it| it.child_id,              Members    false;
    "Changesets." Changeset "changeset" ChangesetId 2 Images |it| Some(it.author_id.uuid()), |_it| None, Members false;
    "Staff of teams." Staff      "staff"        StaffId        4 Images      |_it| None, |_it| None,                    Members    true;
    "Duties."        Duty         "duty"         DutyId         4 Images      |_it| None, |_it| None,                    Members    true;
    "Children."      Child        "child"        ChildId        1 Images      |_it| None, |it| Some(it.id),        Relations  true;
    "Identities of children."   ChildIdentity    "child_identity"    ChildIdentityId    2 Images |_it| None, |it| Some(it.child()), Relations true;
    "Contacts of children."     ChildContact     "child_contact"     ChildContactId     2 Images |_it| None, |it| Some(it.child()), Relations true;
    "What someone must know about children in an emergency." ChildEmergency "child_emergency" ChildEmergencyId 2 Images |_it| None, |it| Some(it.child()), Relations true;
    "The health of children."   ChildMedical     "child_medical"     ChildMedicalId     2 Images |_it| None, |it| Some(it.child()), Relations true;
    "How children play."        ChildPerformance "child_performance" ChildPerformanceId 2 Images |_it| None, |it| Some(it.child()), Relations true;
    "Relations of people to children." Relation  "relation"          RelationId         2 Images |_it| None, |it| Some(it.child_id), Relations true;
    "Invitations to be a child's guardian." GuardianInvitation "guardian_invitation" GuardianInvitationId 3 Images |_it| None, |it| Some(it.child_id), Relations true;
    "Restrictions on children's data." Restriction "restriction"     RestrictionId      2 Images |_it| None, |it| Some(it.child_id), Relations true;
    "Safeguarding cases."       SafeguardingCase "safeguarding_case" SafeguardingCaseId 2 Nothing |_it| None, |_it| None,             Relations false;
    "Break-glass grants."       BreakGlassGrant "break_glass_grant" BreakGlassGrantId 2 Images |_it| None, |it| Some(it.child_id), Relations true;
    "Consents about children."  Consent          "consent"           ConsentId          2 Images |_it| None, |it| Some(it.child_id), Relations true;
    "Registrations of children." Registration    "registration"      RegistrationId     3 Images |_it| None, |it| Some(it.child_id), Relations true;
    "Children in teams."        RosterEntry      "roster_entry"      RosterEntryId      4 Images |_it| None, |it| Some(it.child_id), Relations true;
    "Requests about children's data." PrivacyRequest "privacy_request" PrivacyRequestId 2 Images |_it| None, |it| Some(it.child_id), Relations true;
    // A list belongs to a family, not to the club.
    "Saved college programs." Favorite "favorite" FavoriteId    2 Nothing     |it| Some(it.owner_id.uuid()), |_it| None, Owner      true;
    // With ids of the same type, because no path says whose list an entry is on.
    "Saved college programs of children." ChildFavorite "child_favorite" FavoriteId 2 Nothing |_it| None, |it| Some(it.child_id), Relations true;
catalogue:
    "Colleges of the catalogue." College "college" CollegeId 0;
    "Programs of the catalogue." Program "program" ProgramId 1;
}
