//! Typed ids: a UUID with the kind of record it belongs to, written as a `TypeID` (prefix, underscore, 26 characters of Crockford base32).
//!
//! A new kind of record gets one line in the table at the end. [`crate::Moment`] creates ids.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use type_safe_id::{StaticType, TypeSafeId};
use uuid::Uuid;

use crate::record::{At, Cell, CellKind, Column, Field, Input, Properties, Schemas};

/// A string that is not an id of the expected kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a valid id: write {prefix}_ followed by 26 letters and digits")]
pub struct InvalidId {
    prefix: &'static str,
}

/// What all kinds of id have in common.
pub trait Id: Copy + Column + fmt::Display + FromStr<Err = InvalidId> + Send + Sync + 'static {
    /// The letters before the underscore.
    const PREFIX: &'static str;
    /// The id of a UUID.
    fn from_uuid(uuid: Uuid) -> Self;
    /// The UUID.
    fn uuid(self) -> Uuid;
}

/// The type of an id for the library that writes and reads them.
struct Prefix<I>(PhantomData<I>);

impl<I> Default for Prefix<I> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<I: Id> StaticType for Prefix<I> {
    const TYPE: &'static str = I::PREFIX;
}

/// The digits of an id in Crockford's base 32.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// How many digits a UUID has.
const DIGIT_COUNT: usize = 26;
/// The maximum length of a prefix.
const MAX_PREFIX: usize = 5;

/// An id as text. Lists contain hundreds of ids, and the library's formatter takes several times as long.
struct Written {
    bytes: [u8; MAX_PREFIX + 1 + DIGIT_COUNT],
    length: usize,
}

impl Written {
    fn of<I: Id>(id: I) -> Self {
        const {
            assert!(I::PREFIX.len() <= MAX_PREFIX, "the prefix is short");
        };
        let start = I::PREFIX.len() + 1;
        let mut written = Self { bytes: [b'_'; MAX_PREFIX + 1 + DIGIT_COUNT], length: start + DIGIT_COUNT };
        written.bytes[..start - 1].copy_from_slice(I::PREFIX.as_bytes());
        let (high, low) = id.uuid().as_u64_pair();
        // Twelve digits are 60 bits: the last ones, those before, and the two that are left.
        let digits = &mut written.bytes[start..start + DIGIT_COUNT];
        write_digits(&mut digits[14..], low);
        write_digits(&mut digits[2..14], low >> 60 | high << 4);
        write_digits(&mut digits[..2], high >> 56);
        written
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

/// Adds the text of an id, without the formatter that [`Display`](std::fmt::Display) needs.
pub fn push<I: Id>(text: &mut String, id: I) {
    text.push_str(Written::of(id).as_str());
}

/// Writes the last bits of a number, five for each digit.
fn write_digits(digits: &mut [u8], mut bits: u64) {
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(bits & 31) as usize];
        bits >>= 5;
    }
}

fn decode<I: Id>(text: &str) -> Result<I, InvalidId> {
    let id: TypeSafeId<Prefix<I>> = text.parse().map_err(|_| InvalidId { prefix: I::PREFIX })?;
    Ok(I::from_uuid(id.uuid()))
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl Id for $name {
            const PREFIX: &'static str = $prefix;
            fn from_uuid(uuid: Uuid) -> Self { Self(uuid) }
            fn uuid(self) -> Uuid { self.0 }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(Written::of(*self).as_str())
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { fmt::Display::fmt(self, f) }
        }
        impl FromStr for $name {
            type Err = InvalidId;
            fn from_str(text: &str) -> Result<Self, InvalidId> { decode(text) }
        }
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(Written::of(*self).as_str())
            }
        }
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::SchemaType::new(utoipa::openapi::Type::String))
                    .pattern(Some(concat!("^", $prefix, "_[0-7][0-9a-hjkmnp-tv-z]{25}$")))
                    .description(Some(concat!("TypeID with the prefix `", $prefix, "_`.")))
                    .into()
            }
        }
        impl utoipa::ToSchema for $name {}
        impl Column for $name {
            const KIND: CellKind = CellKind::Uuid;
            fn cell(&self) -> Cell<'_> { Cell::Uuid(self.0) }
            fn from_cell(cell: Cell<'_>) -> Result<Self, String> { Uuid::from_cell(cell).map(Self) }
        }
        impl Field for $name {
            fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
                let text = at.text(input)?;
                text.parse().ok().or_else(|| {
                    let fix = concat!("Send `", $prefix, "_` followed by 26 letters and digits.");
                    at.refuse("invalid", "is not a valid id", fix)
                })
            }
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> { Properties::reference::<Self>() }
            fn schemas(schemas: &mut Schemas) { Properties::gather::<Self>(schemas); }
        }
    )* };
}

