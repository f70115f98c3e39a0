//! Every field of the records about children.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::break_glass::{BreakGlassGrant, EmergencyReason, ReviewOutcome};
use fieldhouse_domain::children::cases::{CaseState, SafeguardingCase};
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::children::consents::{Consent, ConsentMethod, Purpose};
use fieldhouse_domain::children::guardian_invitations::GuardianInvitation;
use fieldhouse_domain::children::relations::{Relation, RelationKind, RelationState};
use fieldhouse_domain::children::restrictions::{Restriction, RestrictionKind};
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::favorites::{ChildFavorite, Fit, Stage};
use fieldhouse_domain::ids::UserId;
use fieldhouse_domain::privacy_requests::{PrivacyRequest, PrivacyRequestKind, PrivacyRequestState};
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::text::{Email, Pronouns, Reason, Tag, WebAddress};
use fieldhouse_store::Store;
use fieldhouse_testing::catalogue;
use fieldhouse_testing::clubs::{Club, NOW};
use fieldhouse_testing::families::{
    break_glass, case, child, classes, consent, favorite, filled, guardian, guardian_invitation,
    privacy_request, registration, restriction, roster_entry,
};
use fieldhouse_testing::leagues::{division, season, team};
use jiff::civil::date;

use super::{Place, later, name};

pub(crate) async fn are_written_and_read(store: &Store) {
    let club = Club::found(store, "Fields Six").await;
    let scope = club.owner().scope(store).await;
    let place = Place { store, club: &club, scope: &scope };
    let zoe = child("Zoë M.");
    let renamed = Child {
        display_name: name("Zoé M."),
        birth_year: 2014,
        photo_url: Some(WebAddress::parse("https://photos.example/zoe").unwrap()),
        pronouns: Some(Pronouns::parse("she/her").unwrap()),
        created_at: later(),
        ..zoe.clone()
    };
    place.creates_and_changes(zoe.clone(), renamed, &["id"]).await;
    let empty = classes(&zoe);
    let filled = filled(&empty, later());
    place.creates_and_changes(empty.identity, filled.identity, &["id"]).await;
    place.creates_and_changes(empty.contact, filled.contact, &["id"]).await;
    place.creates_and_changes(empty.emergency, filled.emergency, &["id"]).await;
    place.creates_and_changes(empty.medical, filled.medical, &["id"]).await;
    place.creates_and_changes(empty.performance, filled.performance, &["id"]).await;
    let (owner, coach) = (club.owner().user.id, club.person(Role::Coach).user.id);
    what_opens_them(&place, &zoe, owner, coach).await;
    where_they_play(&place, &zoe, owner).await;
    what_is_saved_for_them(&place, &zoe, (owner, coach)).await;
}

async fn what_opens_them(place: &Place<'_>, zoe: &Child, owner: UserId, coach: UserId) {
    let other = child("Kim K.");
    place.club.create(place.store, vec![other.clone().into()]).await;
    let given = guardian(zoe, owner);
    let revoked = Relation {
        child_id: other.id,
        user_id: coach,
        kind: RelationKind::Support,
        state: RelationState::Revoked,
        starts_at: later(),
        expires_at: Some(later()),
        reason: Some(Reason::parse("Another").unwrap()),
        proposed_by: Some(coach),
        proposed_at: later(),
        confirmed_by: Some(owner),
        confirmed_at: Some(later()),
        confirmed_alone: true,
        accepted_at: Some(later()),
        revoked_by: Some(owner),
        revoked_at: Some(later()),
        created_at: later(),
        ..given.clone()
    };
    place.creates_and_changes(given, revoked, &["id"]).await;
    let invited = guardian_invitation(zoe, owner);
    let relation = guardian(&other, coach);
    place.club.create(place.store, vec![relation.clone().into()]).await;
    let accepted = GuardianInvitation {
        child_id: other.id,
        email: Email::parse("kim@invited.example").unwrap(),
        invited_by: coach,
        sent_at: later(),
        expires_at: later(),
        accepted_at: Some(later()),
        relation_id: Some(relation.id),
        revoked_at: Some(later()),
        mail_failed_at: Some(later()),
        created_at: later(),
        ..invited.clone()
    };
    place.creates_and_changes(invited, accepted, &["id"]).await;
    let blocked = restriction(zoe);
    let lifted = Restriction {
        child_id: other.id,
        user_id: Some(coach),
        classes: Vec::new(),
        kind: RestrictionKind::CustodyOrder,
        reason: Reason::parse("Another").unwrap(),
        document_ref: Some(name("Folder 7")),
        starts_at: later(),
        entered_by: Some(owner),
        lifted_at: Some(later()),
        lifted_by: Some(owner),
        created_at: later(),
        ..blocked.clone()
    };
    assert_eq!(blocked.classes, [DataClass::Contact]);
    place.creates_and_changes(blocked, lifted, &["id"]).await;
    let granted = break_glass(zoe, coach);
    let reviewed = BreakGlassGrant {
        child_id: other.id,
        user_id: owner,
        reason_code: EmergencyReason::Missing,
        reason: Reason::parse("Another").unwrap(),
        starts_at: later(),
        ends_at: NOW,
        ended_at: Some(later()),
        told_at: Some(later()),
        reviewed_by: Some(owner),
        reviewed_at: Some(later()),
        outcome: Some(ReviewOutcome::Unjustified),
        note: Some(Reason::parse("Another").unwrap()),
        created_at: later(),
        ..granted.clone()
    };
    place.creates_and_changes(granted, reviewed, &["id"]).await;
    what_is_decided_about_them(place, zoe, &other, (owner, coach)).await;
}

