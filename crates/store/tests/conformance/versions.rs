//! A change is applied only to the version that it was made from, for every kind of record.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{ChangeFavorite, Favorite, ListOwner};
use fieldhouse_domain::ids::UserId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::record::Shared;
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
        AnyRecord::from(club.organization.clone()),
        AnyRecord::from(session),
        AnyRecord::from(key),
        AnyRecord::from(favorite.clone()),
    ];
    people.extend(league);
    // Last, because a change of a member ends the sessions, and a change of the user touches the membership.
    people.push(AnyRecord::from(member));
    people.push(AnyRecord::from(user));
    people.into_iter().map(|before| (before.clone(), changed(before))).collect()
}

fn changed(mut record: AnyRecord) -> AnyRecord {
    let name = Name::stored("Another".to_owned());
    match &mut record {
        AnyRecord::Organization(organization) => Shared::make_mut(organization).name = name,
        AnyRecord::User(user) => Shared::make_mut(user).name = name,
        AnyRecord::Member(member) => Shared::make_mut(member).suspended_at = Some(NOW),
        AnyRecord::Invitation(invitation) => Shared::make_mut(invitation).role = Role::Viewer,
        AnyRecord::Session(session) => Shared::make_mut(session).generation += 1,
        AnyRecord::ApiKey(key) => Shared::make_mut(key).name = name,
        AnyRecord::Season(season) => Shared::make_mut(season).name = name,
        AnyRecord::Division(division) => Shared::make_mut(division).name = name,
        AnyRecord::Team(team) => Shared::make_mut(team).name = name,
        AnyRecord::Venue(venue) => Shared::make_mut(venue).name = name,
        AnyRecord::Game(game) => Shared::make_mut(game).round = Some(name),
        AnyRecord::Changeset(changeset) => Shared::make_mut(changeset).title = name,
        AnyRecord::Staff(staff) => Shared::make_mut(staff).confirmed_alone = true,
        AnyRecord::Duty(duty) => Shared::make_mut(duty).confirmed_alone = true,
        AnyRecord::Export(export) => Shared::make_mut(export).opened_at = Some(NOW),
        AnyRecord::Child(child) => Shared::make_mut(child).display_name = name,
        AnyRecord::ChildIdentity(identity) => Shared::make_mut(identity).legal_first_name = Some(name),
        AnyRecord::ChildContact(contact) => {
            Shared::make_mut(contact).address = Address::parse("1 Hall St").ok();
        }
        AnyRecord::ChildEmergency(emergency) => {
            Shared::make_mut(emergency).allergies = Details::parse("nuts").ok();
        }
        AnyRecord::ChildMedical(medical) => Shared::make_mut(medical).notes = Details::parse("asthma").ok(),
        AnyRecord::ChildPerformance(performance) => Shared::make_mut(performance).position = Some(name),
        AnyRecord::Relation(relation) => Shared::make_mut(relation).confirmed_alone = true,
        AnyRecord::GuardianInvitation(invitation) => Shared::make_mut(invitation).revoked_at = Some(NOW),
        AnyRecord::Restriction(restriction) => Shared::make_mut(restriction).lifted_at = Some(NOW),
        AnyRecord::BreakGlassGrant(grant) => Shared::make_mut(grant).ended_at = Some(NOW),
        AnyRecord::SafeguardingCase(case) => Shared::make_mut(case).title = name,
        AnyRecord::Consent(consent) => Shared::make_mut(consent).withdrawn_at = Some(NOW),
        AnyRecord::Registration(registration) => Shared::make_mut(registration).decided_at = Some(NOW),
        AnyRecord::RosterEntry(entry) => Shared::make_mut(entry).position = Some(name),
        AnyRecord::PrivacyRequest(request) => Shared::make_mut(request).decided_at = Some(NOW),
        AnyRecord::Favorite(favorite) => Shared::make_mut(favorite).rank += 1,
        AnyRecord::ChildFavorite(favorite) => Shared::make_mut(favorite).rank += 1,
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
        AnyRecord::from(winter),
        AnyRecord::from(open),
        AnyRecord::from(eagles),
        AnyRecord::from(venue("Hall")),
        AnyRecord::from(first),
        AnyRecord::from(coach),
        AnyRecord::from(duty(club.owner().user.id)),
        AnyRecord::from(crate::changesets::changeset(club.owner().user.id)),
    ];
    league.extend(family);
    let owner = ListOwner::User(club.owner().user.id);
    let invitation = invitation(&club.owner().user, "invited@versions.example");
    let export = export(&club.owner().user);
    club.create(store, vec![invitation.clone().into(), export.clone().into()]).await;
    let favorite = saved(owner, &[], custom("Isla"), ChangeFavorite::default());
    club.create(store, league.iter().cloned().chain([AnyRecord::from(favorite.clone())]).collect()).await;

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
        | AnyRecord::Invitation(_)
        | AnyRecord::Changeset(_) = before
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
    moved(store, &club, Effect::delete(AnyRecord::from(stranger))).await;
}
