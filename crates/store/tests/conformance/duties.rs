//! Duties of members.

use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::mail::{MailKind, MailStatus};
use fieldhouse_domain::roles::Role;
use fieldhouse_store::duties::{self, Filter};
use fieldhouse_store::{Store, mail, teams};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::leagues::{division, duty, season, team};
use jiff::{SignedDuration, Timestamp};

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

pub(crate) async fn are_listed_newest_first_and_filtered(store: &Store) {
    let (club, other) = (Club::found(store, "Duties One").await, Club::found(store, "Duties Two").await);
    let (coach, manager) = (club.person(Role::Coach), club.person(Role::Manager));
    let first = duty(coach.user.id);
    let second = Duty {
        kind: DutyKind::Support,
        state: DutyState::Accepted,
        created_at: after(1),
        ..duty(coach.user.id)
    };
    let third = Duty { state: DutyState::Revoked, created_at: after(2), ..duty(manager.user.id) };
    let theirs = duty(other.owner().user.id);
    let records: Vec<AnyRecord> = [&first, &second, &third].map(|duty| duty.clone().into()).into();
    club.create(store, records).await;
    other.create(store, vec![theirs.clone().into()]).await;
    let scope = club.owner().scope(store).await;
    let reader = &mut &*store;
    let all = Filter::default();
    for (filter, hours, expected) in [
        (all.clone(), 0, vec![&third, &second, &first]),
        (Filter { user: Some(coach.user.id), ..all.clone() }, 0, vec![&second, &first]),
        (Filter { kind: Some(DutyKind::Support), ..all.clone() }, 0, vec![&second]),
        (Filter { state: Some(DutyState::Proposed), ..all.clone() }, 23, vec![&first]),
        (Filter { state: Some(DutyState::Proposed), ..all.clone() }, 24, vec![]),
        (Filter { state: Some(DutyState::Ended), ..all.clone() }, 24, vec![&second, &first]),
        (Filter { state: Some(DutyState::Revoked), ..all.clone() }, 24, vec![&third]),
    ] {
        let found = duties::list(reader, &scope, &filter, after(hours), None, 10).await.unwrap();
        let found: Vec<_> = found.iter().map(|it| &it.duty).collect();
        assert_eq!(found, expected, "{filter:?} after {hours} hours");
        for duty in found {
            let state = filter.state.unwrap_or(duty.state_at(after(hours)));
            assert_eq!(duty.state_at(after(hours)), state, "the filter and the record agree");
        }
    }
    let position = Some((second.created_at, second.id.uuid()));
    let rest = duties::list(reader, &scope, &all, NOW, position, 10).await.unwrap();
    assert_eq!(rest.iter().map(|it| (&it.duty, it.name.as_str())).collect::<Vec<_>>(), [(&first, "coach")]);
    assert_eq!(duties::list(reader, &scope, &all, NOW, None, 2).await.unwrap().len(), 2);
    assert_eq!(duties::read(reader, &scope, first.id).await.unwrap().map(|it| it.duty), Some(first.clone()));
    assert_eq!(duties::read(reader, &scope, theirs.id).await.unwrap(), None, "another club's");

    let own = coach.scope(store).await;
    assert_eq!(duties::own(reader, &own, NOW).await.unwrap(), [first.clone(), second]);
    assert_eq!(duties::own(reader, &own, after(24)).await.unwrap(), [], "over");
    let own = manager.scope(store).await;
    assert_eq!(duties::own(reader, &own, NOW).await.unwrap(), [], "revoked");

    let effect = Effect::delete(coach.member.clone());
    clubs::apply(store, club.id(), vec![effect]).await.unwrap();
    let ended = duties::read(reader, &scope, first.id).await.unwrap().expect("it is kept");
    assert_eq!(ended.duty.state, DutyState::Ended, "its holder was removed");
}

pub(crate) async fn of_teams_end_with_them(store: &Store) {
    let club = Club::found(store, "Duties Three").await;
    let winter = season("Winter");
    let boys = division(&winter, "Boys");
    let (eagles, hawks) = (team(&boys, "Eagles"), team(&boys, "Hawks"));
    let held = duty(club.person(Role::Coach).user.id);
    let held = Duty { team_ids: vec![eagles.id, hawks.id], season_id: Some(winter.id), ..held };
    let records = [AnyRecord::from(winter.clone()), boys.into(), eagles.clone().into(), hawks.clone().into()];
    club.create(store, records.into_iter().chain([held.clone().into()]).collect()).await;
    let scope = club.owner().scope(store).await;
    let reader = &mut &*store;
    for (hours, expected) in [(0, 1), (24, 0)] {
        let count = teams::dependents(reader, &scope, eagles.id, after(hours)).await.unwrap();
        assert_eq!(count, expected, "after {hours} hours");
    }
    let of_season = duties::of_season(reader, &scope, winter.id).await.unwrap();
    assert_eq!(of_season, std::slice::from_ref(&held));

    clubs::apply(store, club.id(), vec![Effect::delete(eagles.clone())]).await.unwrap();
    let kept = duties::read(reader, &scope, held.id).await.unwrap().expect("it is kept");
    assert_eq!(kept.duty.team_ids, [eagles.id, hawks.id], "it never becomes a duty for all teams");
    let change = Effect::update(&clubs::moment(), held.clone(), Duty { state: DutyState::Revoked, ..held });
    clubs::apply(store, club.id(), change.into_iter().collect()).await.unwrap();
    assert_eq!(teams::dependents(reader, &scope, hawks.id, NOW).await.unwrap(), 0, "a revoked duty");
}

#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
pub(crate) async fn are_told_to_owners(store: &Store) {
    let (club, other) = (Club::found(store, "Duties Four").await, Club::found(store, "Duties Five").await);
    let proposed = duty(club.person(Role::Coach).user.id);
    let proposed = Duty { proposed_by: Some(club.owner().user.id), ..proposed };
    club.create(store, vec![proposed.clone().into()]).await;
    let operator = store.operator();
    let messages = async || {
        let all = mail::list(&mut &*store, &operator, Some(MailStatus::Waiting), None, 1_000).await.unwrap();
        let about = all.into_iter().filter(|mail| mail.record == Some(proposed.id.uuid()));
        about.map(|mail| (mail.kind, mail.organization, mail.recipient)).collect::<Vec<_>>()
    };
    let expected = (MailKind::DutyProposed, Some(club.id()), club.owner().user.email.clone());
    assert_eq!(messages().await, std::slice::from_ref(&expected), "to the owner");
    let change = Duty { state: DutyState::Confirmed, ..proposed.clone() };
    let change = Effect::update(&clubs::moment(), proposed.clone(), change);
    clubs::apply(store, club.id(), change.into_iter().collect()).await.unwrap();
    assert_eq!(messages().await, [expected], "only of the proposal");

    let found = duties::of_mail(&mut &*store, club.id(), proposed.id).await.unwrap();
    let (listed, proposing) = found.expect("the duty of the message");
    assert_eq!((listed.name.as_str(), proposing.organization.as_str()), ("coach", "Duties Four"));
    assert_eq!(proposing.proposer.as_deref(), Some("owner"));
    assert_eq!(duties::of_mail(&mut &*store, other.id(), proposed.id).await.unwrap(), None);
}