async fn what_is_decided_about_them(
    place: &Place<'_>,
    zoe: &Child,
    other: &Child,
    (owner, coach): (UserId, UserId),
) {
    let opened = case(zoe, coach);
    let closed = SafeguardingCase {
        title: name("Another"),
        child_ids: vec![other.id],
        lead_ids: vec![owner],
        state: CaseState::Closed,
        opened_by: Some(owner),
        opened_at: later(),
        confirmed_by: Some(coach),
        confirmed_at: None,
        confirmed_alone: true,
        ends_at: None,
        closed_by: Some(owner),
        closed_at: Some(later()),
        note: Some(Reason::parse("Another").unwrap()),
        created_at: later(),
        ..opened.clone()
    };
    place.creates_and_changes(opened, closed, &["id"]).await;
    let granted = consent(zoe);
    let withdrawn = Consent {
        child_id: other.id,
        purpose: Purpose::Photos,
        method: ConsentMethod::Electronic,
        notice_version: name("2026-02"),
        granted_by: Some(owner),
        granted_at: later(),
        expires_at: Some(later()),
        withdrawn_by: Some(owner),
        withdrawn_at: Some(later()),
        created_at: later(),
        ..granted.clone()
    };
    place.creates_and_changes(granted, withdrawn, &["id"]).await;
    let open = privacy_request(zoe, owner);
    let refused = PrivacyRequest {
        child_id: other.id,
        kind: PrivacyRequestKind::Correction,
        details: Some(Reason::parse("Another").unwrap()),
        requested_by: coach,
        due_at: later(),
        state: PrivacyRequestState::Refused,
        decided_by: Some(owner),
        decided_at: Some(later()),
        decided_alone: true,
        reason: Some(Reason::parse("A reason").unwrap()),
        created_at: later(),
        ..open.clone()
    };
    place.creates_and_changes(open, refused, &["id"]).await;
}

async fn what_is_saved_for_them(place: &Place<'_>, zoe: &Child, (owner, coach): (UserId, UserId)) {
    let other = child("Kim K.");
    place.club.create(place.store, vec![other.clone().into()]).await;
    let college = catalogue::college(700_002, "Fields College", "FI");
    let program = catalogue::program(&college, "rowing", ProgramGender::Women);
    catalogue::write(place.store, true, vec![college], vec![program.clone()]).await.unwrap();
    let saved = favorite(zoe, owner);
    let changed = ChildFavorite {
        child_id: other.id,
        saved_by: coach,
        program_id: Some(program.id),
        custom: None,
        stage: Stage::Visited,
        fit: Fit::Reach,
        interest: Some(4),
        rank: 9,
        notes: None,
        tags: [Tag::parse("far").unwrap()].into_iter().collect(),
        created_at: later(),
        ..saved.clone()
    };
    place.creates_and_changes(saved, changed, &["id"]).await;
}

async fn where_they_play(place: &Place<'_>, zoe: &Child, owner: UserId) {
    let other = child("Kim K.");
    let (winter, summer) = (season("Winter"), season("Summer"));
    let open = division(&summer, "Open");
    let (eagles, owls) = (team(&open, "Eagles"), team(&open, "Owls"));
    let league = vec![
        other.clone().into(),
        winter.clone().into(),
        summer.clone().into(),
        open.clone().into(),
        eagles.clone().into(),
        owls.clone().into(),
    ];
    place.club.create(place.store, league).await;
    let applied = registration(zoe, &winter);
    let accepted = Registration {
        child_id: other.id,
        season_id: summer.id,
        division_id: Some(open.id),
        status: RegistrationStatus::Accepted,
        applied_by: Some(owner),
        decided_by: Some(owner),
        decided_at: Some(later()),
        created_at: later(),
        ..applied.clone()
    };
    place.creates_and_changes(applied, accepted, &["id"]).await;
    let playing = roster_entry(&eagles, zoe);
    let ended = RosterEntry {
        team_id: owls.id,
        child_id: other.id,
        jersey_number: Some(7),
        position: Some(name("Guard")),
        starts_on: date(2026, 2, 3),
        ends_on: Some(date(2026, 4, 5)),
        created_at: later(),
        ..playing.clone()
    };
    place.creates_and_changes(playing, ended, &["id"]).await;
}
