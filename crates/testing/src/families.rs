//! Children and records about them for tests, with plain values. A test changes the fields that matter to it.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::break_glass::{BreakGlassGrant, EmergencyReason, GRANT_LIFE};
use fieldhouse_domain::children::cases::{CaseState, SafeguardingCase};
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::children::consents::{Consent, ConsentMethod, Purpose};
use fieldhouse_domain::children::contacts::{ChildContact, EmergencyContact, EmergencyContacts};
use fieldhouse_domain::children::emergencies::ChildEmergency;
use fieldhouse_domain::children::guardian_invitations::GuardianInvitation;
use fieldhouse_domain::children::identities::ChildIdentity;
use fieldhouse_domain::children::medical::ChildMedical;
use fieldhouse_domain::children::performances::ChildPerformance;
use fieldhouse_domain::children::relations::{Relation, RelationKind};
use fieldhouse_domain::children::restrictions::{Restriction, RestrictionKind};
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::favorites::{ChildFavorite, CustomProgram, Fit, Notes, Stage, WrittenGender};
use fieldhouse_domain::ids::UserId;
use fieldhouse_domain::invitations::INVITATION_LIFE;
use fieldhouse_domain::privacy_requests::{PrivacyRequest, PrivacyRequestKind, PrivacyRequestState};
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{Address, Details, Email, Name, Phone, Reason, Tag};
use jiff::civil::date;
use jiff::{SignedDuration, Timestamp};

use crate::clubs::{NOW, TOUCHED, moment};

