//! Which data of a child each relation opens. Nothing else opens any of it: no role does.

use super::consents::Purpose;
use crate::effects::Kind;
use crate::ledger::Trace;
use crate::record::enumeration;
use crate::scopes::Verb;

enumeration! {
    /// A class of a child's data. Each has a view of its own; nothing shows all of them together.
    DataClass {
        /// The line of a roster: the name by which the child is known in a team.
        Roster "roster",
        /// Year of birth, photo and pronouns.
        Profile "profile",
        /// Legal names and date of birth.
        Identity "identity",
        /// Addresses, telephone numbers and the people to call in an emergency.
        Contact "contact",
        /// What someone must know in an emergency: allergies, conditions and medicines.
        Emergency "emergency",
        /// All that is known about the child's health.
        Medical "medical",
        /// Notes and measurements of coaches.
        Performance "performance",
        /// What is recorded for the family: consents, who saw the child's data, its history, and saved college programs.
        Records "records",
    }
}

enumeration! {
    /// In what capacity someone opens a child's data. It is recorded, except that of staff, which follows from the staff and the roster of a
    /// team on the same day.
    Capacity {
        /// The child itself.
        Child "self",
        /// A parent or another guardian.
        Guardian "guardian",
        /// Staff of a team on whose roster the child is today.
        Staff "staff",
        /// Someone who registers children for the teams and the season of their duty.
        Registrar "registrar",
        /// Medical staff of the teams of their duty.
        MedicalStaff "medical_staff",
        /// The safeguarding lead, for the children of an open case.
        Safeguarding "safeguarding",
        /// Someone who helps for a day at most.
        Support "support",
        /// Someone in an emergency, who is told to others at once and reviewed later.
        BreakGlass "break_glass",
    }
}

impl DataClass {
    /// The class as a bit, as the store compares it.
    pub const fn bit(self) -> i64 {
        1 << self as i64
    }
}

/// The class that a kind of record belongs to. `None` for records that are not data of a child, such as what opens it.
pub const fn of_kind(kind: Kind) -> Option<DataClass> {
    match kind {
        Kind::RosterEntry => Some(DataClass::Roster),
        Kind::Child => Some(DataClass::Profile),
        Kind::ChildIdentity => Some(DataClass::Identity),
        Kind::ChildContact => Some(DataClass::Contact),
        Kind::ChildEmergency => Some(DataClass::Emergency),
        Kind::ChildMedical => Some(DataClass::Medical),
        Kind::ChildPerformance => Some(DataClass::Performance),
        Kind::Consent | Kind::ChildFavorite => Some(DataClass::Records),
        _ => None,
    }
}

/// The class that opens images of a kind of record in the history. `None` if no relation does: what closes a child's data is not shown to
/// those to whom it is closed, and invited addresses are shown only in the list of invitations.
pub const fn of_image(kind: Kind) -> Option<DataClass> {
    match kind {
        Kind::Relation => Some(DataClass::Records),
        Kind::Registration => Some(DataClass::Identity),
        // The ledger has no images of it.
        _ if matches!(kind.trace(), Trace::Nothing) => None,
        _ => of_kind(kind),
    }
}

/// The capacities to which the history shows images of a class. Each read of the medical class and each read in an emergency is recorded in
/// its own transaction, so the history shows the medical class to the family alone, and nothing in an emergency.
pub fn see_images(class: DataClass) -> Vec<Capacity> {
    let family = [Capacity::Child, Capacity::Guardian];
    let sees = |capacity: &Capacity| match class {
        DataClass::Medical => family.contains(capacity),
        _ => *capacity != Capacity::BreakGlass,
    };
    Capacity::ALL.iter().copied().filter(sees).collect()
}

impl Capacity {
    /// The capacity as a bit, as the store compares it.
    pub const fn bit(self) -> i64 {
        1 << self as i64
    }

    /// The capacity of a bit.
    pub fn of_bit(bit: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|capacity| capacity.bit() == bit)
    }
}

/// What a relation opens of a class: nothing, reading, or reading and writing.
type Opens = Option<Verb>;

const NO: Opens = None;
const R: Opens = Some(Verb::Read);
const RW: Opens = Some(Verb::Write);

/// The rows are capacities, the columns classes.
#[rustfmt::skip]
const TABLE: [(Capacity, [Opens; 8]); 8] = [
//                           roster profile identity contact emergency medical performance records
    (Capacity::Child,        [R,    RW,     R,       RW,     R,        R,      R,          RW]),
    (Capacity::Guardian,     [R,    RW,     RW,      RW,     RW,       RW,     R,          RW]),
    (Capacity::Staff,        [R,    R,      NO,      R,      R,        NO,     RW,          NO]),
    (Capacity::Registrar,    [RW,   RW,     RW,      RW,     NO,       NO,     NO,          NO]),
    (Capacity::MedicalStaff, [R,    R,      NO,      R,      RW,       RW,     NO,          NO]),
    (Capacity::Safeguarding, [R,    R,      R,       R,      NO,       NO,     NO,          NO]),
    (Capacity::Support,      [R,    R,      NO,      R,      NO,       NO,     NO,          NO]),
    (Capacity::BreakGlass,   [R,    NO,     NO,      R,      R,        R,      NO,          NO]),
];

