//! A change is applied only to the version that it was made from, for every kind of record.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{ChangeFavorite, Favorite, ListOwner};
use fieldhouse_domain::ids::UserId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{Address, Details, Name};
use fieldhouse_store::{Error, Store};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use fieldhouse_testing::families::{self, Classes};
use fieldhouse_testing::leagues::{division, duty, game, season, staff, team, venue};

use crate::exports::export;
use crate::favorites::{custom, saved};
use crate::invitations::invitation;

/// A changed record of every kind.
fn changes(club: &Club, league: Vec<AnyRecord>, favorite: &Favorite) -> Vec<(AnyRecord, AnyRecord)> {
    let Person { user, member, session, key, .. } = club.owner().clone();
    let mut people = vec![
        AnyRecord::Organization(club.organization.clone()),
        AnyRecord::Session(session),
        AnyRecord::ApiKey(key),
        AnyRecord::Favorite(favorite.clone()),
    ];
    people.extend(league);
    // Last, because a change of a member ends the sessions, and a change of the user touches the membership.
    people.push(AnyRecord::Member(member));
    people.push(AnyRecord::User(user));
    people.into_iter().map(|before| (before.clone(), changed(before))).collect()
}

fn changed(mut record: AnyRecord) -> AnyRecord {
    let name = Name::stored("Another".to_owned());
    match &mut record {
        AnyRecord::Organization(organization) => organization.name = name,
        AnyRecord::User(user) => user.name = name,
        AnyRecord::Member(member) => member.suspended_at = Some(NOW),
        AnyRecord::Invitation(invitation) => invitation.role = Role::Viewer,
        AnyRecord::Session(session) => session.generation += 1,
        AnyRecord::ApiKey(key) => key.name = name,
        AnyRecord::Season(season) => season.name = name,
        AnyRecord::Division(division) => division.name = name,
        AnyRecord::Team(team) => team.name = name,
        AnyRecord::Venue(venue) => venue.name = name,
        AnyRecord::Game(game) => game.round = Some(name),
        AnyRecord::Changeset(changeset) => changeset.title = name,
        AnyRecord::Staff(staff) => staff.confirmed_alone = true,
        AnyRecord::Duty(duty) => duty.confirmed_alone = true,
        AnyRecord::Export(export) => export.opened_at = Some(NOW),
        AnyRecord::Child(child) => child.display_name = name,
        AnyRecord::ChildIdentity(identity) => identity.legal_first_name = Some(name),
        AnyRecord::ChildContact(contact) => contact.address = Address::parse("1 Hall St").ok(),
        AnyRecord::ChildEmergency(emergency) => emergency.allergies = Details::parse("nuts").ok(),
        AnyRecord::ChildMedical(medical) => medical.notes = Details::parse("asthma").ok(),
        AnyRecord::ChildPerformance(performance) => performance.position = Some(name),
        AnyRecord::Relation(relation) => relation.confirmed_alone = true,
        AnyRecord::GuardianInvitation(invitation) => invitation.revoked_at = Some(NOW),
        AnyRecord::Restriction(restriction) => restriction.lifted_at = Some(NOW),
        AnyRecord::BreakGlassGrant(grant) => grant.ended_at = Some(NOW),
        AnyRecord::SafeguardingCase(case) => case.title = name,
        AnyRecord::Consent(consent) => consent.withdrawn_at = Some(NOW),
        AnyRecord::Registration(registration) => registration.decided_at = Some(NOW),
        AnyRecord::RosterEntry(entry) => entry.position = Some(name),
        AnyRecord::PrivacyRequest(request) => request.decided_at = Some(NOW),
        AnyRecord::Favorite(favorite) => favorite.rank += 1,
        AnyRecord::ChildFavorite(favorite) => favorite.rank += 1,
    }
    record
}

/// A child, and a record of each kind about it.
fn family(season: &Season, team: &Team, guardian: UserId) -> Vec<AnyRecord> {
    let zoe = families::child("Zoë M.");
    let Classes { identity, contact, emergency, medical, performance } = families::classes(&zoe);
    vec![
        identity.into(),
        contact.into(),
        emergency.into(),
        medical.into(),
        performance.into(),
        families::guardian(&zoe, guardian).into(),
        families::guardian_invitation(&zoe, guardian).into(),
        families::restriction(&zoe).into(),
        families::case(&zoe, guardian).into(),
        families::break_glass(&zoe, guardian).into(),
        families::consent(&zoe).into(),
        families::registration(&zoe, season).into(),
        families::roster_entry(team, &zoe).into(),
        families::privacy_request(&zoe, guardian).into(),
        families::favorite(&zoe, guardian).into(),
        zoe.into(),
    ]
}

async fn moved(store: &Store, club: &Club, effect: Effect) {
    let what = format!("{} {}", effect.verb(), effect.record().map(AnyRecord::id).unwrap_or_default());
    let applied = clubs::apply(store, club.id(), vec![effect]).await;
    assert!(matches!(&applied, Err(Error::Internal(why)) if why.contains("version")), "{what}: {applied:?}");
}

pub(crate) async fn a_change_of_another_version_is_refused(store: &Store) {
    let club = Club::found(store, "Versions").await;
    let winter = season("Winter");
    let open = division(&winter, "Open");
    let eagles = team(&open, "Eagles");
    let first = game(&open, eagles.id, eagles.id, NOW);
    let family = family(&winter, &eagles, club.owner().user.id);
    let coach = staff(&eagles, club.owner().user.id);
    let mut league = vec![
        AnyRecord::Season(winter),
        AnyRecord::Division(open),
        AnyRecord::Team(eagles),
        AnyRecord::Venue(venue("Hall")),
        AnyRecord::Game(first),
        AnyRecord::Staff(coach),
        AnyRecord::Duty(duty(club.owner().user.id)),
        AnyRecord::Changeset(crate::changesets::changeset(club.owner().user.id)),
    ];
    league.extend(family);
    let owner = ListOwner::User(club.owner().user.id);
    let invitation = invitation(&club.owner().user, "invited@versions.example");
    let export = export(&club.owner().user);
    club.create(store, vec![invitation.clone().into(), export.clone().into()]).await;
    let favorite = saved(owner, &[], custom("Isla"), ChangeFavorite::default());
    club.create(store, league.iter().cloned().chain([AnyRecord::Favorite(favorite.clone())]).collect()).await;

    let changes = changes(&club, [&league[..], &[invitation.into(), export.into()]].concat(), &favorite);
    assert_eq!(changes.len(), 32, "every kind");
    for (before, after) in changes {
        let change = Effect::update(&clubs::moment(), before.clone(), after).expect("something differs");
        clubs::apply(store, club.id(), vec![change.clone()]).await.unwrap();
        moved(store, &club, change).await;
        if let AnyRecord::Organization(_)
        | AnyRecord::User(_)
        | AnyRecord::Session(_)
        | AnyRecord::ApiKey(_)
        | AnyRecord::Export(_)
        | AnyRecord::SafeguardingCase(_)
        | AnyRecord::Changeset(_)
        | AnyRecord::Invitation(_) = before
        {
            let never = clubs::apply(store, club.id(), vec![Effect::delete(before)]).await;
            assert!(
                matches!(&never, Err(Error::Internal(why)) if why.contains("never deleted")),
                "{never:?}"
            );
        } else {
            moved(store, &club, Effect::delete(before)).await;
        }
    }
    let stranger =
        Member::new(&clubs::moment(), club.owner().user.id, fieldhouse_domain::roles::Role::Viewer);
    moved(store, &club, Effect::delete(AnyRecord::Member(stranger))).await;
}