ids! {
    /// An organization: a tenant.
    OrganizationId "org";
    /// A person who can sign in.
    UserId "usr";
    /// A user's role in one organization.
    MemberId "mem";
    /// A signed-in session, which is also a refresh token family.
    SessionId "ses";
    /// An API key's record, not the key itself.
    ApiKeyId "key";
    /// A season of one sport.
    SeasonId "sea";
    /// A division (grade) of a season.
    DivisionId "div";
    /// A team of a season.
    TeamId "tea";
    /// A place where games are played.
    VenueId "ven";
    /// A game or a bye.
    GameId "gam";
    /// A member of a team's staff.
    StaffId "stf";
    /// A duty of a member.
    DutyId "dut";
    /// A child's record. Every athlete's record is a child's record.
    ChildId "chi";
    /// What identifies a child. Its UUID is that of the child.
    ChildIdentityId "cid";
    /// How to reach a child's family. Its UUID is that of the child.
    ChildContactId "cco";
    /// What someone must know about a child in an emergency. Its UUID is that of the child.
    ChildEmergencyId "cem";
    /// What is known about a child's health. Its UUID is that of the child.
    ChildMedicalId "cme";
    /// How a child plays. Its UUID is that of the child.
    ChildPerformanceId "cpe";
    /// A relation of a person to a child.
    RelationId "rel";
    /// An invitation to be a child's guardian.
    GuardianInvitationId "giv";
    /// A restriction that closes a child's data.
    RestrictionId "res";
    /// A break-glass grant.
    BreakGlassGrantId "gra";
    /// A safeguarding case.
    SafeguardingCaseId "cas";
    /// A consent about a child.
    ConsentId "con";
    /// A registration of a child for a season.
    RegistrationId "reg";
    /// A child in a team.
    RosterEntryId "ros";
    /// A request of a family about a child's data.
    PrivacyRequestId "prq";
    /// An event of the access log.
    AccessEventId "acc";
    /// A college of the catalogue.
    CollegeId "col";
    /// A college's program in one sport and gender.
    ProgramId "prg";
    /// A saved college program.
    FavoriteId "fav";
    /// A visitor without a credential who saved a program.
    GuestId "gst";
    /// An entry of the ledger.
    EntryId "aud";
    /// An export of an organization.
    ExportId "exp";
    /// An invitation.
    InvitationId "inv";
    /// A message that the server sends.
    MailId "mai";
    /// A changeset.
    ChangesetId "chg";
    /// A simulation of a changeset.
    SimulationId "sim";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_parses_and_another_kind_is_refused() {
        let id = SeasonId::from_uuid(Uuid::from_u128(0x0190_8a3e_0000_7000_8000_0000_0000_0001));
        let text = id.to_string();
        assert!(text.starts_with("sea_") && text.len() == 30, "{text}");
        assert_eq!(text.parse::<SeasonId>(), Ok(id));
        assert!(text.parse::<TeamId>().is_err());
        assert!(text.to_uppercase().parse::<SeasonId>().is_err());
        assert!("sea_".parse::<SeasonId>().is_err());
    }

    #[test]
    fn ids_are_written_as_the_library_writes_them() {
        let each_bit = (0..128).map(|bit| 1_u128 << bit);
        let dense =
            (1..100_u128).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835));
        for number in each_bit.chain(dense).chain([0, u128::MAX]) {
            let id = GameId::from_uuid(Uuid::from_u128(number));
            let theirs = TypeSafeId::<Prefix<GameId>>::from_uuid(id.uuid()).to_string();
            assert_eq!(id.to_string(), theirs);
            assert_eq!(serde_json::to_string(&id).expect("JSON"), format!("\"{theirs}\""));
        }
    }
}