/// Whether a capacity opens a class. A restriction, a missing consent or a narrower record may still close it.
pub fn opens(capacity: Capacity, class: DataClass, verb: Verb) -> bool {
    let row = TABLE.iter().find(|(of, _)| *of == capacity);
    let opens = row.and_then(|(_, classes)| classes.get(class as usize).copied().flatten());
    opens.is_some_and(|most| verb == Verb::Read || most == Verb::Write)
}

/// The capacities that open a class, in the order of the table.
pub fn capacities(class: DataClass, verb: Verb) -> impl Iterator<Item = Capacity> {
    Capacity::ALL.iter().copied().filter(move |capacity| opens(*capacity, class, verb))
}

/// What a child or its guardians consent to before a capacity opens a class. `is_young` says whether the child is under [`YOUNG`].
pub fn needed_consents(capacity: Capacity, class: DataClass, is_young: bool) -> Vec<Purpose> {
    let is_more_than_roster = capacity == Capacity::Staff && class != DataClass::Roster;
    let participation = (is_more_than_roster && is_young).then_some(Purpose::Participation);
    let medical =
        (capacity == Capacity::Staff && class == DataClass::Emergency).then_some(Purpose::MedicalCare);
    participation.into_iter().chain(medical).collect()
}

/// The age in years from which a child opens a class of its own data. `None` if it may at any age.
pub const fn own_from(class: DataClass) -> Option<i16> {
    if matches!(class, DataClass::Medical) { Some(13) } else { None }
}

/// The age in years below which staff see only the line of a roster, unless a guardian consented to participation.
pub const YOUNG: i16 = 13;

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the design, written again by hand: `-`, `r` or `rw` in the order roster, profile, identity, contact, emergency, medical,
    /// performance, records.
    const EXPECTED: &[(&str, &str)] = &[
        ("self", "r rw r rw r r r rw"),
        ("guardian", "r rw rw rw rw rw r rw"),
        ("staff", "r r - r r - rw -"),
        ("registrar", "rw rw rw rw - - - -"),
        ("medical_staff", "r r - r rw rw - -"),
        ("safeguarding", "r r r r - - - -"),
        ("support", "r r - r - - - -"),
        ("break_glass", "r - - r r r - -"),
    ];

    #[test]
    fn each_capacity_opens_what_the_table_says() {
        let rows: Vec<(&str, String)> = Capacity::ALL
            .iter()
            .map(|capacity| {
                let cell = |class: &DataClass| match [Verb::Read, Verb::Write]
                    .map(|verb| opens(*capacity, *class, verb))
                {
                    [false, false] => "-",
                    [true, false] => "r",
                    [true, true] => "rw",
                    [false, true] => "writes what they cannot read",
                };
                (capacity.name(), DataClass::ALL.iter().map(cell).collect::<Vec<_>>().join(" "))
            })
            .collect();
        let rows: Vec<(&str, &str)> = rows.iter().map(|(name, row)| (*name, row.as_str())).collect();
        assert_eq!(rows, EXPECTED);
    }

    #[test]
    fn staff_need_consent_for_more_than_the_roster_of_a_young_child_and_for_emergencies() {
        let staff = |class, is_young| needed_consents(Capacity::Staff, class, is_young);
        assert_eq!(staff(DataClass::Roster, true), []);
        assert_eq!(staff(DataClass::Contact, true), [Purpose::Participation]);
        assert_eq!(staff(DataClass::Contact, false), []);
        assert_eq!(staff(DataClass::Emergency, false), [Purpose::MedicalCare]);
        assert_eq!(staff(DataClass::Emergency, true), [Purpose::Participation, Purpose::MedicalCare]);
        let others = Capacity::ALL.iter().filter(|capacity| **capacity != Capacity::Staff);
        let needs = |capacity: &&Capacity| {
            DataClass::ALL.iter().any(|class| !needed_consents(**capacity, *class, true).is_empty())
        };
        assert_eq!(others.filter(needs).count(), 0);
    }

    #[test]
    fn images_open_as_their_records_and_those_of_restrictions_and_invitations_never_do() {
        let opened = |kind: &&Kind| of_image(**kind).is_some();
        let names: Vec<&str> = Kind::ALL.iter().filter(opened).map(|kind| kind.name()).collect();
        assert_eq!(
            names,
            [
                "child",
                "child_identity",
                "child_contact",
                "child_emergency",
                "child_medical",
                "child_performance",
                "relation",
                "consent",
                "registration",
                "roster_entry"
            ]
        );
        assert_eq!(see_images(DataClass::Medical), [Capacity::Child, Capacity::Guardian]);
        assert!(!see_images(DataClass::Contact).contains(&Capacity::BreakGlass));
        assert!(see_images(DataClass::Contact).contains(&Capacity::Staff));
    }

    #[test]
    fn only_guardians_and_registrars_change_identities() {
        let writers: Vec<Capacity> = capacities(DataClass::Identity, Verb::Write).collect();
        assert_eq!(writers, [Capacity::Guardian, Capacity::Registrar]);
    }
}
