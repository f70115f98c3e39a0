//! Invitations to be a child's guardian.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::children::guardian_invitations::{self as rules, GuardianInvitation};
use fieldhouse_domain::children::relations::{Relation, RelationKind, RelationState};
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::{Id as _, UserId};
use fieldhouse_domain::invitations::{INVITATION_LIFE, Invited};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::policy::{ChildTouch, Denial, Reach, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_domain::text::Email;
use fieldhouse_store::access::children::{ChildScope, Contact, Write};
use fieldhouse_store::guardian_invitations::{self, Listed};
use fieldhouse_store::{Error, Principal, Store, Tx, records};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, Person, SIGN_IN};
use fieldhouse_testing::families::{child, guardian, guardian_invitation, restriction, with_classes};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

const TOUCH: ChildTouch =
    ChildTouch::InPath { class: DataClass::Contact, verb: Verb::Write, parameter: "id" };

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

async fn scope(store: &Store, person: &Person) -> ChildScope<Contact> {
    let wanted = Requirement { child: TOUCH, ..ANY_MEMBER };
    person.scope_for(store, wanted).await.children(NOW).unwrap()
}

fn registrar(child: &Child, user: UserId) -> Relation {
    let (kind, expires_at) = (RelationKind::Registrar, Some(after(24)));
    Relation { kind, expires_at, ..guardian(child, user) }
}

fn listed(invitation: &GuardianInvitation, inviter: &str) -> Listed {
    Listed { invitation: invitation.clone(), inviter: inviter.to_owned() }
}

pub(crate) async fn are_listed_for_the_family_and_for_registrars_who_sent_them(store: &Store) {
    let club = Club::found(store, "Guardians One").await;
    let (parent, coach, admin) =
        (club.person(Role::Member), club.person(Role::Coach), club.person(Role::Admin));
    let (zoe, kim) = (child("Zoë M."), child("Kim K."));
    let first = guardian_invitation(&zoe, parent.user.id);
    let email = Email::parse("sam@invited.example").unwrap();
    let second =
        GuardianInvitation { email, created_at: after(1), ..guardian_invitation(&zoe, coach.user.id) };
    let medic = Relation { kind: RelationKind::MedicalStaff, ..registrar(&zoe, admin.user.id) };
    let related: [AnyRecord; 4] = [
        guardian(&zoe, parent.user.id).into(),
        guardian(&kim, parent.user.id).into(),
        registrar(&zoe, coach.user.id).into(),
        medic.into(),
    ];
    let sent = [first.clone().into(), second.clone().into()];
    let children = with_classes(&zoe).into_iter().chain(with_classes(&kim));
    club.create(store, children.chain(related).chain(sent).collect()).await;

    let list = async |person: &Person, child: &Child, after| {
        let scope = scope(store, person).await;
        guardian_invitations::list(&mut &*store, &scope, child.id, after, 10).await.unwrap()
    };
    let (of_parent, of_registrar) = (listed(&first, "member"), listed(&second, "coach"));
    assert_eq!(list(parent, &zoe, None).await, Some(vec![of_registrar.clone(), of_parent.clone()]));
    let position = Some((second.created_at, second.id.uuid()));
    assert_eq!(list(parent, &zoe, position).await, Some(vec![of_parent.clone()]));
    assert_eq!(list(parent, &zoe, Some((NOW, Uuid::nil()))).await, Some(vec![]));
    assert_eq!(list(parent, &kim, None).await, Some(vec![]), "a child without invitations");
    assert_eq!(list(coach, &zoe, None).await, Some(vec![of_registrar.clone()]), "what they sent");
    assert_eq!(list(coach, &kim, None).await, None);
    for person in [admin, club.owner()] {
        assert_eq!(list(person, &zoe, None).await, None, "no role and no reader of the contact data");
    }
    let about = zoe.id;
    let wanted = Requirement { child: TOUCH, ..ANY_MEMBER };
    let requested = std::sync::Arc::new(parent.scope_for(store, wanted).await);
    let of_sender = parent.user.id;
    let all = store.write("tests.guardian_invitations", async move |tx| {
        let proof = tx.permit(Principal::Caller(&requested), wanted, Some(about.uuid()), NOW).await?;
        let proof = proof.expect("a guardian");
        let access = tx.open::<Contact, Write>(&proof, about).await?;
        let (sender, none) = (of_sender, NOW.saturating_add(SignedDuration::from_hours(1)).unwrap());
        let sent = guardian_invitations::sent(tx, &proof, sender, Timestamp::UNIX_EPOCH).await?;
        let later = guardian_invitations::sent(tx, &proof, sender, none).await?;
        assert!(sent > 0 && later == 0, "{sent}, {later}");
        guardian_invitations::of_child(tx, &access.expect("a guardian's")).await
    });
    assert_eq!(all.await.unwrap(), [of_parent, of_registrar], "earliest first");
    let other_class = Restriction { user_id: Some(parent.user.id), ..restriction(&zoe) };
    let other_class = Restriction { classes: vec![DataClass::Medical], ..other_class };
    club.create(store, vec![other_class.into()]).await;
    assert_eq!(list(parent, &zoe, None).await, None, "a restriction of any class names them");
}

