//! Tests of how often, how long and by whom data is opened in an emergency.

use uuid::Uuid;

use super::*;
use crate::ids::Id as _;
use crate::roles::Role;

const COACH: u128 = 1;

fn user(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(number))
}

fn actor(number: u128) -> Actor {
    Actor { user: Some(user(number)), role: Role::Admin, role_given_by: None }
}

fn at(minutes: i64) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400 + minutes * 60).expect("a time"), 7)
}

fn earlier(minutes: i64, is_reviewed: bool) -> Earlier {
    Earlier { starts_at: at(minutes).now(), is_reviewed }
}

fn granted(minutes: i64, earlier: &[Earlier]) -> Result<BreakGlassGrant, Refusal> {
    let new = NewBreakGlassGrant {
        child_id: at(0).id(),
        reason_code: EmergencyReason::Medical,
        reason: Reason::parse("Fell from the bars").expect("a reason"),
    };
    assert!(!format!("{new:?}").contains("bars"), "the reason is never printed");
    grant(&at(minutes), user(COACH), &new, earlier, true)
}

#[test]
fn a_grant_is_open_for_an_hour_unless_it_is_ended() {
    let grant = granted(0, &[]).expect("a grant");
    assert_eq!(grant.told_at, Some(at(0).now()));
    for (minutes, is_open) in [(-1, false), (0, true), (59, true), (60, false)] {
        assert_eq!(grant.is_open_at(at(minutes).now()), is_open, "{minutes}");
    }
    let ended = ended(&at(5), &grant).expect("ended");
    assert!(!ended.is_open_at(at(5).now()));
    assert!(matches!(super::ended(&at(6), &ended), Err(Refusal::State(_))), "again");
    assert!(matches!(super::ended(&at(60), &grant), Err(Refusal::State(_))), "it has ended by itself");
}

#[test]
fn three_a_day_and_none_while_a_review_is_overdue() {
    let day = 24 * 60;
    let three = [earlier(0, true), earlier(10, false), earlier(20, false)];
    assert!(granted(30, &three[..2]).is_ok());
    assert_eq!(granted(30, &three), Err(Refusal::BreakGlassLimit { wait: (day - 30) * 60 + 1 }));
    assert!(granted(day, &three).is_ok(), "the first counts no more");
    assert!(granted(10 + 3 * day - 1, &[earlier(10, false)]).is_ok());
    assert!(matches!(granted(10 + 3 * day, &[earlier(10, false)]), Err(Refusal::State(_))), "overdue");
    assert!(granted(10 + 3 * day, &[earlier(10, true)]).is_ok());
}

#[test]
fn another_person_reviews_once() {
    let grant = granted(0, &[]).expect("a grant");
    let review = NewReview { outcome: ReviewOutcome::Justified, note: None };
    assert_eq!(reviewed(&at(5), actor(COACH), &grant, &review), Err(Refusal::SelfGrant));
    let done = reviewed(&at(5), actor(2), &grant, &review).expect("reviewed");
    assert_eq!((done.reviewed_by, done.outcome), (Some(user(2)), Some(ReviewOutcome::Justified)));
    assert!(matches!(reviewed(&at(6), actor(3), &done, &review), Err(Refusal::State(_))));
}
