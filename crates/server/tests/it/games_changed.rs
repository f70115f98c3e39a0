//! The messages that tell families of changed games.

use fieldhouse_domain::roles::Role;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::support::changesets::{CHANGESETS, Proposal};
use crate::support::families::Families;
use crate::support::league::created;
use crate::support::mail::{Letter, sent};
use crate::support::{Club, on_both_in_held_time};

const NAME: &str = "Zzyzxgrove of the games";

async fn told(club: &Club) -> Vec<Letter> {
    let letters = sent(club).await;
    letters.into_iter().filter(|letter| letter.subject.contains("has changed")).collect()
}

/// Moves a game by some hours, with a changeset. Returns its id.
async fn moved(club: &Club, game: &str, hours: i64) -> String {
    let manager = &club.sign_in(Role::Manager).await;
    let starts_at = "2026-03-07T00:00:00Z".parse::<Timestamp>().expect("a time");
    let starts_at = starts_at.saturating_add(SignedDuration::from_hours(hours)).expect("a time");
    let update = json!({"op": "update", "resource": "games", "id": game, "set": {"starts_at": starts_at}});
    let proposal = Proposal::new(manager, &json!([update])).await.submitted().await;
    proposal.executed_by(manager).await.id
}

#[tokio::test]
async fn a_message_is_held_for_ten_minutes_and_never_sent_if_the_change_is_undone() {
    on_both_in_held_time(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, NAME, false).await;
        families.added(&club, &child, json!({})).await;
        let league = &families.league;
        let wanted = json!({"season_id": league.season, "division_id": league.division, "home_team_id": league.home,
            "away_team_id": league.away, "starts_at": "2026-03-07T00:00:00Z", "time_zone": "Australia/Melbourne"});
        let game = created(club.member(Role::Manager), "/api/v1/games", &wanted).await;
        let game = game.id().to_owned();
        assert!(told(&club).await.is_empty());

        moved(&club, &game, 2).await;
        club.pass(SignedDuration::from_secs(599));
        assert!(told(&club).await.is_empty(), "it is held");
        club.pass(SignedDuration::from_secs(1));
        let letters = told(&club).await;
        let [letter] = &letters[..] else { panic!("{letters:?}") };
        assert!(letter.to.contains(&families.parent.to_string()), "{}", letter.to);
        assert_eq!(letter.subject, "Riverside Club has changed 1 game");
        let expected = "\
Hello,

Riverside Club has changed 1 game of your family's teams.

Reason: The court is flooded

Eagles – Hawks
    before: Saturday, 7 March 2026 at 11:00 (AEDT)
    now:    Saturday, 7 March 2026 at 13:00 (AEDT)

You get this message because you or a child in your care plays in one of these teams. Times are those of the venue.
";
        assert_eq!(letter.text.trim_end(), expected.trim_end());
        assert!(!letter.text.contains("Zzyzxgrove") && !letter.text.contains("http"));

        let changeset = moved(&club, &game, 3).await;
        let undone = format!("{CHANGESETS}/{changeset}/undo");
        let undone = club.sign_in(Role::Manager).await.post(&undone, &json!({"quick": true})).await;
        assert_eq!(undone.body["data"]["state"], "executed", "{}", undone.text);
        club.pass(SignedDuration::from_hours(1));
        assert!(told(&club).await.is_empty(), "it was undone");

        // If only one of two games is taken back, families still hear of the other.
        let manager = &club.sign_in(Role::Manager).await;
        let later = json!({"season_id": league.season, "division_id": league.division, "home_team_id": league.home,
            "away_team_id": league.away, "starts_at": "2026-03-08T00:00:00Z", "time_zone": "Australia/Melbourne"});
        let other = created(manager, "/api/v1/games", &later).await.id().to_owned();
        let called_off =
            [&game, &other].map(|id| json!({"op": "update", "resource": "games", "id": id, "set": {"status": "cancelled"}}));
        let both = decided(&club, Proposal::new(manager, &json!(called_off)).await.submitted().await).await;
        let both = both.executed_by(manager).await;
        let undo = both.try_step(manager, "undo", &json!({})).await;
        let mut undo = Proposal { author: manager, id: undo.id().to_owned(), answer: undo };
        let skip = json!({"resolutions": [{"record": other, "resolution": "skip"}]});
        undo.step(manager, "resolutions", &skip).await;
        decided(&club, undo.submitted_again().await).await.executed_by(manager).await;
        assert_eq!(manager.get(&format!("/api/v1/games/{game}")).await.body["data"]["status"], "scheduled");
        club.pass(SignedDuration::from_secs(601));
        let letters = told(&club).await;
        assert!(letters.iter().any(|letter| letter.text.contains("8 March 2026")), "{letters:?}");
    })
    .await;
}

/// Has an admin approve a changeset that needs it.
async fn decided<'a>(club: &Club, proposal: Proposal<'a>) -> Proposal<'a> {
    if proposal.state() == "approved" {
        return proposal;
    }
    proposal.approved_by(&club.sign_in(Role::Admin).await).await
}