/// A club with a child, and a guardian who has invited someone.
struct Sent {
    club: Club,
    child: Child,
    held: Relation,
    invitation: GuardianInvitation,
}

impl Sent {
    async fn by(store: &Store, name: &str) -> Self {
        let club = Club::found(store, name).await;
        let parent = club.person(Role::Member).user.id;
        let child = child("Zoë M.");
        let (held, invitation) = (guardian(&child, parent), guardian_invitation(&child, parent));
        let records: [AnyRecord; 2] = [held.clone().into(), invitation.clone().into()];
        club.create(store, with_classes(&child).into_iter().chain(records).collect()).await;
        Self { club, child, held, invitation }
    }

    /// Whether the link permits accepting, with which role, and whether it is shown.
    async fn permitted(&self, store: &Store, version: i64, now: Timestamp) -> Result<Role, Denial> {
        const WRITES: &[(Kind, Reach)] = &[(Kind::GuardianInvitation, Reach::Target)];
        let requirement = Requirement { writes: WRITES, ..SIGN_IN };
        let (organization, user) = (self.club.id(), self.club.owner().user.id);
        let (id, invitation) = (self.invitation.id, Invited::Guardian(self.invitation.id));
        let body = async move |tx: &mut Tx<'_>| {
            let principal = Principal::Invited { organization, invitation, version, user };
            let permitted = tx.permit(principal, requirement, Some(invitation.uuid()), now).await?;
            let Ok(proof) = permitted else { return Ok(permitted.map(|proof| proof.role())) };
            assert!(guardian_invitations::read(tx, &proof, id).await?.is_some());
            Ok::<_, Error>(Ok(proof.role()))
        };
        let permitted = store.write("testing.permit", body).await.unwrap();
        let shown = guardian_invitations::of_link(&mut &*store, organization, id, now).await.unwrap();
        if permitted.is_ok() {
            let (listed, inviting) = shown.expect("it is shown");
            assert_eq!((listed.inviter.as_str(), inviting.is_suspended), ("member", false));
        } else if version == 1 && now == NOW && self.invitation.revoked_at.is_none() {
            assert_eq!(shown, None);
        }
        permitted
    }

    async fn apply(&self, store: &Store, effect: Option<Effect>) {
        clubs::apply(store, self.club.id(), effect.into_iter().collect()).await.unwrap();
    }
}

pub(crate) async fn a_link_is_valid_while_its_sender_may_invite(store: &Store) {
    let sent = Sent::by(store, "Guardians Two").await;
    assert_eq!(sent.permitted(store, 1, NOW).await, Ok(Role::Member));
    assert_eq!(sent.permitted(store, 2, NOW).await, Err(Denial::LinkExpired));
    let end = NOW.saturating_add(INVITATION_LIFE).unwrap();
    assert_eq!(sent.permitted(store, 1, end).await, Err(Denial::LinkExpired));
    let moment = clubs::moment();

    let ended = Relation { state: RelationState::Revoked, ..sent.held.clone() };
    sent.apply(store, Effect::update(&moment, sent.held.clone(), ended)).await;
    assert_eq!(sent.permitted(store, 1, NOW).await, Err(Denial::LinkExpired), "no guardian any more");

    let sent = Sent::by(store, "Guardians Three").await;
    let parent = sent.held.user_id;
    let (user_id, classes) = (Some(parent), vec![DataClass::Medical]);
    let order = Restriction { user_id, classes, ..restriction(&sent.child) };
    sent.apply(store, Some(Effect::create(order))).await;
    assert_eq!(sent.permitted(store, 1, NOW).await, Err(Denial::LinkExpired), "a restriction names them");

    for (name, change) in [
        ("Guardians Four", (|it| Member { role: Role::Viewer, ..it }) as fn(Member) -> Member),
        ("Guardians Five", |it| Member { suspended_at: Some(NOW), ..it }),
    ] {
        let sent = Sent::by(store, name).await;
        let member = sent.club.person(Role::Member).member.clone();
        sent.apply(store, Effect::update(&moment, member.clone(), change(member))).await;
        assert_eq!(sent.permitted(store, 1, NOW).await, Err(Denial::LinkExpired), "{name}");
    }

    let sent = Sent::by(store, "Guardians Six").await;
    sent.apply(store, rules::revoke(&moment, sent.invitation.clone()).unwrap()).await;
    let organization = sent.club.id();
    let id = sent.invitation.id;
    let read = clubs::write(store, organization, async move |tx, proof| {
        records::read::<GuardianInvitation, _>(tx, proof, id).await
    });
    let revoked = read.await.unwrap().expect("the job reads it");
    assert!(revoked.revoked_at.is_some() && revoked.email == sent.invitation.email);
    assert_eq!(sent.permitted(store, 2, NOW).await, Err(Denial::LinkExpired), "revoked");
}