/// Creates a child who was born in 2013.
pub fn child(name: &str) -> Child {
    Child {
        id: moment().id(),
        display_name: Name::stored(name.to_owned()),
        birth_year: 2013,
        photo_url: None,
        pronouns: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// The records of a child's sealed classes, which are empty.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each is the record of its name")]
pub struct Classes {
    pub identity: ChildIdentity,
    pub contact: ChildContact,
    pub emergency: ChildEmergency,
    pub medical: ChildMedical,
    pub performance: ChildPerformance,
}

/// Creates the records of a child's sealed classes.
pub fn classes(child: &Child) -> Classes {
    Classes {
        identity: ChildIdentity { updated_at: TOUCHED, ..ChildIdentity::of(child.id, NOW) },
        contact: ChildContact { updated_at: TOUCHED, ..ChildContact::of(child.id, NOW) },
        emergency: ChildEmergency { updated_at: TOUCHED, ..ChildEmergency::of(child.id, NOW) },
        medical: ChildMedical { updated_at: TOUCHED, ..ChildMedical::of(child.id, NOW) },
        performance: ChildPerformance { updated_at: TOUCHED, ..ChildPerformance::of(child.id, NOW) },
    }
}

/// A child with the empty records of its sealed classes.
pub fn with_classes(child: &Child) -> Vec<AnyRecord> {
    let Classes { identity, contact, emergency, medical, performance } = classes(child);
    vec![
        child.clone().into(),
        identity.into(),
        contact.into(),
        emergency.into(),
        medical.into(),
        performance.into(),
    ]
}

fn name(text: &str) -> Name {
    Name::stored(text.to_owned())
}

fn details(text: &str) -> Option<Details> {
    Details::parse(text).ok()
}

/// The same records, created at another time, in which every sealed field has a value with the word "marker".
pub fn filled(empty: &Classes, created_at: Timestamp) -> Classes {
    let Classes { identity, contact, emergency, medical, performance } = empty.clone();
    let phone = Phone::stored("+61491570006".to_owned());
    let aunt = EmergencyContact {
        name: name("Ada Marker"),
        phone: phone.clone(),
        relationship: Some(name("aunt of marker")),
    };
    Classes {
        identity: ChildIdentity {
            legal_first_name: Some(name("Zoë Marker")),
            legal_last_name: Some(name("Marker")),
            birth_date: Some(date(2013, 5, 6)),
            created_at,
            ..identity
        },
        contact: ChildContact {
            emails: Email::parse("marker@family.example").into_iter().collect(),
            phones: vec![phone],
            address: Address::parse("1 Marker St").ok(),
            emergency_contacts: EmergencyContacts(vec![aunt]),
            created_at,
            ..contact
        },
        emergency: ChildEmergency {
            allergies: details("marker nuts"),
            conditions: details("marker asthma"),
            medications: details("marker spray"),
            instructions: details("marker: call\nthe aunt"),
            created_at,
            ..emergency
        },
        medical: ChildMedical {
            conditions: details("marker knee"),
            medications: details("marker cream"),
            insurance: details("marker 12"),
            physician: details("Dr. Marker"),
            notes: details("marker rest"),
            created_at,
            ..medical
        },
        performance: ChildPerformance {
            position: Some(name("Marker guard")),
            notes: details("marker fast"),
            metrics: vec![name("20 m: marker")],
            created_at,
            ..performance
        },
    }
}

/// Makes a user a guardian of a child.
pub fn guardian(child: &Child, user: UserId) -> Relation {
    Relation {
        updated_at: TOUCHED,
        ..Relation::of_creator(&moment(), child.id, user, RelationKind::Guardian)
    }
}

/// Creates an invitation to be a child's guardian, which a user has sent.
pub fn guardian_invitation(child: &Child, user: UserId) -> GuardianInvitation {
    GuardianInvitation {
        id: moment().id(),
        child_id: child.id,
        email: Email::stored("robin@invited.example".to_owned()),
        invited_by: user,
        sent_at: NOW,
        expires_at: NOW.saturating_add(INVITATION_LIFE).unwrap_or(Timestamp::MAX),
        accepted_at: None,
        relation_id: None,
        revoked_at: None,
        mail_failed_at: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a block of a child's contact data for everyone.
pub fn restriction(child: &Child) -> Restriction {
    Restriction {
        id: moment().id(),
        child_id: child.id,
        user_id: None,
        classes: vec![DataClass::Contact],
        kind: RestrictionKind::SafeguardingBlock,
        reason: Reason::stored("A concern".to_owned()),
        document_ref: None,
        starts_at: NOW,
        entered_by: None,
        lifted_at: None,
        lifted_by: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a safeguarding case about a child that is open for an hour and on which a user works.
pub fn case(child: &Child, lead: UserId) -> SafeguardingCase {
    SafeguardingCase {
        id: moment().id(),
        title: Name::stored("A report".to_owned()),
        child_ids: vec![child.id],
        lead_ids: vec![lead],
        state: CaseState::Open,
        opened_by: None,
        opened_at: NOW,
        confirmed_by: None,
        confirmed_at: Some(NOW),
        confirmed_alone: false,
        ends_at: NOW.saturating_add(SignedDuration::from_hours(1)).ok(),
        closed_by: None,
        closed_at: None,
        note: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a break-glass grant of a user for a child, which is open for an hour.
pub fn break_glass(child: &Child, user_id: UserId) -> BreakGlassGrant {
    BreakGlassGrant {
        id: moment().id(),
        child_id: child.id,
        user_id,
        reason_code: EmergencyReason::Medical,
        reason: Reason::stored("A fall".to_owned()),
        starts_at: NOW,
        ends_at: NOW.saturating_add(GRANT_LIFE).unwrap_or(Timestamp::MAX),
        ended_at: None,
        told_at: None,
        reviewed_by: None,
        reviewed_at: None,
        outcome: None,
        note: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a consent to a child's participation, on paper and without an end.
pub fn consent(child: &Child) -> Consent {
    Consent {
        id: moment().id(),
        child_id: child.id,
        purpose: Purpose::Participation,
        method: ConsentMethod::Paper,
        notice_version: Name::stored("2026-01".to_owned()),
        granted_by: None,
        granted_at: NOW,
        expires_at: None,
        withdrawn_by: None,
        withdrawn_at: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates an application of a child for a season.
pub fn registration(child: &Child, season: &Season) -> Registration {
    Registration {
        id: moment().id(),
        child_id: child.id,
        season_id: season.id,
        division_id: None,
        status: RegistrationStatus::Applied,
        applied_by: None,
        decided_by: None,
        decided_at: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Adds a child to the roster of a team from the start of 2026 on.
pub fn roster_entry(team: &Team, child: &Child) -> RosterEntry {
    RosterEntry {
        id: moment().id(),
        team_id: team.id,
        child_id: child.id,
        jersey_number: None,
        position: None,
        starts_on: date(2026, 1, 1),
        ends_on: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates an open request to erase a child.
pub fn privacy_request(child: &Child, user: UserId) -> PrivacyRequest {
    PrivacyRequest {
        id: moment().id(),
        child_id: child.id,
        kind: PrivacyRequestKind::Erasure,
        details: None,
        requested_by: user,
        due_at: NOW,
        state: PrivacyRequestState::Open,
        decided_by: None,
        decided_at: None,
        decided_alone: false,
        reason: None,
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}

/// Creates a saved program of a child that is not in the catalogue, with notes and a tag that have the word "marker".
pub fn favorite(child: &Child, saved_by: UserId) -> ChildFavorite {
    let college_name = name("Isla College");
    let (state, sport, gender) = (None, Sport::stored("rowing".to_owned()), ProgramGender::Women);
    ChildFavorite {
        id: moment().id(),
        child_id: child.id,
        saved_by,
        program_id: None,
        custom: Some(CustomProgram { college_name, state, sport, gender: WrittenGender(gender) }),
        stage: Stage::Saved,
        fit: Fit::Unset,
        interest: None,
        rank: 1,
        notes: Notes::parse("marker: called\ntwice").ok(),
        tags: Tag::parse("near marker").into_iter().collect(),
        created_at: NOW,
        updated_at: TOUCHED,
        version: 1,
    }
}
