//! Members: listing, changing, removing.

use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::members::{self as rules, ChangeMember, Member, MemberSort};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::search::words;
use fieldhouse_store::members::{Filter, Listed, Position};
use fieldhouse_store::{OrgScope, Store, members};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use jiff::SignedDuration;

use crate::paging::{PAGE, pages};

pub(crate) async fn are_listed_in_the_order_of_joining(store: &Store) {
    let (club, other) = (Club::found(store, "Members One").await, Club::found(store, "Members Two").await);
    let scope = club.person(Role::Viewer).scope(store).await;
    let early = {
        let person = Person::new(club.id(), "members-one", "early", Role::Member);
        let joined_at = NOW.saturating_sub(SignedDuration::from_hours(1)).unwrap();
        Person { member: Member { joined_at, ..person.member.clone() }, ..person }
    };
    clubs::apply(store, club.id(), early.effects()).await.unwrap();

    let names = async |filter: Filter| {
        let list = async |after: Option<Position>| {
            members::list(&mut &*store, &scope, &filter, after.as_ref(), PAGE).await.unwrap()
        };
        let pages = pages(|listed: &Listed| filter.position(listed), list).await;
        pages.into_iter().flatten().map(|listed| listed.name).collect::<Vec<_>>()
    };
    let sorted = async |sort| names(Filter { sort, ..Filter::default() }).await;
    let (joined, by_name) = (
        ["early", "viewer", "member", "coach", "manager", "admin", "owner"],
        ["admin", "coach", "early", "manager", "member", "owner", "viewer"],
    );
    let reversed = |mut names: [&'static str; 7]| {
        names.reverse();
        names
    };
    assert_eq!(sorted(None).await, joined);
    assert_eq!(sorted(Some(MemberSort::JoinedAt)).await, joined);
    assert_eq!(sorted(Some(MemberSort::JoinedAtReversed)).await, reversed(joined));
    assert_eq!(sorted(Some(MemberSort::Name)).await, by_name);
    assert_eq!(sorted(Some(MemberSort::NameReversed)).await, reversed(by_name));
    let found = async |query: &str, role| {
        names(Filter { words: words(query).unwrap(), role, sort: Some(MemberSort::Name) }).await
    };
    assert_eq!(found("Ma", None).await, ["manager"]);
    assert_eq!(found("coach@members-one.example", None).await, ["coach"], "the address");
    assert_eq!(found("members one", Some(Role::Member)).await, ["early", "member"]);
    assert_eq!(found("%", None).await.len(), 7, "a sign is no word");

    let coach = club.person(Role::Coach);
    let read = members::read(&mut &*store, &scope, coach.member.id).await.unwrap().expect("the coach");
    assert_eq!(
        (&read.member, &*read.name, &*read.email),
        (&coach.member, "coach", "coach@members-one.example")
    );
    let foreign = members::read(&mut &*store, &scope, other.owner().member.id).await.unwrap();
    assert_eq!(foreign, None, "another club's member does not exist");
}

async fn owners(store: &Store, club: &Club) -> i64 {
    clubs::write(store, club.id(), async |tx, proof| members::owners(tx, proof).await).await.unwrap()
}

async fn stored(store: &Store, scope: &OrgScope, member: &Member) -> Option<Member> {
    members::read(&mut &*store, scope, member.id).await.unwrap().map(|listed| listed.member)
}

pub(crate) async fn are_changed_and_removed_except_the_last_owner(store: &Store) {
    let club = Club::found(store, "Members Three").await;
    let scope = club.owner().scope(store).await;
    let (owner, admin) = (club.owner().member.clone(), club.person(Role::Admin).member.clone());
    assert_eq!(owners(store, &club).await, 1);
    let count = owners(store, &club).await;
    assert_eq!(rules::refuse_removal(Role::Owner, &owner, count), Err(Refusal::LastOwner));

    let wanted = ChangeMember { role: Some(Role::Owner), suspended: None };
    let raised = rules::changed(&clubs::moment(), Role::Owner, &admin, wanted, count).unwrap();
    let raise = Effect::update(&clubs::moment(), admin.clone(), raised);
    clubs::apply(store, club.id(), raise.into_iter().collect()).await.unwrap();
    assert_eq!(owners(store, &club).await, 2);
    let second = stored(store, &scope, &admin).await.expect("the second owner");
    assert_eq!((second.role, second.version), (Role::Owner, 2));

    let wanted = ChangeMember { role: None, suspended: Some(true) };
    let suspended = rules::changed(&clubs::moment(), Role::Owner, &second, wanted, 2).unwrap();
    let suspend = Effect::update(&clubs::moment(), second, suspended);
    clubs::apply(store, club.id(), suspend.into_iter().collect()).await.unwrap();
    assert_eq!(owners(store, &club).await, 1, "a suspended owner does not count");

    let coach = club.person(Role::Coach).member.clone();
    let go = Effect::delete(AnyRecord::from(coach.clone()));
    clubs::apply(store, club.id(), vec![go.clone()]).await.unwrap();
    assert_eq!(stored(store, &scope, &coach).await, None);
    assert!(clubs::apply(store, club.id(), vec![go]).await.is_err(), "gone already");
}
