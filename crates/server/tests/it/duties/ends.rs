//! How a duty ends: by its time, with a membership, with a season; and what its teams and season do not survive.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::json;

use super::{DUTIES, accepted, act, membership, own, propose, state, wanted};
use crate::shapes::is_problem;
use crate::support::league::League;
use crate::support::{on_both, on_both_in_held_time};

#[tokio::test]
async fn a_duty_ends_at_its_end() {
    on_both_in_held_time(async |club| {
        let coach = club.member(Role::Coach);
        let waiting = propose(&club, club.member(Role::Admin), coach).await;
        let open = accepted(&club, coach).await;
        club.pass(SignedDuration::from_hours(48));
        let (owner, coach) =
            (club.another_session(Role::Owner).await, club.another_session(Role::Coach).await);
        for duty in [&waiting, &open] {
            assert_eq!(state(&club, duty).await, "ended");
            for refused in [act(&owner, duty, "confirm").await, act(&coach, duty, "revoke").await] {
                is_problem(&refused, Code::State, "a duty that is over");
            }
        }
        is_problem(&act(&coach, &waiting, "accept").await, Code::State, "a duty that is over");
        assert_eq!(own(&coach).await, json!([]));
        let list = owner.get(&format!("{DUTIES}?state=ended")).await;
        assert_eq!(list.body["data"].as_array().map(Vec::len), Some(2), "{}", list.text);
    })
    .await;
}

#[tokio::test]
async fn a_suspended_holder_or_admin_can_do_nothing() {
    on_both(async |club| {
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let duty = propose(&club, admin, coach).await;
        assert_eq!(act(club.member(Role::Owner), &duty, "confirm").await.status, 200);
        let path = membership(&club, Role::Coach).await;
        assert_eq!(admin.patch(&path, &json!({"suspended": true})).await.status, 200);
        is_problem(&act(coach, &duty, "accept").await, Code::TokenExpired, "a suspended holder");
        assert_eq!(state(&club, &duty).await, "confirmed", "a suspension ends no duty");
        assert_eq!(admin.patch(&path, &json!({"suspended": false})).await.status, 200);
        assert_eq!(act(&club.another_session(Role::Coach).await, &duty, "accept").await.status, 200);

        let other = propose(&club, club.member(Role::Owner), coach).await;
        let path = membership(&club, Role::Admin).await;
        assert_eq!(club.member(Role::Owner).patch(&path, &json!({"suspended": true})).await.status, 200);
        for action in ["confirm", "revoke"] {
            is_problem(&act(admin, &other, action).await, Code::TokenExpired, "a suspended admin");
        }
    })
    .await;
}

#[tokio::test]
async fn a_removed_member_loses_their_duties_for_good() {
    on_both(async |club| {
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let (open, waiting) = (accepted(&club, coach).await, propose(&club, admin, coach).await);
        let revoked = propose(&club, admin, coach).await;
        assert_eq!(act(admin, &revoked, "revoke").await.status, 200);
        assert_eq!(admin.delete(&membership(&club, Role::Coach).await).await.status, 200);
        for (duty, expected) in [(&open, "ended"), (&waiting, "ended"), (&revoked, "revoked")] {
            assert_eq!(state(&club, duty).await, expected);
        }
        let log = admin.get("/api/v1/audit-log?operation=members.remove").await;
        let kinds = log.body["data"][0]["effects"].as_array().expect("effects").iter();
        assert_eq!(kinds.filter(|effect| effect["kind"] == "duty").count(), 2, "in the entry of the removal");
        is_problem(&act(club.member(Role::Owner), &waiting, "confirm").await, Code::State, "over");
        let again = admin.post(DUTIES, &wanted(&club, coach, "support")).await;
        is_problem(&again, Code::ValidationFailed, "no longer a member");
    })
    .await;
}

#[tokio::test]
async fn a_season_with_a_duty_is_purged_with_it_and_a_team_needs_no_open_duty() {
    on_both(async |club| {
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let league = League::create(admin, "Winter").await;
        let mut body = wanted(&club, coach, "registrar");
        body["team_ids"] = json!([league.home]);
        let duty = admin.post(DUTIES, &body).await;
        let team = format!("/api/v1/teams/{}", league.home);
        is_problem(&admin.delete(&team).await, Code::InUse, "a team of a duty");
        assert_eq!(act(admin, &duty, "revoke").await.status, 200);
        let deleted = admin.delete(&team).await;
        assert_eq!(deleted.status, 200, "of a duty that is over: {}", deleted.text);
        let path = format!("{DUTIES}/{}", duty.id());
        let kept = admin.get(&path).await;
        assert_eq!(kept.body["data"]["team_ids"], json!([league.home]), "it is still limited to the team");

        let season = format!("/api/v1/seasons/{}", league.season);
        let refused = admin.delete(&season).await;
        is_problem(&refused, Code::InUse, "a season with contents");
        assert_eq!(refused.body["counts"]["duties"], 1);
        let purged =
            admin.post(&format!("{season}/purge"), &json!({"confirm": refused.body["digest"]})).await;
        assert_eq!((purged.status, &purged.body["data"]["counts"]["duties"]), (200, &json!(1)));
        is_problem(&admin.get(&path).await, Code::NotFound, "a duty of a purged season");
        let history = admin.get(&format!("{path}/history")).await;
        assert_eq!(history.body["data"][0]["operation"], "seasons.purge", "{}", history.text);
    })
    .await;
}
