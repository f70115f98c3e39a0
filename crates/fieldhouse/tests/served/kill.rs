//! After a server is killed, acknowledged writes are stored, and no write is partial.

use std::collections::BTreeSet;

use fieldhouse_client::Client;
use fieldhouse_client::api::audit::AuditLogQuery;
use fieldhouse_client::api::favorites::{CustomProgram, FavoriteListQuery, FavoriteSave};
use fieldhouse_client::api::seasons::{NewSeason, SeasonListQuery};
use futures_util::TryStreamExt as _;
use tokio::sync::mpsc;

use crate::server::{Place, Server, on_both};

const POSTS: usize = 200;
/// The users to try until a kill interrupts the saves: group commit may acknowledge all saves of one user at once.
const ROLES: [&str; 6] = ["manager", "owner", "admin", "coach", "member", "viewer"];

#[test]
fn every_acknowledged_favorite_survives_a_kill() {
    on_both(|place| {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let in_the_middle = ROLES.iter().any(|role| runtime.block_on(kill_while_saving(place, role)));
        assert!(in_the_middle, "every kill came after the last acknowledgement");
    });
}

/// Kills a server at the first acknowledged save. Returns whether this interrupted the work.
async fn kill_while_saving(place: &Place, role: &str) -> bool {
    let mut server = place.serve(&["--demo"]);
    let client = signed_in(&server, role).await;
    let saved = kill_at_the_first_success(&mut server, |number| {
        let client = client.clone();
        async move { client.colleges().favorites().add(&favorite(number)).await.is_ok() }
    });
    let kept: BTreeSet<String> = saved.await.into_iter().map(name).collect();

    let restarted = place.serve(&["--demo"]);
    let list =
        signed_in(&restarted, role).await.colleges().favorites().list(&FavoriteListQuery::default()).await;
    let list = list.expect("the list is read").data;
    let names: BTreeSet<String> = list.iter().map(|saved| saved.program.college_name.clone()).collect();
    let missing: Vec<_> = kept.difference(&names).collect();
    assert!(missing.is_empty(), "acknowledged and lost: {missing:?}");
    assert_eq!(names.len(), list.len(), "saved twice");
    let ranks: BTreeSet<i64> = list.iter().map(|saved| saved.rank).collect();
    assert_eq!(ranks.len(), list.len(), "two saves have the same rank");
    restarted.stop();
    kept.len() < POSTS
}

/// Sends all requests at once, and kills the server at the first success. Returns which requests succeeded.
async fn kill_at_the_first_success<F>(server: &mut Server, post: impl Fn(usize) -> F) -> BTreeSet<usize>
where
    F: Future<Output = bool> + Send + 'static,
{
    let (acknowledge, mut acknowledged) = mpsc::channel(POSTS);
    for number in 0..POSTS {
        let (post, acknowledge) = (post(number), acknowledge.clone());
        tokio::spawn(async move {
            if post.await {
                let _ = acknowledge.send(number).await;
            }
        });
    }
    drop(acknowledge);
    let mut kept = BTreeSet::new();
    while let Some(number) = acknowledged.recv().await {
        if kept.is_empty() {
            server.kill();
        }
        // A response that was sent before the kill counts as well.
        kept.insert(number);
    }
    kept
}

#[test]
fn after_a_kill_every_season_has_its_entry_and_every_entry_its_season() {
    on_both(|place| {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let in_the_middle = (0..6).any(|round| runtime.block_on(kill_while_creating(place, round)));
        assert!(in_the_middle, "every kill came after the last acknowledgement");
    });
}

/// Kills a server at the first created season. Returns whether that was in the middle of the work.
async fn kill_while_creating(place: &Place, round: usize) -> bool {
    let mut server = place.serve(&["--demo"]);
    let client = signed_in(&server, "admin").await;
    let created = kill_at_the_first_success(&mut server, |number| {
        let (client, season) = (client.clone(), killed_season(round, number));
        async move { client.seasons().create(&season).await.is_ok() }
    });
    let created = created.await;

    let restarted = place.serve(&["--demo"]);
    let client = signed_in(&restarted, "admin").await;
    let pages: Vec<_> =
        client.seasons().list(&SeasonListQuery::default()).pages().try_collect().await.expect("seasons");
    let seasons = pages.into_iter().flat_map(|page| page.data);
    let seasons: Vec<(String, String)> = seasons
        .map(|season| (season.id.to_string(), season.name.clone()))
        .filter(|(_, name)| name.starts_with(KILLED))
        .collect();
    let names: BTreeSet<&str> = seasons.iter().map(|(_, name)| name.as_str()).collect();
    let lost: Vec<_> = created
        .iter()
        .map(|number| killed_name(round, *number))
        .filter(|name| !names.contains(name.as_str()))
        .collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");

    let query = AuditLogQuery { operation: Some("seasons.create".to_owned()), ..AuditLogQuery::default() };
    let pages: Vec<_> = client.audit().list(&query).pages().try_collect().await.expect("entries");
    let effects = pages.into_iter().flat_map(|page| page.data).flat_map(|entry| entry.effects);
    let mut recorded: Vec<(String, String)> = effects
        .map(|effect| {
            (effect.id, effect.after.expect("an image")["name"].as_str().expect("a name").to_owned())
        })
        .collect();
    let mut stored = seasons;
    stored.sort();
    recorded.sort();
    assert_eq!(stored, recorded, "each season has one entry, and each entry one season");
    restarted.stop();
    created.len() < POSTS
}

const KILLED: &str = "Killed";

fn killed_name(round: usize, number: usize) -> String {
    format!("{KILLED} {round} {number}")
}

fn killed_season(round: usize, number: usize) -> NewSeason {
    NewSeason::new(
        killed_name(round, number).parse().expect("a name"),
        "softball".parse().expect("a sport"),
        "UTC".parse().expect("a zone"),
    )
}

async fn signed_in(server: &Server, role: &str) -> Client {
    let (email, password) = server.account(role);
    let login = fieldhouse_client::api::auth::Login {
        email: email.parse().expect("an address"),
        password: password.to_owned(),
        organization: None,
    };
    let anonymous = Client::builder(server.base_url()).build().expect("a client");
    let tokens = anonymous.auth().login(&login).await.expect("a user of the demo signs in");
    Client::builder(server.base_url()).session(tokens).retries(0).build().expect("a client")
}

fn name(number: usize) -> String {
    format!("College number {number}")
}

fn favorite(number: usize) -> FavoriteSave {
    let custom = CustomProgram {
        college_name: name(number).parse().expect("a name"),
        state: None,
        sport: "softball".parse().expect("a sport"),
        gender: "women".parse().expect("a gender"),
    };
    FavoriteSave { custom: Some(custom), ..FavoriteSave::default() }
}
