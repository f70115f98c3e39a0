//! The messages that tell families of changed games.

use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::GameId;
use fieldhouse_domain::roles::Role;
use fieldhouse_store::{Change, records};
use fieldhouse_testing::clubs;
use jiff::SignedDuration;
use serde_json::json;
use uuid::Uuid;

use crate::support::families::Families;
use crate::support::league::created;
use crate::support::mail::{Letter, sent};
use crate::support::{Club, on_both_in_held_time};

const NAME: &str = "Zzyzxgrove of the games";

async fn told(club: &Club) -> Vec<Letter> {
    let letters = sent(club).await;
    letters.into_iter().filter(|letter| letter.subject.contains("has changed")).collect()
}

/// Moves a game by some hours, as a changeset. Returns the changeset.
async fn moved(club: &Club, game: GameId, hours: i64) -> Uuid {
    let (moment, hold) = (club.app.clock.moment(), club.app.notify_hold);
    let changeset = Uuid::from_u128(u128::from(hours.unsigned_abs()));
    let written = clubs::write(&club.app.store, club.organization, async move |tx, proof| {
        let moment = moment.again();
        let before: Game = records::read(tx, proof, game).await?.expect("the game");
        let starts_at = before.starts_at.saturating_add(SignedDuration::from_hours(hours)).expect("a time");
        let after = Game { starts_at, ..before.clone() };
        let effect = Effect::update(&moment, before, after).expect("a change");
        let change = Change { moment: &moment, operation: "testing.move", request_id: "", reason: None };
        let applied = tx.apply(proof, change, &[effect]).await?;
        tx.store_effects(proof, changeset, Some("The court is flooded"), &applied).await?;
        tx.queue_games_changed(proof, &moment, (changeset, 1), &applied, hold, &[]).await
    });
    assert_eq!(written.await.expect("it is written"), 1, "one address");
    changeset
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
        let game: GameId = game.id().parse().expect("an id");
        assert!(told(&club).await.is_empty());

        moved(&club, game, 2).await;
        club.pass(SignedDuration::from_secs(599));
        assert!(told(&club).await.is_empty(), "it is held");
        club.pass(SignedDuration::from_secs(1));
        let letters = told(&club).await;
        let [letter] = &letters[..] else { panic!("{letters:?}") };
        assert!(letter.to.contains(&families.parent.to_string()), "{}", letter.to);
        assert_eq!(letter.subject, "Riverside Club has changed 1 game");
        let expected = "\
Hello,

Riverside Club has changed 1 game of a team that concerns your family.

Reason: The court is flooded

Eagles – Hawks
    before: Saturday, 7 March 2026 at 11:00 (AEDT)
    now:    Saturday, 7 March 2026 at 13:00 (AEDT)

You get this message because you, or a child in your care, are in one of these teams. Times are those of the venue.
";
        assert_eq!(letter.text.trim_end(), expected.trim_end());
        assert!(!letter.text.contains("Zzyzxgrove") && !letter.text.contains("http"));

        let changeset = moved(&club, game, 3).await;
        let now = club.app.clock.now();
        let voided = clubs::write(&club.app.store, club.organization, async move |tx, proof| {
            tx.void_held(proof, changeset, now).await
        });
        assert_eq!(voided.await.expect("it is voided").len(), 1);
        club.pass(SignedDuration::from_hours(1));
        assert!(told(&club).await.is_empty(), "it was undone");
    })
    .await;
}
