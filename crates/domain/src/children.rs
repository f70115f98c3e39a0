//! Children: whose data opens only through a recorded, current relation. A role alone opens none of it.
//!
//! Every athlete's record is a child's record. The record itself has what a roster and a profile show; each further class of data is a record
//! of its own, created together with it, and is stored sealed.

pub mod break_glass;
pub mod cases;
pub mod classes;
pub mod consents;
pub mod contacts;
pub mod emergencies;
pub mod guardian_invitations;
pub mod identities;
pub mod medical;
pub mod performances;
pub mod relations;
pub mod restrictions;
pub mod shown;

use jiff::civil::Date;
use jiff::{Span, Timestamp};

use crate::effects::Effect;
use crate::ids::{ChildId, SeasonId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::text::{InvalidValue, Name, Pronouns, WebAddress};
use crate::{Moment, Refusal};

use classes::Capacity;
use contacts::ChildContact;
use emergencies::ChildEmergency;
use identities::{ChangeChildIdentity, ChildIdentity};
use medical::ChildMedical;
use performances::ChildPerformance;
use relations::{Relation, RelationKind};

/// A child: what a roster and a profile show of it.
#[derive(Clone, PartialEq, Record)]
#[record(table = "children", alias = "c", derived(name_folded = self.display_name.folded()))]
pub struct Child {
    /// The id.
    #[field(server)]
    pub id: ChildId,
    /// The name by which the child is known in its teams.
    #[field(client, personal)]
    pub display_name: Name,
    /// The year of birth. It follows from the date of birth in the identity.
    #[field(server, personal)]
    pub birth_year: i64,
    /// The address of a photo.
    #[field(client, personal)]
    pub photo_url: Option<WebAddress>,
    /// The pronouns.
    #[field(client, personal)]
    pub pronouns: Option<Pronouns>,
    /// When it was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// The fields of a new child.
#[derive(Clone, PartialEq, Body)]
pub struct NewPerson {
    /// The name by which the child is known in its teams, such as a first name and an initial.
    pub display_name: Name,
    /// The date of birth.
    pub birth_date: Date,
    /// The first name in documents.
    pub legal_first_name: Option<Name>,
    /// The last name in documents.
    pub legal_last_name: Option<Name>,
    /// The pronouns.
    pub pronouns: Option<Pronouns>,
    /// The season for which its registrar creates and registers the child. Without one, the caller becomes the child's first guardian.
    pub season_id: Option<SeasonId>,
}

unprinted! { NewPerson }

/// The records of a new child. `guardian` is the user who becomes its first guardian: a member who creates a child.
pub fn create(
    moment: &Moment,
    today: Date,
    new: &NewPerson,
    guardian: Option<UserId>,
) -> Result<(Child, Vec<Effect>), Refusal> {
    refuse_impossible_birth(new.birth_date, today)?;
    let now = moment.now();
    let id: ChildId = moment.id();
    let child = Child {
        id,
        display_name: new.display_name.clone(),
        birth_year: i64::from(new.birth_date.year()),
        photo_url: None,
        pronouns: new.pronouns.clone(),
        created_at: now,
        updated_at: now,
        version: 1,
    };
    let identity = ChildIdentity {
        legal_first_name: new.legal_first_name.clone(),
        legal_last_name: new.legal_last_name.clone(),
        birth_date: Some(new.birth_date),
        ..ChildIdentity::of(id, now)
    };
    let mut effects = vec![
        Effect::create(child.clone()),
        Effect::create(identity),
        Effect::create(ChildContact::of(id, now)),
        Effect::create(ChildEmergency::of(id, now)),
        Effect::create(ChildMedical::of(id, now)),
        Effect::create(ChildPerformance::of(id, now)),
    ];
    effects.extend(
        guardian.map(|user| Effect::create(Relation::of_creator(moment, id, user, RelationKind::Guardian))),
    );
    Ok((child, effects))
}

/// Changes the identity of a child. The year of birth in its profile follows the date of birth, and stays if the date is cleared.
pub fn with_identity(
    moment: &Moment,
    today: Date,
    child: &Child,
    identity: &ChildIdentity,
    change: ChangeChildIdentity,
) -> Result<Vec<Effect>, Refusal> {
    let after = identity.with(change)?;
    let mut same_child = child.clone();
    if let Some(birth_date) = after.birth_date
        && after.birth_date != identity.birth_date
    {
        refuse_impossible_birth(birth_date, today)?;
        same_child.birth_year = i64::from(birth_date.year());
    }
    let identity = Effect::update(moment, identity.clone(), after);
    let child = Effect::update(moment, child.clone(), same_child);
    Ok(identity.into_iter().chain(child).collect())
}

/// The maximum age in years.
const MAX_AGE: i16 = 120;

fn refuse_impossible_birth(birth_date: Date, today: Date) -> Result<(), Refusal> {
    let (code, message) = if birth_date > today {
        ("in_the_future", "is in the future".to_owned())
    } else if birth_date < today.saturating_sub(Span::new().years(MAX_AGE)) {
        ("too_early", format!("is more than {MAX_AGE} years ago"))
    } else {
        return Ok(());
    };
    Err(Refusal::field("/birth_date", InvalidValue::new(code, message, "Send the day of birth.")))
}

/// Refuses a caller who opens the child's data in none of the `allowed` capacities. To a caller who opens none of it, nothing about the
/// child exists.
pub(crate) fn require(held: &[Capacity], allowed: &[Capacity], why: &str) -> Result<(), Refusal> {
    if held.iter().any(|capacity| allowed.contains(capacity)) {
        return Ok(());
    }
    Err(if held.is_empty() { Refusal::NotFound } else { Refusal::Forbidden(why.to_owned()) })
}

enumeration! {
    /// How old a child is, in bands that do not reveal the birthday.
    AgeBand {
        /// Under 10 years.
        Under10 "under_10",
        /// 10 to 12 years.
        Under13 "10_to_12",
        /// 13 to 15 years.
        Under16 "13_to_15",
        /// 16 or 17 years.
        Under18 "16_or_17",
        /// 18 years or more.
        Adult "18_or_more",
    }
}

impl Child {
    /// The age in years that the child has reached with certainty: by the end of last year.
    pub fn age_on(&self, today: Date) -> i64 {
        (i64::from(today.year()) - 1 - self.birth_year).max(0)
    }

    /// The band of that age.
    pub fn age_band_on(&self, today: Date) -> AgeBand {
        match self.age_on(today) {
            ..10 => AgeBand::Under10,
            10..13 => AgeBand::Under13,
            13..16 => AgeBand::Under16,
            16..18 => AgeBand::Under18,
            _ => AgeBand::Adult,
        }
    }
}

/// The latest year of birth of children who have reached an age with certainty.
pub fn born_by(today: Date, age: i16) -> i64 {
    i64::from(today.year()) - 1 - i64::from(age)
}

/// Implements `Debug` for bodies with data of a child, without the data.
macro_rules! unprinted {
    ($($body:ident),+) => { $(
        impl std::fmt::Debug for $body {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($body), "(personal)"))
            }
        }
    )+ };
}
pub(crate) use unprinted;

/// Declares what the records of a child's sealed classes have in common. Their ids have the UUID of the child.
macro_rules! sealed_class {
    ($record:ident $id:ident { $($field:ident),+ }) => {
        impl $record {
            /// The record of a new child: empty.
            pub fn of(child: ChildId, now: Timestamp) -> Self {
                Self {
                    id: $id::from_uuid(child.uuid()),
                    $($field: Default::default(),)+
                    created_at: now,
                    updated_at: now,
                    version: 1,
                }
            }

            /// The child.
            pub fn child(&self) -> ChildId {
                ChildId::from_uuid(self.id.uuid())
            }
        }
    };
}
pub(crate) use sealed_class;

#[cfg(test)]
mod tests;
